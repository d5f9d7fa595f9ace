package core

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// InboxReader follows an agent's deliveries. It holds a cursor and no queue, and belongs to one goroutine at a time.
type InboxReader struct {
	node   *Node
	agent  string
	signal chan struct{}
	// woken, if set, is called in place of a signal.
	woken func()
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
	return n.followInbox(&InboxReader{node: n, agent: agent, signal: make(chan struct{}, 1)})
}

// NewInboxReaderFunc is NewInboxReader for a reader that nobody waits at: instead of a signal in Wake it calls woken.
// Whoever applies events calls it, so woken must return at once and must not use the reader.
func (n *Node) NewInboxReaderFunc(agent string, woken func()) *InboxReader {
	return n.followInbox(&InboxReader{node: n, agent: agent, woken: woken})
}

func (n *Node) followInbox(r *InboxReader) *InboxReader {
	n.inboxes.mu.Lock()
	defer n.inboxes.mu.Unlock()
	if n.inboxes.byAgent[r.agent] == nil {
		set(&n.inboxes.byAgent, r.agent, map[*InboxReader]struct{}{})
	}
	n.inboxes.byAgent[r.agent][r] = struct{}{}
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

func (r *InboxReader) wake() {
	if r.woken != nil {
		r.woken()
		return
	}
	wake(r.signal)
}

// Next returns the deliveries that wait and were not handed out by this reader yet, oldest first. Each is handed out once;
// what the agent does not acknowledge, its next reader gets again. A turn in a room whose time to live has passed is none
// that can be taken: the room is closed instead, as every access does.
func (r *InboxReader) Next(ctx context.Context) []Delivery {
	out := r.node.waiting(ctx, r.agent, r.sent)
	if len(out) > 0 {
		r.sent = out[len(out)-1].Position
	}
	return out
}

// Waiting returns the deliveries that wait for an agent, oldest first, as a new reader's first Next would.
func (n *Node) Waiting(ctx context.Context, agent string) []Delivery { return n.waiting(ctx, agent, 0) }

func (n *Node) waiting(ctx context.Context, agent string, after Position) []Delivery {
	out, overdue := n.index.waiting(agent, after, n.now())
	if len(overdue) == 0 {
		return out
	}
	for _, room := range overdue {
		if _, err := n.Expire(ctx, room); err != nil && ctx.Err() == nil && !unwritable(err) {
			n.zap.Warn("expired room was not closed", zap.String("room", room), zap.Error(err))
		}
	}
	out, overdue = n.index.waiting(agent, after, n.now())
	return slices.DeleteFunc(out, func(d Delivery) bool { return d.Kind == TurnReady && slices.Contains(overdue, d.Room) })
}

// waiting copies what waits for an agent after a position, and names the rooms of turns among it that can no longer be
// taken because a time to live has passed.
func (x *index) waiting(agent string, after Position, now time.Time) (out []Delivery, overdue []string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	b := x.s.Inboxes[agent]
	if b == nil {
		return nil, nil
	}
	out = b.after(after, now)
	for _, d := range out {
		if at, ok := x.deadlines[d.Room]; ok && d.Kind == TurnReady && now.After(at) {
			overdue = append(overdue, d.Room)
		}
	}
	return out, overdue
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
			r.wake()
		}
	}
}

// Acknowledged tells whether the agent acknowledged a delivery that has not expired: it can then go on after that one.
func (n *Node) Acknowledged(agent, delivery string) bool {
	p, _, ok := parseDeliveryID(agent, delivery)
	if !ok {
		return false
	}
	now := n.now()
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	entry := n.index.s.Agents[agent]
	if entry == nil {
		return false
	}
	ack := entry.State.ackOf(p)
	return ack != nil && now.Before(ack.expires())
}

// invented tells whether nothing can have been delivered at a time yet. The tag of an id is no secret, so an agent can write
// one with any time, and such an acknowledgement would be kept until then, or could not be written down at all. A clock that
// was set back by less than a delivery lives makes no honest one look so.
func (n *Node) invented(at time.Time) bool { return at.After(n.now().Add(n.opts.Lives.Delivery)) }

// Acknowledge records that the agent has a delivery. Repeating it changes nothing, and so does one that expired or was
// withdrawn since. Errors: [ErrNoDelivery] for an id that was never made for the agent, [ErrNoAgent].
func (n *Node) Acknowledge(ctx context.Context, agent, delivery string) error {
	p, at, ok := parseDeliveryID(agent, delivery)
	if !ok || p == 0 || p > n.Applied() || n.invented(at) {
		return ErrNoDelivery
	}
	until, waits := n.index.expiryOf(agent, p)
	if !waits {
		until = at.Add(n.opts.Lives.Delivery)
	}
	if !n.now().Before(until) {
		return nil
	}
	c := n.agentCell(agent)
	defer c.unpin()
	_, _, err := propose(ctx, c, ackDelivery{position: p, at: at, until: until}, nil)
	return err
}
