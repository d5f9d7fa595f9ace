package agentswitch

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// givenUp is why a session ended its own stream.
type givenUp struct {
	err error
	// reopen: the connection is gone and only a new open brings it back.
	reopen bool
}

// Error implements error.
func (e *givenUp) Error() string { return e.err.Error() }

// startKeeper beats and watches for silence until ctx is done. The returned
// function ends that and waits for it.
func (s *Session) startKeeper(ctx context.Context, end context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.keep(ctx, end)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (s *Session) keep(ctx context.Context, end context.CancelCauseFunc) {
	interval, reported := s.opts.BeatInterval, false
	if interval < 0 {
		interval = HeartbeatInterval
	}
	for {
		if s.opts.BeatInterval > 0 {
			err := s.beat(ctx)
			if ctx.Err() != nil {
				return
			}
			if gone(err) {
				end(&givenUp{err: err, reopen: true})
				return
			}
			switch {
			case err == nil:
				reported = false
			case IsUnauthorized(err) && !reported:
				reported = s.offer(item{err: err})
			}
		}
		if s.silence() > s.opts.MaxSilence {
			end(&givenUp{err: ErrSilent})
			return
		}
		if s.wake.sleep(ctx, s.Client.opts.Clock, interval) != nil {
			return
		}
	}
}

// beat returns what was wrong as a *BeatError.
func (s *Session) beat(ctx context.Context) error {
	answer, err := s.Client.Beat(ctx, BeatRequest{ConnectionID: s.opts.ConnectionID, Cursor: s.seen.Load()})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.opts.OnBeat != nil {
		s.opts.OnBeat(answer, err)
	}
	if err != nil {
		return &BeatError{Err: err}
	}
	return nil
}

// gone reports a beat that only a new open can answer: the connection is not
// known any more, or has lost its stream. Other failures may be healed by the
// next beat, for which a connection has the time of three.
func gone(err error) bool {
	var refused Error
	return errors.As(err, &refused) && hasStatus(refused, http.StatusNotFound, http.StatusConflict)
}

// offer is put for those who must not wait.
func (s *Session) offer(next item) bool {
	select {
	case s.items <- next:
		return true
	default:
		return false
	}
}

// silence returns how long the stream has been waited for.
func (s *Session) silence() time.Duration {
	since := s.reading.Load()
	if since == 0 {
		return 0
	}
	return time.Duration(s.Client.opts.Clock.Now().UnixNano() - since)
}

// waker ends a sleep early.
type waker struct {
	mu  sync.Mutex
	end context.CancelFunc
}

// sleep waits for d or until it is woken. It returns ctx's error.
func (w *waker) sleep(ctx context.Context, clock Clock, d time.Duration) error {
	nap, end := context.WithCancel(ctx)
	defer end()
	w.mu.Lock()
	w.end = end
	w.mu.Unlock()
	_ = clock.Sleep(nap, d)
	return ctx.Err()
}

func (w *waker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		w.end()
	}
}
