package core

import (
	"errors"
	"fmt"
	"time"
)

// Refusals without fields. Compare with errors.Is.
var (
	// ErrNoRoom: there is no room with that id.
	ErrNoRoom = errors.New("no such room")
	// ErrNoAgent: there is no agent with that id or name.
	ErrNoAgent = errors.New("no such agent")
	// ErrNoListing: there is no listing with that id.
	ErrNoListing = errors.New("no such listing")
	// ErrNoMessage: there is no message with that id in that room.
	ErrNoMessage = errors.New("no such message in this room")
	// ErrNoDelivery: no delivery with that id was made for the agent.
	ErrNoDelivery = errors.New("no such delivery")
	// ErrNotMember: the agent is not a member of the room.
	ErrNotMember = errors.New("not a member of this room")
	// ErrNotAllowed: only whoever may write the room may do that.
	ErrNotAllowed = errors.New("this room may be changed by its creator and its owner's agents only")
	// ErrOwnListing: an agent cannot connect to the listing it published.
	ErrOwnListing = errors.New("cannot connect to a listing of one's own")
	// ErrListingTaken: somebody else connected to the listing.
	ErrListingTaken = errors.New("listing is connected already")
	// ErrRoomExists: a room with that id was created before.
	ErrRoomExists = errors.New("room exists already")
	// ErrNotOwner: the agent belongs to another owner, or to nobody.
	ErrNotOwner = errors.New("agent belongs to another owner")
	// ErrPerson: what is asked for is not done to the participant that a person is.
	ErrPerson = errors.New("this participant is a person, who signs in and has no key")
	// ErrNoToken: there is no registration token like that.
	ErrNoToken = errors.New("no such registration token")
	// ErrKeyReused: the idempotency key was used with another body.
	ErrKeyReused = errors.New("idempotency key was used for another request")
	// ErrDraining: the node is shutting down and takes no commands.
	ErrDraining = errors.New("gateway is shutting down")
)

// NameTakenError: an agent with that name exists.
type NameTakenError struct{ Name string }

func (e *NameTakenError) Error() string { return fmt.Sprintf("name %q is taken", e.Name) }

// NamesTakenError: agents with those names exist.
type NamesTakenError struct{ Names []string }

func (e *NamesTakenError) Error() string { return fmt.Sprintf("names %q are taken", e.Names) }

// RoomNotActiveError: the room does not take messages in its state.
type RoomNotActiveError struct {
	Room  string
	State RoomState
}

func (e *RoomNotActiveError) Error() string {
	return fmt.Sprintf("room %s is %s", e.Room, e.State)
}

// Ended tells that the room will never take messages again.
func (e *RoomNotActiveError) Ended() bool { return e.State == StateClosed || e.State == StatePurged }

// RoomExpiredError: the room's time to live has passed.
type RoomExpiredError struct {
	Room string
	At   time.Time
}

func (e *RoomExpiredError) Error() string {
	return fmt.Sprintf("room %s expired at %s", e.Room, e.At.Format(time.RFC3339))
}

// TurnMismatchError: the caller expected another turn than the room is at.
type TurnMismatchError struct {
	Expected, Turn int
	// Next is who may speak in a turns room, NextName what people call it; both are empty on an open floor.
	Next, NextName string
}

func (e *TurnMismatchError) Error() string {
	text := fmt.Sprintf("expected turn %d, the room is at turn %d", e.Expected, e.Turn)
	if e.Next != "" {
		text += ", which is that of " + e.NextName
	}
	return text
}

// NotYourTurnError: the floor belongs to somebody else.
type NotYourTurnError struct {
	// Next is the agent that may speak, NextName what people call it.
	Next, NextName string
	Turn           int
	// Watches: the caller holds neither side and never gets a turn.
	Watches bool
}

func (e *NotYourTurnError) Error() string {
	text := fmt.Sprintf("it is the turn of %s (turn %d)", e.NextName, e.Turn)
	if e.Watches {
		text += "; the two sides of this room are held by others, and you can only watch"
	}
	return text
}

// TooLongError: a text is longer than its cap.
type TooLongError struct {
	// Field names what is too long, Unit is "characters" or "bytes".
	Field, Unit string
	Max, Got    int
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s has %d %s, at most %d are accepted", e.Field, e.Got, e.Unit, e.Max)
}

// InvalidError: a value breaks a rule; Reason says which and what to do.
type InvalidError struct{ Field, Reason string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }

// NoConnectionError: the connection is unknown, another agent's, or its heartbeat lapsed.
type NoConnectionError struct{ ID string }

func (e *NoConnectionError) Error() string { return fmt.Sprintf("connection %s is not open", e.ID) }

// NoStreamError: the connection is alive but no stream is attached to it.
type NoStreamError struct{ ID string }

func (e *NoStreamError) Error() string {
	return fmt.Sprintf("connection %s has no stream attached", e.ID)
}

// ConnectionTakenError: another agent holds a connection with that id.
type ConnectionTakenError struct{ ID string }

func (e *ConnectionTakenError) Error() string {
	return fmt.Sprintf("connection %s is not open to this agent", e.ID)
}

// TooManyConnectionsError: the agent has as many connections as it may.
type TooManyConnectionsError struct{ Max int }

func (e *TooManyConnectionsError) Error() string {
	return fmt.Sprintf("the agent holds %d connections already, the limit", e.Max)
}

// RoomClaimedError: a live sibling connection holds the room.
type RoomClaimedError struct{ Room, Holder string }

func (e *RoomClaimedError) Error() string {
	return fmt.Sprintf("room %s is held by connection %s", e.Room, e.Holder)
}

// HoldsRoleError: the agent holds another role, and can hold one only.
type HoldsRoleError struct{ Role, Room string }

func (e *HoldsRoleError) Error() string {
	return fmt.Sprintf("you hold the role %q in room %s: release it first", e.Role, e.Room)
}

// RoleHeldError: somebody else holds the role, and only one can.
type RoleHeldError struct {
	Role string
	// Holder is the agent that holds it, HolderName what people call it.
	Holder, HolderName string
}

func (e *RoleHeldError) Error() string {
	return fmt.Sprintf("the role %q is exclusive and held by %s", e.Role, e.HolderName)
}
