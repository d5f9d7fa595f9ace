package core

import (
	"context"
	"slices"
)

// LeaveRoom ends an agent's membership. Leaving a room that one is not in succeeds and changes nothing. A turns room
// cannot go on without one of its two speakers, so it closes before the speaker is gone.
type LeaveRoom struct{ Agent string }

func (c LeaveRoom) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if !r.Exists() {
		return nil, struct{}{}, ErrNoRoom
	}
	if r.Members[c.Agent] == nil {
		return nil, struct{}{}, nil
	}
	var events []Payload
	if r.Floor == FloorTurns && slices.Contains(r.Sides[:], c.Agent) && (r.State == StateOpen || r.State == StateActive) {
		events = closing(r, c.Agent, ClosedByMember)
	}
	return append(events, &MemberLeftEvent{Agent: c.Agent}), struct{}{}, nil
}

// LeaveRoom ends an agent's membership, and then its connections' claims on the room. Errors: [ErrNoRoom].
func (n *Node) LeaveRoom(ctx context.Context, room string, cmd LeaveRoom) error {
	if err := n.expireFirst(ctx, room); err != nil {
		return err
	}
	if _, _, err := onRoom(ctx, n, room, cmd, nil); err != nil {
		return err
	}
	cell := n.agentCell(cmd.Agent)
	defer cell.unpin()
	_, _, err := propose(ctx, cell, releaseEverywhere{room: room}, nil)
	return err
}

// releaseEverywhere drops the claims of all connections of an agent on a room.
type releaseEverywhere struct{ room string }

func (c releaseEverywhere) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	var events []Payload
	for _, id := range sortedKeys(a.Connections) {
		if conn := a.Connections[id]; conn.Holds(c.room) {
			left := slices.DeleteFunc(slices.Clone(conn.Rooms), func(r string) bool { return r == c.room })
			events = append(events, &ConnectionSubscribedEvent{ID: id, Rooms: left})
		}
	}
	return events, struct{}{}, nil
}
