package core

import (
	"context"
	"fmt"
	"strings"

	"stele/internal/typedjson"
)

// Bounds of emitted events.
const (
	// MaxEventTypeBytes bounds the type.
	MaxEventTypeBytes = 128
	// MaxEventBytes bounds the payload, in bytes of its text as typed JSON.
	MaxEventBytes = 64 << 10
)

var eventLimits = typedjson.Limits{Bytes: MaxEventBytes, Depth: maxSharedDepth, Members: maxSharedMembers}

// EmitEvent tells those who follow a room something that is no message, such as how far a member has come.
type EmitEvent struct {
	Actor string
	// Type has 1 to MaxEventTypeBytes letters, digits and any of "._:/-", and begins with a letter or digit.
	// No kind of event that the log knows can be taken: what looks as if the room told it is told by the room.
	Type string
	// Payload is any value; undefined says that there is none.
	Payload typedjson.Value
}

func (c EmitEvent) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	switch {
	case !r.Exists():
		return nil, struct{}{}, ErrNoRoom
	case r.Members[c.Actor] == nil:
		return nil, struct{}{}, ErrNotMember
	}
	if err := firstError(r.notEnded(), checkEventType(c.Type), checkValue("payload", c.Payload, eventLimits)); err != nil {
		return nil, struct{}{}, err
	}
	return []Payload{&EventEmittedEvent{
		SharedFacts: SharedFacts{Actor: c.Actor}, EventTexts: EventTexts{Type: c.Type, Payload: c.Payload},
	}}, struct{}{}, nil
}

func checkEventType(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	if len(name) > MaxEventTypeBytes {
		return &TooLongError{Field: "type", Unit: "bytes", Max: MaxEventTypeBytes, Got: len(name)}
	}
	if name == "" || strings.Trim(name[:1], letters) != "" || strings.Trim(name, letters+"._:/-") != "" {
		return &InvalidError{Field: "type", Reason: `must be letters, digits and any of "._:/-", and begin with a letter or digit`}
	}
	if newPayload(Kind(name)) != nil {
		return &InvalidError{Field: "type", Reason: fmt.Sprintf("%q is what the room itself tells by; take another name", name)}
	}
	return nil
}

// EmitEvent tells those who follow a room something. Errors: [ErrNoRoom], [ErrNotMember], *[RoomNotActiveError] when the room
// has ended, *[InvalidError], *[TooLongError].
func (n *Node) EmitEvent(ctx context.Context, room string, cmd EmitEvent, key *Key) (Placed, error) {
	_, placed, err := onShared(ctx, n, room, cmd, key)
	return placed, err
}
