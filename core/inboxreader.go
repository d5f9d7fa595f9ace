package core

import (
	"context"
	"sync"
)

// InboxReader follows an agent's deliveries. It holds a cursor and no queue, and belongs to one goroutine.
type InboxReader struct {
	node   *Node
	agent  string
	signal chan struct{}
	// sent is the position of the newest delivery that was handed out.
	sent Position
}

// inboxReaders are the readers to be woken, by agent.
type inboxReaders struct {
	mu      sync.Mutex
	byAgent map[string]map[*InboxReader]struct{}
}

// NewInboxReader follows an agent's deliveries from the oldest that waits. The caller closes it.
func (n *Node) NewInboxReader(agent string) *InboxReader {
	r := &InboxReader{node: n, agent: agent, signal: make(chan struct{}, 1)}
	n.inboxes.mu.Lock()
	defer n.inboxes.mu.Unlock()
	if n.inboxes.byAgent[agent] == nil {
		set(&n.inboxes.byAgent, agent, map[*InboxReader]struct{}{})
	}
	n.inboxes.byAgent[agent][r] = struct{}{}
	return r
}

// Close ends the wake-ups.
func (r *InboxReader) Close() {
	s := &r.node.inboxes
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byAgent[r.agent], r)
	if len(s.byAgent[r.agent]) == 0 {
		delete(s.byAgent, r.agent)
	}
}

// Wake has one slot: it holds a signal when there may be something new, or when the agent's key was replaced.
func (r *InboxReader) Wake() <-chan struct{} { return r.signal }

// Next returns the deliveries that wait and were not handed out by this reader yet, oldest first. Each is handed out once;
// what the agent does not acknowledge, its next reader gets again.
func (r *InboxReader) Next() []Delivery {
	x := r.node.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	b := x.s.Inboxes[r.agent]
	if b == nil {
		return nil
	}
	out := b.after(r.sent, r.node.now())
	if len(out) > 0 {
		r.sent = out[len(out)-1].Position
	}
	return out
}

// wakeInboxes wakes the readers of agents that were told something.
func (s *inboxReaders) wakeInboxes(agents map[string]struct{}) {
	if len(agents) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byAgent) == 0 {
		return
	}
	for agent := range agents {
		for r := range s.byAgent[agent] {
			wake(r.signal)
		}
	}
}

// Acknowledged tells whether the agent acknowledged a delivery that has not expired: it can then go on after that one.
func (n *Node) Acknowledged(agent, delivery string) bool {
	p, at, ok := parseDeliveryID(agent, delivery)
	if !ok || !n.now().Before(at.Add(DeliveryLife)) {
		return false
	}
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	entry := n.index.s.Agents[agent]
	return entry != nil && entry.State.hasAcked(p)
}

// Acknowledge records that the agent has a delivery. Repeating it changes nothing, and so does one that expired or was
// withdrawn since. Errors: [ErrNoDelivery] for an id that was never made for the agent, [ErrNoAgent].
func (n *Node) Acknowledge(ctx context.Context, agent, delivery string) error {
	p, at, ok := parseDeliveryID(agent, delivery)
	if !ok || p > n.Applied() {
		return ErrNoDelivery
	}
	if !n.now().Before(at.Add(DeliveryLife)) {
		return nil
	}
	c := n.agentCell(agent)
	defer c.unpin()
	_, _, err := propose(ctx, c, ackDelivery{position: p, at: at}, nil)
	return err
}
