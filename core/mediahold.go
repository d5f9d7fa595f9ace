package core

import (
	"context"
	"io"
	"sync"
)

// MediaHold stores content that is to be attached later than the housekeeping waits, and keeps it until [MediaHold.Release]: a
// room may be imported from a file that takes hours to come.
type MediaHold struct{ node *Node }

// mediaHolds are the ids of content that is held, by hold.
type mediaHolds struct {
	mu   sync.Mutex
	held map[*MediaHold]map[string]bool
}

// HoldMedia begins to hold content. Whoever asked for it releases it.
func (n *Node) HoldMedia() *MediaHold {
	h := &MediaHold{node: n}
	n.mediaHolds.mu.Lock()
	defer n.mediaHolds.mu.Unlock()
	if n.mediaHolds.held == nil {
		n.mediaHolds.held = map[*MediaHold]map[string]bool{}
	}
	n.mediaHolds.held[h] = map[string]bool{}
	return h
}

// PutMedia is [Node.PutMedia] for content that is held. After the release it is not.
func (h *MediaHold) PutMedia(ctx context.Context, content io.Reader) (Media, error) {
	m, err := h.node.PutMedia(ctx, content)
	if err != nil {
		return m, err
	}
	h.node.mediaHolds.mu.Lock()
	defer h.node.mediaHolds.mu.Unlock()
	if ids := h.node.mediaHolds.held[h]; ids != nil {
		ids[m.ID] = true
	}
	return m, nil
}

// DropMedia is [Node.DropMedia].
func (h *MediaHold) DropMedia(ctx context.Context, ids ...string) error {
	return h.node.DropMedia(ctx, ids...)
}

// Release lets go of all that was held. What no message has by then is the housekeeping's.
func (h *MediaHold) Release() {
	h.node.mediaHolds.mu.Lock()
	defer h.node.mediaHolds.mu.Unlock()
	delete(h.node.mediaHolds.held, h)
}

func (m *mediaHolds) holds(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, ids := range m.held {
		if ids[id] {
			return true
		}
	}
	return false
}
