package transport

import (
	"context"
	"sync/atomic"
	"time"
)

// Attendant serves a stream turn by turn.
type Attendant interface {
	// Turn does what there is to do, and tells when it wants its next turn at the latest: the zero time means at once, ok
	// false never. ctx ends with the client or its request. Turn must not panic.
	Turn(ctx context.Context) (next time.Time, ok bool)
	// Ended is called last, when the stream is closed.
	Ended()
}

// States of an attended stream.
const (
	// resting: nobody is at work on it.
	resting int32 = iota
	// working: a turn is being done, or about to be.
	working
	// called: there is something new since the turn began, so that another one is due.
	called
)

// attention decides who does the turns of a stream.
type attention struct {
	attendant Attendant
	state     atomic.Int32
	// bell has one slot and wakes the goroutine that waits between the turns; nil: none waits, and Wake starts one.
	bell chan struct{}
}

// Attend lets a serve the stream from now on: the first turn is due at once, others whenever somebody called Wake, when
// the time that the last one named has come, and when the client is gone. No two turns run at the same time. After the
// last one the stream is closed.
//
// On a connection that the stream took over, Attend returns at once, so that the caller's handler can return; the turns
// are done by goroutines that last as long as there is something to do. Between the turns the stream holds no request, no
// buffer, and a stack for the one who waits for the client to go. Elsewhere Attend returns at the end.
func (s *EventStream) Attend(a Attendant) {
	s.attention.attendant = a
	taken, ok := s.out.(*takenOutput)
	if !ok {
		s.attendHere()
		return
	}
	taken.recycler.streams.Add(1)
	taken.recycler.working.Add(1)
	go s.burst(taken)
}

// Wake makes another turn due. It returns at once and may be called by anybody at any time.
func (s *EventStream) Wake() {
	at := &s.attention
	for {
		switch at.state.Load() {
		case called:
			return
		case working:
			if at.state.CompareAndSwap(working, called) {
				if at.bell != nil {
					at.bell <- struct{}{}
				}
				return
			}
		case resting:
			if at.state.CompareAndSwap(resting, working) {
				taken := s.out.(*takenOutput)
				taken.recycler.working.Add(1)
				go s.burst(taken)
				return
			}
		}
	}
}

// burst does turns until none is due.
func (s *EventStream) burst(out *takenOutput) {
	for {
		s.attention.state.Store(working)
		next, ok := s.attention.attendant.Turn(s.ctx)
		if !ok {
			s.endAttention()
			out.recycler.working.Add(-1)
			out.recycler.streams.Done()
			return
		}
		if next.IsZero() {
			continue
		}
		out.callAt(next)
		if s.attention.state.CompareAndSwap(working, resting) {
			out.recycler.working.Add(-1)
			return
		}
	}
}

// attendHere does all turns in the caller's goroutine.
func (s *EventStream) attendHere() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next, ok := s.attention.attendant.Turn(s.ctx)
		if !ok {
			s.endAttention()
			return
		}
		if next.IsZero() {
			continue
		}
		timer.Reset(time.Until(next))
		select {
		case <-s.attention.bell:
			s.attention.state.Store(working)
		case <-timer.C:
		case <-s.ctx.Done():
		}
	}
}

func (s *EventStream) endAttention() {
	if !s.aborted {
		s.Close()
	}
	s.attention.attendant.Ended()
}
