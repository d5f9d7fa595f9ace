package agentswitch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// run holds streams open, one after the other, until ctx is done.
func (s *Session) run(ctx context.Context) {
	pace := pacer{backoff: backoff{random: s.Client.opts.Rand}}
	var at position
	if s.opts.After != nil {
		at = position{cursor: *s.opts.After, placed: true}
		s.seen.Store(at.cursor)
	}
	for ctx.Err() == nil {
		end := s.attempt(ctx, &at)
		if ctx.Err() != nil {
			return
		}
		if end.err != nil {
			s.attached.failed(end.err)
			// A caller that takes nothing must not keep the stream shut: of a long row of failures the last ones are not told.
			s.offer(item{err: end.err, raw: end.raw})
		}
		if s.once || s.Client.opts.Clock.Sleep(ctx, pace.delay(end)) != nil {
			return
		}
	}
}

// put hands an item to the caller, when there is room for it.
func (s *Session) put(ctx context.Context, next item) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case s.items <- next:
		return true
	case <-ctx.Done():
		return false
	}
}

// putFrame is put for frames.
func (s *Session) putFrame(ctx context.Context, next item) bool {
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if !s.put(ctx, next) {
		<-s.room
		return false
	}
	return true
}

// attempt holds one stream from open to end.
func (s *Session) attempt(ctx context.Context, at *position) ending {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var raw []byte
	stream, err := s.openStream(ctx, cancel, *at, &raw)
	if err != nil {
		return ending{err: err, broken: true}
	}
	defer func() { _ = stream.Close() }()
	opened := s.Client.opts.Clock.Now()
	s.attached.opened()
	defer s.attached.ended()
	stop := s.startKeeper(ctx, cancel)
	defer stop()

	end := s.deliver(ctx, stream, at, &raw)
	end.lived = s.Client.opts.Clock.Now().Sub(opened)
	return end
}

// openStream opens with the claims of the moment, and gives up on a server
// that does not answer.
func (s *Session) openStream(ctx context.Context, cancel context.CancelCauseFunc, at position, raw *[]byte) (*Stream, error) {
	release, err := s.holdForOpen(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	opts := s.opts
	opts.Rooms = s.claims.list()
	if at.placed {
		opts.After = &at.cursor
	}
	if s.opts.OnRaw != nil {
		opts.OnRaw = func(frame []byte) { *raw = bytes.Clone(frame) }
	}
	patience := time.AfterFunc(opts.MaxSilence, func() { cancel(&givenUp{err: ErrSilent}) })
	defer patience.Stop()
	stream, err := s.Client.Open(ctx, opts)
	if err != nil {
		return nil, interrupted(ctx, err).err
	}
	return stream, nil
}

// holdForOpen waits for its turn, but not for ever: a claim that a server does
// not answer must not keep the stream shut.
func (s *Session) holdForOpen(ctx context.Context) (release func(), err error) {
	turn, cancel := context.WithTimeout(ctx, BeatTimeout)
	defer cancel()
	if release, err = s.claims.hold(turn); err == nil {
		return release, nil
	}
	return func() {}, ctx.Err()
}

// deliver hands over frames until the stream ends. What could not be handed
// over has not moved the position, and comes again with the next stream.
func (s *Session) deliver(ctx context.Context, stream *Stream, at *position, raw *[]byte) ending {
	for {
		*raw = nil
		s.reading.Store(s.Client.opts.Clock.Now().UnixNano())
		frame, err := stream.Next()
		s.reading.Store(0)
		next := at.after(frame, stream.lastID)
		switch {
		case err == nil:
			s.claims.observe(frame)
			_, first := frame.(ConnectionState)
			queued := s.putFrame(ctx, item{frame: frame, raw: *raw, at: next})
			if queued || first {
				*at = next
			}
			if !queued {
				return interrupted(ctx, ctx.Err())
			}
		case errors.Is(err, io.EOF):
			return ending{}
		default:
			// A frame that was not understood is not asked for again.
			*at = next
			end := interrupted(ctx, err)
			end.raw = *raw
			return end
		}
	}
}

// interrupted tells the end of a stream that was given up from this side, or
// broke.
func interrupted(ctx context.Context, err error) ending {
	var stopped *givenUp
	if errors.As(context.Cause(ctx), &stopped) {
		return ending{err: stopped.err, broken: !stopped.reopen}
	}
	return ending{err: err, broken: true}
}
