package edgefront

import (
	"context"
	"sync"
	"time"
)

// openSessions counts the sessions and tells them when to end.
type openSessions struct {
	// leaving is closed when sessions are to end after the call in flight.
	leaving chan struct{}
	// life ends when they are to end at once, also those that wait for the network.
	life context.Context
	cut  context.CancelFunc

	mu sync.Mutex
	n  int
	// empty is closed when the last session has ended after leaving was closed.
	empty chan struct{}
}

func newOpenSessions() *openSessions {
	o := &openSessions{leaving: make(chan struct{}), empty: make(chan struct{})}
	o.life, o.cut = context.WithCancel(context.Background())
	return o
}

// enter counts a session in; false: there are to be no more.
func (o *openSessions) enter() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.draining() {
		return false
	}
	o.n++
	return true
}

func (o *openSessions) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n--
	if o.n == 0 && o.draining() {
		close(o.empty)
	}
}

func (o *openSessions) draining() bool {
	select {
	case <-o.leaving:
		return true
	default:
		return false
	}
}

// drain ends all sessions: patiently first, and then within the time that an ending may take.
func (o *openSessions) drain(patience time.Duration) {
	o.mu.Lock()
	if !o.draining() {
		close(o.leaving)
		if o.n == 0 {
			close(o.empty)
		}
	}
	o.mu.Unlock()
	if o.emptyWithin(patience) {
		return
	}
	o.cut()
	o.emptyWithin(closeTime)
}

func (o *openSessions) emptyWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-o.empty:
		return true
	case <-t.C:
		return false
	}
}
