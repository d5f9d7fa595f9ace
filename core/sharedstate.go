package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/internal/typedjson"
)

// Bounds of the shared state of a room.
const (
	// MaxSharedBytes bounds it, in bytes of its text as typed JSON.
	MaxSharedBytes = 256 << 10
	// maxSharedDepth is how deep it may be nested, maxSharedMembers how many values it may have.
	maxSharedDepth   = typedjson.DefaultDepth
	maxSharedMembers = typedjson.DefaultMembers
)

var sharedLimits = typedjson.Limits{Bytes: MaxSharedBytes, Depth: maxSharedDepth, Members: maxSharedMembers}

// PatchState changes the shared state of a room by a merge patch (RFC 7396): null takes a key away, a plain object merges into
// what is there, anything else replaces it whole.
type PatchState struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner string
	// Patch is a plain object; an empty one changes nothing.
	Patch typedjson.Value
	// Reserved are keys that no member may write, as a door shows what the room itself knows under them.
	Reserved []string
}

// ReplaceState puts another shared state in the place of the old one. As after a patch, no key of a plain object is null in it:
// those that are given so are left out.
type ReplaceState struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner string
	// State is a plain object; one that is there already changes nothing.
	State typedjson.Value
	// Reserved are keys that no member may write.
	Reserved []string
}

// StateSet is the answer to a change of the shared state.
type StateSet struct {
	// Changed tells that there was something to change.
	Changed bool `json:"changed"`
	// Bytes is how long the shared state is now, of at most MaxSharedBytes.
	Bytes int `json:"bytes"`
}

func (c PatchState) decide(r *Room, _ Env) ([]Payload, StateSet, error) {
	if err := firstError(r.sharedBy(c.Actor, c.Owner), checkShared("patch", c.Patch, c.Reserved)); err != nil {
		return nil, StateSet{}, err
	}
	if len(c.Patch.Members) == 0 {
		return nil, StateSet{Bytes: sharedBytes(r.SharedState())}, nil
	}
	state := typedjson.Merge(r.SharedState(), c.Patch)
	if err := checkValue("patch", state, sharedLimits); err != nil {
		return nil, StateSet{}, err
	}
	return []Payload{&StatePatchedEvent{
		SharedFacts: SharedFacts{Actor: c.Actor}, StatePatchTexts: StatePatchTexts{Patch: c.Patch},
	}}, StateSet{Changed: true, Bytes: sharedBytes(state)}, nil
}

func (c ReplaceState) decide(r *Room, _ Env) ([]Payload, StateSet, error) {
	if err := firstError(r.sharedBy(c.Actor, c.Owner), checkShared("state", c.State, c.Reserved)); err != nil {
		return nil, StateSet{}, err
	}
	state := typedjson.Merge(typedjson.Value{}, c.State)
	set := StateSet{Bytes: sharedBytes(state)}
	patch := typedjson.Diff(r.SharedState(), state)
	if len(patch.Members) == 0 {
		return nil, set, nil
	}
	set.Changed = true
	return []Payload{&StateReplacedEvent{
		SharedFacts: SharedFacts{Actor: c.Actor}, StateReplaceTexts: StateReplaceTexts{State: state, Patch: patch},
	}}, set, nil
}

func sharedBytes(state typedjson.Value) int { return len(state.Append(nil)) }

// sharedBy tells whether an agent may change what the members share: whoever may write the room, and the two speakers of a
// turns room, while it has not ended.
func (r *Room) sharedBy(agent, owner string) error {
	switch {
	case !r.Exists():
		return ErrNoRoom
	case r.Members[agent] == nil:
		return ErrNotMember
	case !slices.Contains(r.Sides[:], agent) && !r.writableBy(agent, owner):
		return ErrNotAllowed
	}
	return r.notEnded()
}

// checkShared checks what somebody wants to put into the shared state.
func checkShared(field string, v typedjson.Value, reserved []string) error {
	if v.Kind != typedjson.Object {
		return &InvalidError{Field: field, Reason: "must be a plain object"}
	}
	var taken []string
	for _, m := range v.Members {
		if slices.Contains(reserved, m.Key) {
			taken = append(taken, m.Key)
		}
	}
	if len(taken) > 0 {
		return &InvalidError{Field: field, Reason: fmt.Sprintf(
			"%s: under these keys the room itself tells how it stands, and nobody writes them; take another name",
			strings.Join(taken, ", "))}
	}
	return checkValue(field, v, sharedLimits)
}

// checkValue holds a value against its limits.
func checkValue(field string, v typedjson.Value, lim typedjson.Limits) error {
	switch err := v.Check(lim); {
	case err == nil:
		return nil
	case errors.Is(err, typedjson.ErrTooLarge):
		return &TooLongError{Field: field, Unit: "bytes", Max: lim.Bytes, Got: len(v.Append(nil))}
	default:
		return &InvalidError{Field: field, Reason: refusedValue(err)}
	}
}

// refusedValue says what is wrong with a value.
func refusedValue(err error) string {
	switch {
	case errors.Is(err, typedjson.ErrTooDeep):
		return fmt.Sprintf("objects and lists may lie in each other %d deep at most", maxSharedDepth)
	case errors.Is(err, typedjson.ErrTooMany):
		return fmt.Sprintf("may hold %d values at most", maxSharedMembers)
	}
	return "the keys __proto__, prototype and constructor cannot be used"
}

// PatchState changes the shared state of a room. Errors: [ErrNoRoom], [ErrNotMember], [ErrNotAllowed], *[RoomNotActiveError]
// when the room has ended, *[InvalidError] for a reserved key and for what the state cannot hold, *[TooLongError] when the
// state would be too long.
func (n *Node) PatchState(ctx context.Context, room string, cmd PatchState, key *Key) (StateSet, Placed, error) {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return onShared(ctx, n, room, cmd, key)
}

// ReplaceState puts another shared state in the place of the old one. Errors: those of [Node.PatchState].
func (n *Node) ReplaceState(ctx context.Context, room string, cmd ReplaceState, key *Key) (StateSet, Placed, error) {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return onShared(ctx, n, room, cmd, key)
}

// onShared is onRoom for a room that there is, after time took effect on it.
func onShared[R any](ctx context.Context, n *Node, room string, cmd command[*Room, R], key *Key) (R, Placed, error) {
	var zero R
	if _, ok := n.index.summary(room); !ok {
		return zero, Placed{}, ErrNoRoom
	}
	if err := n.expireFirst(ctx, room); err != nil {
		return zero, Placed{}, err
	}
	return onRoom(ctx, n, room, cmd, key)
}
