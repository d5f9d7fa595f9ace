package agentswitch

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"
)

// Events opens a stream, keeps its connection alive and opens it again
// whenever it ends, until ctx is done or the caller leaves the loop:
//
//	for frame, err := range client.Events(ctx, opts) {
//		if err != nil {
//			log.Print(err) // and it goes on
//			continue
//		}
//		…
//	}
//
// Every failure is yielded, with a nil frame, before the next attempt; leave
// the loop on those that will not heal, such as a 401. A refused or broken
// stream is opened again after a wait of 1 s that doubles to 30 s, one that
// ended cleanly at once. Reopening resumes after the highest sequence that was
// yielded and claims again the rooms that the server last reported.
//
// The sequence owns a goroutine that beats; it has ended when the loop has.
func (c *Client) Events(ctx context.Context, opts StreamOptions) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		s, err := newSession(c, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		pace := pacer{backoff: backoff{random: c.opts.Rand}}
		for ctx.Err() == nil {
			end := s.attempt(ctx, yield)
			if end.left {
				return
			}
			if ctx.Err() == nil && end.err != nil && !yield(nil, end.err) {
				return
			}
			if c.opts.Clock.Sleep(ctx, pace.delay(end)) != nil {
				return
			}
		}
	}
}

// OpenOnce is Events without opening again: the sequence ends with the stream.
// A clean end yields no error.
func (c *Client) OpenOnce(ctx context.Context, opts StreamOptions) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		s, err := newSession(c, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		if end := s.attempt(ctx, yield); !end.left && end.err != nil && ctx.Err() == nil {
			yield(nil, end.err)
		}
	}
}

// ending tells how an attempt ended.
type ending struct {
	left   bool // the caller left the loop
	err    error
	broken bool // refused or broken, in contrast to ended by the other side
	lived  time.Duration
}

// maxChurn is how many streams in a row may end within a second before the
// next open waits. Two holders of one id would otherwise evict each other as
// fast as they can.
const maxChurn = 3

type pacer struct {
	backoff backoff
	churn   int
}

func (p *pacer) delay(end ending) time.Duration {
	if end.lived >= MinBackoff {
		p.churn = 0
		p.backoff.reset()
	} else if !end.broken {
		p.churn++
	}
	if end.broken || p.churn > maxChurn {
		return p.backoff.next()
	}
	return 0
}

// attempt holds one stream from open to end.
func (s *session) attempt(ctx context.Context, yield func(Frame, error) bool) ending {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stream, err := s.client.Open(ctx, s.next())
	if err != nil {
		return ending{err: err, broken: true}
	}
	defer func() { _ = stream.Close() }()
	opened := s.client.opts.Clock.Now()
	s.touch()
	stop := s.startBeats(ctx, cancel)
	defer stop()

	end := s.deliver(ctx, stream, yield)
	end.lived = s.client.opts.Clock.Now().Sub(opened)
	return end
}

func (s *session) deliver(ctx context.Context, stream *Stream, yield func(Frame, error) bool) ending {
	for {
		frame, err := stream.Next()
		s.touch()
		s.passed(stream.lastID)
		switch {
		case err == nil:
			s.observe(frame)
			if !yield(frame, nil) {
				return ending{left: true}
			}
		case errors.Is(err, io.EOF):
			return ending{}
		default:
			var stopped *beatStop
			if errors.As(context.Cause(ctx), &stopped) {
				return ending{err: stopped.err, broken: !stopped.reopen}
			}
			return ending{err: err, broken: true}
		}
	}
}

// beatStop is why the beats ended the stream.
type beatStop struct {
	err error
	// reopen: the connection is gone and only a new open brings it back.
	reopen bool
}

// Error implements error.
func (e *beatStop) Error() string { return e.err.Error() }

// startBeats beats until ctx is done. The returned function ends that and
// waits for it.
func (s *session) startBeats(ctx context.Context, end context.CancelCauseFunc) (stop func()) {
	if s.opts.BeatInterval < 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.beat(ctx, end)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (s *session) beat(ctx context.Context, end context.CancelCauseFunc) {
	for {
		answer, err := s.client.Beat(ctx, BeatRequest{ConnectionID: s.opts.ConnectionID, Cursor: s.cursor.Load()})
		if ctx.Err() != nil {
			return
		}
		if s.opts.OnBeat != nil {
			s.opts.OnBeat(answer, err)
		}
		if reason := s.judge(err); reason != nil {
			end(reason)
			return
		}
		if s.client.opts.Clock.Sleep(ctx, s.opts.BeatInterval) != nil {
			return
		}
	}
}

// judge decides whether a beat's outcome ends the stream. Failures that the
// next beat may heal do not: the connection has three beats of time.
func (s *session) judge(err error) *beatStop {
	var refused Error
	if errors.As(err, &refused) && (refused.Status() == http.StatusNotFound || refused.Status() == http.StatusConflict) {
		return &beatStop{err: err, reopen: true}
	}
	if s.silence() > s.opts.MaxSilence {
		return &beatStop{err: errSilent}
	}
	return nil
}

var errSilent = errors.New("agentswitch: the stream fell silent")
