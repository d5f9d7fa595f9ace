package wake

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

var errDrained = errors.New("the sidecar was told to end")

// dispatch hands due wakes to workers until ctx ends, and then waits for these, for as long as Options.Drain allows.
func (s *Sidecar) dispatch(ctx context.Context, g *errgroup.Group) error {
	working, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	// Each worker has a place in it; when there is none, nothing is handed out.
	places := make(chan struct{}, s.opt.Parallel)
	s.handOut(ctx, places, func(w *Wake) {
		g.Go(func() error {
			defer func() { <-places }()
			defer s.queue.giveBack(w.RoomID)
			return s.attend(working, w)
		})
	})
	drain := time.AfterFunc(s.opt.Drain, func() { cut(errDrained) })
	defer drain.Stop()
	for range s.opt.Parallel {
		places <- struct{}{}
	}
	return nil
}

// handOut starts a worker for each wake that falls due.
func (s *Sidecar) handOut(ctx context.Context, places chan struct{}, start func(*Wake)) {
	for {
		select {
		case <-ctx.Done():
			return
		case places <- struct{}{}:
		}
		w, due := s.queue.take()
		if w != nil {
			start(w)
			continue
		}
		<-places
		if !s.awaitDue(ctx, due) {
			return
		}
	}
}

// awaitDue waits until the queue changed or the time due has come; a zero time never comes. It is false when ctx ended.
func (s *Sidecar) awaitDue(ctx context.Context, due time.Time) bool {
	var alarm <-chan time.Time
	if !due.IsZero() {
		timer := time.NewTimer(due.Sub(s.opt.Now()))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-s.queue.changed:
	case <-alarm:
	}
	return true
}
