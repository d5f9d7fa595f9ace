package switchfront

import (
	"context"
	"time"

	"go.uber.org/zap"

	"stele/core"
	agentswitch "stele/switch"
)

// A stream that reads along cannot fall out of what is kept. One that is far behind, or was parked, can; how often it
// asks is bounded, since the answer costs reads of the log.
const (
	farBehind     core.Position = agentswitch.MaxBufferedEvents
	retentionPace               = time.Second
)

// openingGaps appends the gaps that a stream begins with, and moves the cursor: first for a cursor that is ahead of
// everything or of the life of the log that it is from, then for one behind what is kept.
func (s *stream) openingGaps(ctx context.Context, dst []byte, head core.Position) ([]byte, error) {
	if resume, foreign := s.node.ForeignCursor(s.reader.Cursor()); foreign {
		dst = agentswitch.AppendGapFrame(dst, agentswitch.GapRestarted(uint64(resume)))
		s.reader.Seek(resume)
	} else if s.reader.Cursor() > head {
		dst = agentswitch.AppendGapFrame(dst, agentswitch.GapRestarted(uint64(head)))
		s.reader.Seek(head)
	}
	dropped, err := s.node.Retained(ctx, s.agent, s.reader.Cursor())
	if err != nil {
		return dst, err
	}
	if dropped > s.reader.Cursor() {
		dst = agentswitch.AppendGapFrame(dst, agentswitch.GapExpiredAtOpen(uint64(dropped)))
		s.reader.Seek(dropped)
	}
	return dst, nil
}

// lateGap appends the gap of a stream that has fallen out of what is kept while it was open, and moves the cursor.
func (s *stream) lateGap(ctx context.Context, dst []byte) ([]byte, error) {
	cursor := s.reader.Cursor()
	if !s.unparked && (s.node.Applied() < cursor+farBehind || time.Since(s.judged) < retentionPace) {
		return dst, nil
	}
	s.unparked, s.judged = false, time.Now()
	dropped, err := s.node.Retained(ctx, s.agent, cursor)
	if err != nil || dropped <= cursor {
		return dst, err
	}
	s.reader.Seek(dropped)
	return agentswitch.AppendGapFrame(dst, agentswitch.GapExpired(uint64(cursor), uint64(dropped))), nil
}

// damageGap appends the gap of a record that can't be read any more, and moves the cursor onto it: a client that came back behind
// the same cursor would only meet it again. The cause comes back when it is another one.
func (s *stream) damageGap(cause error, dst []byte) ([]byte, error) {
	from, at, ok := s.reader.PassDamage(cause)
	if !ok {
		return dst, cause
	}
	s.front.opts.Logger.Error("event stream passes over damage", zap.String("agent", s.agent), zap.Error(cause))
	return agentswitch.AppendGapFrame(dst, agentswitch.GapDamaged(uint64(from), uint64(at))), nil
}
