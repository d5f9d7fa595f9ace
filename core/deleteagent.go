package core

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.uber.org/zap"
)

// DeleteAgent removes an agent for good: its key, its sessions and its tokens are dead and its handle is free at once; then
// its connections end and it leaves every room. What it said stays. Whatever of that a crash or a full disk prevents is
// done later, by this node, another one or the next start, and DeleteAgent succeeds all the same. Errors: [ErrNoAgent],
// [ErrPerson].
func (n *Node) DeleteAgent(ctx context.Context, agent string) error {
	if _, _, err := propose(ctx, n.directory, deleteAgent{id: agent, by: actorOf(ctx)}, nil); err != nil {
		return err
	}
	n.endDeparture(ctx, agent)
	return nil
}

// deleteAgent removes an agent from the directory.
type deleteAgent struct{ id, by string }

func (c deleteAgent) decide(d *Directory, _ Env) ([]Payload, struct{}, error) {
	switch {
	case d.Agents[c.id] == nil:
		return nil, struct{}{}, ErrNoAgent
	case d.isPerson(c.id):
		return nil, struct{}{}, ErrPerson
	}
	return []Payload{&AgentDeletedEvent{ID: c.id, By: c.by}}, struct{}{}, nil
}

// endAgent closes the connections of a deleted agent and ends its stream: nothing can be opened for it from then on.
type endAgent struct{}

func (endAgent) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if a.Ended {
		return nil, struct{}{}, nil
	}
	var events []Payload
	for _, id := range sortedKeys(a.Connections) {
		events = append(events, &ConnectionClosedEvent{ID: id, Generation: a.Connections[id].Generation, Reason: CauseDeleted})
	}
	return append(events, &AgentEndedEvent{}), struct{}{}, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// departed are deleted agents that may still be a member of a room or hold a connection.
type departed struct {
	mu  sync.Mutex
	ids map[string]struct{}
}

func (d *departed) add(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	set(&d.ids, id, struct{}{})
}

func (d *departed) list() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sortedKeys(d.ids)
}

// remove takes an agent off the list. That comes before its departure is finished, so that a membership which comes to be
// meanwhile puts it back.
func (d *departed) remove(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.ids, id)
}

// findDeparted lists the deleted agents that are not gone everywhere, after a start.
func (n *Node) findDeparted() {
	var deleted []string
	n.directory.view(func(d *Directory) { deleted = sortedKeys(d.Deleted) })
	for _, id := range deleted {
		if n.index.lingers(id) {
			n.departed.add(id)
		}
	}
}

// noteDeparted lists the agents that a batch deleted, or made members although they were deleted before: a room's
// commands are decided without a look at the directory. The tail calls it after the batch is in the index.
func (n *Node) noteDeparted(batch []Recorded, changes []memberChange) {
	for i := range batch {
		if e, ok := batch[i].Payload.(*AgentDeletedEvent); ok {
			n.departed.add(e.ID)
		}
	}
	for _, c := range changes {
		n.directory.view(func(d *Directory) {
			if _, deleted := d.Deleted[c.agent]; deleted && c.span.To == 0 {
				n.departed.add(c.agent)
			}
		})
	}
}

// endDeparted finishes the departure of every agent that is listed.
func (n *Node) endDeparted(ctx context.Context) {
	for _, id := range n.departed.list() {
		n.endDeparture(ctx, id)
	}
}

// endDeparture finishes one, or leaves it on the list.
func (n *Node) endDeparture(ctx context.Context, agent string) {
	n.departed.remove(agent)
	if !n.index.lingers(agent) {
		return
	}
	if err := n.depart(ctx, agent); err != nil {
		n.departed.add(agent)
		if ctx.Err() == nil && !unwritable(err) {
			n.zap.Warn("deleted agent is not gone everywhere yet", zap.String("agent", agent), zap.Error(err))
		}
	}
}

// depart ends the agent's connections and then its memberships, as many as it can.
func (n *Node) depart(ctx context.Context, agent string) error {
	cell := n.agentCell(agent)
	defer cell.unpin()
	if _, _, err := propose(ctx, cell, endAgent{}, nil); err != nil {
		return err
	}
	var failed error
	for _, room := range n.index.roomsOf(agent) {
		_, _, err := onRoom(ctx, n, room.ID, LeaveRoom{Agent: agent}, nil)
		failed = errors.Join(failed, err)
	}
	return failed
}

// lingers tells whether a deleted agent's stream has not ended, or it is a member somewhere.
func (x *index) lingers(agent string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if entry := x.s.Agents[agent]; entry == nil || !entry.State.Ended {
		return true
	}
	for _, spans := range x.s.Members[agent] {
		if spans[len(spans)-1].To == 0 {
			return true
		}
	}
	return false
}

// forgetTokens drops the sessions and room tokens of an agent. They opened nothing any more since it was deleted.
func (x *index) forgetTokens(agent string, state *AgentState) {
	for _, t := range state.Tokens {
		delete(x.byRoomToken, t.Hash)
	}
	maps.DeleteFunc(x.s.Sessions, func(_ string, s session) bool { return s.Agent == agent })
}
