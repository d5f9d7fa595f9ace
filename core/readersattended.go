package core

import (
	"cmp"
	"slices"
)

// Attended is how often an agent is there by one door, see [Node.Attend].
type Attended struct {
	// Room is where, empty for no room in particular.
	Room, Door string
	// Open is how many sockets and streams are open.
	Open int
}

// AttendedBy lists how an agent is there without a connection at the moment, by door and room.
func (n *Node) AttendedBy(agent string) (out []Attended) {
	a := n.attendance
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.agents[agent] == 0 {
		return nil
	}
	for s, doors := range a.doors {
		if s.agent != agent {
			continue
		}
		for door, open := range doors {
			out = append(out, Attended{Room: s.room, Door: door, Open: open})
		}
	}
	slices.SortFunc(out, func(a, b Attended) int { return cmp.Or(cmp.Compare(a.Door, b.Door), cmp.Compare(a.Room, b.Room)) })
	return out
}

// LeasesHere counts the connections with a live lease whose streams are this node's.
func (n *Node) LeasesHere() int {
	b := n.beats
	b.lock()
	defer b.mu.Unlock()
	live := 0
	// All leases are equally long, so those that have lapsed come first.
	for el := b.order.Back(); el != nil && b.age(el.Value.(*beat)) < b.ttl; el = el.Prev() {
		live++
	}
	return live
}

// SessionsOf counts the session tokens of an agent that are valid now.
func (n *Node) SessionsOf(agent string) (active int) {
	a, ok := n.Agent(agent)
	if !ok {
		return 0
	}
	now := n.now()
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	for _, s := range n.index.s.Sessions {
		if s.Agent == agent && s.Generation == a.KeyGeneration && now.Before(s.Until) {
			active++
		}
	}
	return active
}

// CallbacksWaiting counts the callbacks that wait to be sent to an agent's webhooks.
func (n *Node) CallbacksWaiting(agent string) (waiting int) {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	for _, o := range n.index.s.Outboxes {
		if o.Agent == agent {
			waiting += len(o.List)
		}
	}
	return waiting
}
