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
	refused  error         // of the newest attempt, when its key is not accepted
	changed  chan struct{} // closed with the next open or refusal
}

func (a *attachment) init() { a.changed = make(chan struct{}) }

func (a *attachment) opened() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attached, a.refused = true, nil
	a.opens++
	close(a.changed)
	a.changed = make(chan struct{})
}

// failed notes why an attempt failed. Nobody waits on for a server that does not accept the key.
func (a *attachment) failed(err error) {
	if !IsUnauthorized(err) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = err
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
		ready, refused, changed := a.attached && a.opens > after, a.refused, a.changed
		a.mu.Unlock()
		if ready {
			return nil
		}
		if refused != nil {
			return refused
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
