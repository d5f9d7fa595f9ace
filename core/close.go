package core

import "slices"

// CloseRoom ends a room for good. Closing a closed room succeeds and changes nothing. Either side may close a turns room;
// an open-floor one, whoever may write it.
type CloseRoom struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner string
}

// RoomEnded is the answer to CloseRoom and ExpireRoom.
type RoomEnded struct {
	State RoomState `json:"state"`
}

func (c CloseRoom) decide(r *Room, _ Env) ([]Payload, RoomEnded, error) {
	switch {
	case !r.Exists():
		return nil, RoomEnded{}, ErrNoRoom
	case r.Members[c.Actor] == nil:
		return nil, RoomEnded{}, ErrNotMember
	case r.State == StateClosed:
		return nil, RoomEnded{State: StateClosed}, nil
	case r.State == StatePurged:
		return nil, RoomEnded{}, &RoomNotActiveError{Room: r.ID, State: r.State}
	case !slices.Contains(r.Sides[:], c.Actor) && !r.writableBy(c.Actor, c.Owner):
		return nil, RoomEnded{}, ErrNotAllowed
	}
	return closing(r, c.Actor, ClosedByMember), RoomEnded{State: StateClosed}, nil
}

// ExpireRoom closes the room if its time to live has passed, and does nothing otherwise.
type ExpireRoom struct{}

func (ExpireRoom) decide(r *Room, env Env) ([]Payload, RoomEnded, error) {
	if !r.Expired(env.Now) {
		return nil, RoomEnded{State: r.State}, nil
	}
	return closing(r, "", ClosedByTTL), RoomEnded{State: StateClosed}, nil
}

// writableBy tells whether an agent may change the room (Switch protocol: ownership, visibility).
func (r *Room) writableBy(agent, owner string) bool {
	return r.WriteVisibility == "public" || agent == r.Creator || owner != "" && owner == r.Owner
}

func closing(r *Room, actor string, reason CloseReason) []Payload {
	return []Payload{
		&RoomStateChangedEvent{From: r.State, To: StateClosed, Actor: actor},
		&RoomClosedEvent{Reason: reason, Actor: actor},
	}
}
