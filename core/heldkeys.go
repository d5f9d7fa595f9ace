package core

import (
	"context"
	"sync"
)

// heldKeys lets one command at a time use an idempotency key, whatever rooms the commands are for: the one that comes
// second must find the receipt of the first.
type heldKeys struct {
	mu   sync.Mutex
	held map[string]chan struct{}
}

func newHeldKeys() *heldKeys { return &heldKeys{held: map[string]chan struct{}{}} }

// hold waits until nobody else uses the key.
func (k *heldKeys) hold(ctx context.Context, scope string) (release func(), err error) {
	for {
		k.mu.Lock()
		busy, ok := k.held[scope]
		if !ok {
			mine := make(chan struct{})
			k.held[scope] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				delete(k.held, scope)
				k.mu.Unlock()
				close(mine)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
