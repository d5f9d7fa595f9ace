package operations

import (
	"context"
	"strings"

	"stele/core"
	"stele/internal/typedjson"
)

type getRoomStateArgs struct {
	RoomID *string `op:"room_id,default=null"`
}

type setRoomStateArgs struct {
	Patch  objectValue `op:"patch"`
	RoomID *string     `op:"room_id,default=null"`
}

type replaceRoomStateArgs struct {
	State  objectValue `op:"state"`
	RoomID *string     `op:"room_id,default=null"`
}

// RoomStateSet is the answer to what changes the shared state of a room.
type RoomStateSet struct {
	RoomID string `json:"room_id"`
	// Changed tells whether there was something to change.
	Changed bool `json:"changed"`
	// Bytes is how long the state is now, of at most core.MaxSharedBytes.
	Bytes int `json:"bytes"`
}

// ofRoom begins the descriptions of room_id.
const ofRoom = "room_id names the room, one of yours; without it, it is the current room. "

func getRoomState() *operation {
	return define("get_room_state",
		"Read the shared state of a room: one JSON object that all its members read and write, for what should be known now "+
			"rather than said (a status, a plan, a result). Clients that watch the room live see it change. "+ofRoom+
			"Returns the object, {} when nobody put anything in.",
		func(ctx context.Context, r *Registry, c Caller, a getRoomStateArgs) (any, error) {
			room, err := r.roomOr(c, a.RoomID)
			if err != nil {
				return nil, err
			}
			out := Typed{}
			if err := r.node.ViewRoom(ctx, room, func(v *core.Room) { out.Value = v.SharedState() }); err != nil {
				return nil, err
			}
			return out, nil
		})
}

func setRoomState() *operation {
	return define("set_room_state",
		"Change the shared state of a room (see get_room_state) by a merge patch: patch is an object; each key in it is set, a "+
			"key whose value is null is removed, an object is merged into the object that is there, and anything else, lists "+
			"too, replaces what was there. Keys that you leave out stay as they are, so that several members can each keep "+
			"their own. "+ofRoom+"You must be allowed to change the room. The whole state has at most 256 KiB. These keys "+
			"belong to the room itself and cannot be set: "+strings.Join(RoomKeys(), ", ")+". Returns room_id, changed (false "+
			"for an empty patch) and bytes, the size of the state now.",
		func(ctx context.Context, r *Registry, c Caller, a setRoomStateArgs) (any, error) {
			room, patch, err := r.stateArguments(c, a.RoomID, "patch", a.Patch)
			if err != nil {
				return nil, err
			}
			set, _, err := r.node.PatchState(ctx, room, core.PatchState{Actor: c.Agent, Patch: patch, Reserved: RoomKeys()}, c.Key)
			if err != nil {
				return nil, err
			}
			return RoomStateSet{RoomID: room, Changed: set.Changed, Bytes: set.Bytes}, nil
		})
}

func replaceRoomState() *operation {
	return define("replace_room_state",
		"Replace the whole shared state of a room (see get_room_state) by another object, state. What other members keep there "+
			"is gone: to change a part, use set_room_state. A key whose value is null is left out. "+ofRoom+"You must be "+
			"allowed to change the room. The state has at most 256 KiB, and the keys that belong to the room itself (see "+
			"set_room_state) cannot be in it. Returns room_id, changed (false when the state was the same) and bytes, its size.",
		func(ctx context.Context, r *Registry, c Caller, a replaceRoomStateArgs) (any, error) {
			room, state, err := r.stateArguments(c, a.RoomID, "state", a.State)
			if err != nil {
				return nil, err
			}
			set, _, err := r.node.ReplaceState(ctx, room, core.ReplaceState{Actor: c.Agent, State: state, Reserved: RoomKeys()}, c.Key)
			if err != nil {
				return nil, err
			}
			return RoomStateSet{RoomID: room, Changed: set.Changed, Bytes: set.Bytes}, nil
		})
}

// stateArguments are the room and the plain object that a change of state is about.
func (r *Registry) stateArguments(c Caller, id *string, name string, raw []byte) (string, typedjson.Value, error) {
	v, err := c.typedArgument(name, raw)
	if err == nil && v.Kind != typedjson.Object {
		err = &ArgumentError{Names: []string{name}, Reason: `argument "` + name + `" must be an object`}
	}
	if err != nil {
		return "", typedjson.Value{}, err
	}
	room, err := r.roomOr(c, id)
	return room, v, err
}

type emitEventArgs struct {
	Type    string   `op:"type"`
	Payload anyValue `op:"payload,default=null"`
	RoomID  *string  `op:"room_id,default=null"`
}

// EventEmitted is the answer to emit_event.
type EventEmitted struct {
	RoomID string `json:"room_id"`
	// Version is the event's place among those of the room.
	Version uint64 `json:"version"`
}

func emitEvent() *operation {
	return define("emit_event",
		"Tell whoever follows a room's events something that is no message: how far you have come, that a step is done, a piece "+
			"of a result. Nobody is addressed or woken by it, and it does not show in the conversation; use post_message for "+
			"what others should read. type names the kind of event in 1 to 128 letters, digits and any of \"._:/-\", such as "+
			"\"progress\"; payload is any JSON, at most 64 KiB, or left out. "+ofRoom+"Returns room_id and version, the event's "+
			"number in the room.",
		func(ctx context.Context, r *Registry, c Caller, a emitEventArgs) (any, error) {
			payload, err := c.typedArgument("payload", a.Payload)
			if err != nil {
				return nil, err
			}
			room, err := r.roomOr(c, a.RoomID)
			if err != nil {
				return nil, err
			}
			placed, err := r.node.EmitEvent(ctx, room, core.EmitEvent{Actor: c.Agent, Type: a.Type, Payload: payload}, c.Key)
			if err != nil {
				return nil, err
			}
			return EventEmitted{RoomID: room, Version: placed.Version}, nil
		})
}
