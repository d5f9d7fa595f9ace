package memlog

import (
	"context"
	"iter"

	"stele/core"
)

// readBatch is how many records a read copies under one lock.
const readBatch = 256

// Read implements [core.Log].
func (l *Log) Read(ctx context.Context, stream core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	return l.each(ctx, stream, after, l.store.readAfter)
}

// ReadBack implements [core.Log].
func (l *Log) ReadBack(ctx context.Context, stream core.Stream, before core.Position) iter.Seq2[core.Recorded, error] {
	if before == 0 {
		before = ^core.Position(0)
	}
	return l.each(ctx, stream, before, l.store.readBefore)
}

// each yields what next finds beyond a position until that is nothing.
func (l *Log) each(
	ctx context.Context, stream core.Stream, beyond core.Position,
	next func(core.Stream, core.Position, []core.Recorded) []core.Recorded,
) iter.Seq2[core.Recorded, error] {
	return func(yield func(core.Recorded, error) bool) {
		var buf []core.Recorded
		pos := beyond
		for {
			if err := l.usable(ctx); err != nil {
				yield(core.Recorded{}, err)
				return
			}
			if buf = next(stream, pos, buf[:0]); len(buf) == 0 {
				return
			}
			pos = buf[len(buf)-1].Position
			for _, r := range buf {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

func (s *Store) readAfter(stream core.Stream, after core.Position, buf []core.Recorded) []core.Recorded {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.streams[stream]
	if x == nil {
		return buf
	}
	for _, pos := range x.positions[x.countUpTo(after):] {
		if len(buf) == readBatch {
			break
		}
		buf = append(buf, s.record(pos))
	}
	return buf
}

func (s *Store) readBefore(stream core.Stream, before core.Position, buf []core.Recorded) []core.Recorded {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.streams[stream]
	if x == nil {
		return buf
	}
	for i := x.countUpTo(before-1) - 1; i >= 0 && len(buf) < readBatch; i-- {
		buf = append(buf, s.record(x.positions[i]))
	}
	return buf
}
