package core

import (
	"context"
	"fmt"
	"sync"
)

// progress lets callers wait for the node's head to move.
type progress struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that is closed when the head moves after this call.
func (p *progress) wait() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		p.next = make(chan struct{})
	}
	return p.next
}

// moved wakes everybody who waits.
func (p *progress) moved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next != nil {
		close(p.next)
		p.next = nil
	}
}

// CatchUp waits until everything that was committed at the time of the call is applied here. On a log that several nodes
// write to, a client may come with what another node just told it.
func (n *Node) CatchUp(ctx context.Context) error {
	head, err := n.log.Head(ctx)
	if err != nil {
		return fmt.Errorf("read the log's head: %w", err)
	}
	return n.awaitApplied(ctx, head)
}

// awaitApplied waits until everything up to a position is applied here.
func (n *Node) awaitApplied(ctx context.Context, p Position) error {
	for {
		next := n.progress.wait()
		if n.Applied() >= p {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		case <-n.ctx.Done():
			return context.Cause(n.ctx)
		}
	}
}

// Shared tells whether other nodes may write to the log.
func (n *Node) Shared() bool {
	_, ok := n.log.(Peers)
	return ok
}
