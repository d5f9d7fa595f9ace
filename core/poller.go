package core

import (
	"context"
	"errors"
)

// ErrPollerMoved: somebody else was handed the same events, or their successors.
var ErrPollerMoved = errors.New("another request of this poller was faster")

// movePoller moves a poller's cursor, if it still is where the caller began to read.
type movePoller struct {
	name     string
	from, to Position
}

func (c movePoller) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if a.Ended {
		return nil, struct{}{}, ErrNoAgent
	}
	if a.Pollers[c.name] != c.from {
		return nil, struct{}{}, ErrPollerMoved
	}
	return []Payload{&PollerMovedEvent{Poller: c.name, Position: c.to}}, struct{}{}, nil
}

// PollerAt is the position up to which a poller of an agent was handed events, 0 for one that is new.
func (n *Node) PollerAt(agent, name string) Position {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	if entry := n.index.s.Agents[agent]; entry != nil {
		return entry.State.Pollers[name]
	}
	return 0
}

// MovePoller records that a poller is handed what lies between two positions. When it returns nil the record is durable,
// and whoever read from the same place is refused: each event goes out once. Errors: [ErrPollerMoved],
// [ErrNoAgent] when the agent is gone.
func (n *Node) MovePoller(ctx context.Context, agent, name string, from, to Position) error {
	cell := n.agentCell(agent)
	defer cell.unpin()
	_, _, err := propose(ctx, cell, movePoller{name: name, from: from, to: to}, nil)
	return err
}

// NewMemberReader follows one room strictly after a position and only while the agent is a member of it.
func (n *Node) NewMemberReader(agent, room string, after Position) *Reader {
	r := n.newReader(agent, after)
	r.only = room
	n.hub.watch(agent, r)
	for _, span := range n.index.spans(agent)[room] {
		r.setSpan(room, span)
	}
	return r
}
