package agentswitch

import (
	"context"
	"sync"
)

// attachment knows whether a stream is open, and counts how many were.
type attachment struct {
	mu       sync.Mutex
	attached bool
	opens    uint64
	changed  chan struct{} // closed with the next open
}

func (a *attachment) init() { a.changed = make(chan struct{}) }

func (a *attachment) opened() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attached = true
	a.opens++
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *attachment) ended() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attached = false
}

func (a *attachment) count() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.opens
}

// await waits until a stream is open that is not among the first after ones.
func (a *attachment) await(ctx context.Context, closed <-chan struct{}, after uint64) error {
	for {
		a.mu.Lock()
		ready, changed := a.attached && a.opens > after, a.changed
		a.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-closed:
			return ErrClosed
		}
	}
}
