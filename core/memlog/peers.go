package memlog

import (
	"context"
	"slices"
	"sync"

	"stele/core"
)

// registry knows the nodes that joined through the logs of a store.
type registry struct {
	mu    sync.Mutex
	nodes map[string]*node
}

// node is one registration; its address tells it from a later one under the same name.
type node struct {
	handler core.PeerHandler
	through *Log
}

func (r *registry) join(name string, n *node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.through.isClosed() {
		return
	}
	if r.nodes == nil {
		r.nodes = make(map[string]*node)
	}
	r.nodes[name] = n
}

func (r *registry) leave(name string, n *node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.nodes[name] == n {
		delete(r.nodes, name)
	}
}

// leaveAll removes whoever joined through a log.
func (r *registry) leaveAll(l *Log) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, n := range r.nodes {
		if n.through == l {
			delete(r.nodes, name)
		}
	}
}

func (r *registry) find(name string) (core.PeerHandler, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.nodes[name]
	if !ok {
		return nil, false
	}
	return n.handler, true
}

// Join implements [core.Peers]. A second Join under the same name takes it over, as a node does that came back.
func (l *Log) Join(name string, handler core.PeerHandler) (leave func()) {
	n := &node{handler: handler, through: l}
	l.store.peers.join(name, n)
	return func() { l.store.peers.leave(name, n) }
}

// Request implements [core.Peers]. The handler runs in the caller's goroutine, on a copy of the request, as bytes that
// came over a network would be.
func (l *Log) Request(ctx context.Context, name string, request []byte) ([]byte, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	handler, ok := l.store.peers.find(name)
	if !ok {
		return nil, core.ErrNoPeer
	}
	answer := slices.Clone(handler(ctx, slices.Clone(request)))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return answer, nil
}
