package operations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"stele/core"
)

// Caller is who calls an operation and where from.
type Caller struct {
	// Agent is the acting agent's id.
	Agent string
	// Room, if set, is the current room, whatever connection there is: a socket that is bound to one room.
	Room string
	// Bound: the credential opens Room and no other, so a room_id that names another one is refused.
	Bound bool
	// Typed: arguments that may be any value are typed JSON (see internal/typedjson). Otherwise all JSON stands for itself.
	Typed bool
	// Connection, if set, is the caller's live connection.
	Connection *core.Connection
	// Key, if set, makes a writing operation idempotent.
	Key *core.Key
}

// Refusals that concern the caller's place. Compare with errors.Is.
var (
	// ErrNotConnected: the operation needs a current room and there is none.
	//
	//lint:ignore ST1005 The text is shown to agents as it stands (Switch protocol: the current room).
	ErrNotConnected = errors.New("Not connected to a room. Call connect_to_room first.")
	// ErrSeveralRooms: the connection has claimed more than one room.
	ErrSeveralRooms = errors.New("this connection has claimed several rooms: use a single-room connection for this operation")
	// ErrNoConnection: the operation needs a live connection.
	ErrNoConnection = errors.New("this operation needs an open connection: open the event stream and send its id with the call")
	// ErrOtherRoom: the caller's credential opens one room, and the call names another.
	ErrOtherRoom = errors.New("this credential opens its own room only: leave room_id out")
)

// UnknownOperationError: there is no operation of that name.
type UnknownOperationError struct {
	Name  string
	Known []string
}

func (e *UnknownOperationError) Error() string {
	return fmt.Sprintf("unknown operation %q; known operations: %s", e.Name, strings.Join(e.Known, ", "))
}

// Description is what a client learns about an operation.
type Description struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments.
	Schema json.RawMessage
	// Params are the parameters in declared order.
	Params []Param
	// RoomScoped operations act on the current room and nothing else, or heed Caller.Bound, so a credential for one room
	// may call them.
	RoomScoped bool
	// ArgumentBytes is the length of the largest arguments that it takes, as a JSON object. Default
	// DefaultArgumentBytes.
	ArgumentBytes int
	// Extension: it is none of the operations that the Switch protocol lists. Those stand first, in its order.
	Extension bool
}

// DefaultArgumentBytes is how long the arguments of most operations may be.
const DefaultArgumentBytes = 1 << 20

// Registry holds the operations of a node. It does not change after New and is safe for concurrent use.
type Registry struct {
	node   *core.Node
	order  []string
	byName map[string]*operation
}

// operation is one entry.
type operation struct {
	Description
	call func(ctx context.Context, r *Registry, c Caller, args map[string]json.RawMessage) (any, error)
}

// define makes an entry from a typed handler.
func define[A any](name, description string, handler func(context.Context, *Registry, Caller, A) (any, error)) *operation {
	params := paramsOf[A]()
	op := &operation{Description: Description{
		Name: name, Description: description, Schema: schemaOf(params), Params: params, ArgumentBytes: DefaultArgumentBytes,
	}}
	op.call = func(ctx context.Context, r *Registry, c Caller, args map[string]json.RawMessage) (any, error) {
		var a A
		if err := bind(&a, params, args, op.ArgumentBytes); err != nil {
			return nil, err
		}
		return handler(ctx, r, c, a)
	}
	return op
}

// inRoom marks an operation that acts on the current room only.
func (op *operation) inRoom() *operation {
	op.RoomScoped = true
	return op
}

// taking lets the arguments of an operation be longer than those of most.
func (op *operation) taking(bytes int) *operation {
	op.ArgumentBytes = bytes
	return op
}

// beyond marks an operation that the Switch protocol does not know.
func (op *operation) beyond() *operation {
	op.Extension = true
	return op
}

// New returns the operations that act on a node.
func New(node *core.Node) *Registry {
	r := &Registry{node: node, byName: map[string]*operation{}}
	for _, op := range catalog() {
		r.order = append(r.order, op.Name)
		r.byName[op.Name] = op
	}
	return r
}

// catalog lists every operation, in the order in which clients see them.
func catalog() []*operation {
	return []*operation{
		listRooms(), connectToRoom(), listReferences(), listLinkedRooms(),
		loadInternalDocuments().inRoom(), createRoomDocument().inRoom(), updateRoomDocument().inRoom(),
		deleteRoomDocument().inRoom(),
		readContext().inRoom(), listParticipants().inRoom(), postMessage().inRoom(),
		sendTargetedMessage().inRoom(), delegateTask().inRoom(), acceptTask().inRoom(), updateTask().inRoom(),
		finaliseTask().inRoom(), cancelTask().inRoom(), listTasks().inRoom(), createRoom(),
		listRoles().inRoom(), getRoleDetail(), defineRole().inRoom(), editRole().inRoom(), deleteRole().inRoom(),
		assumeRole(), releaseRole(),
		listReferenceTypes(), createReference(), attachReferenceToRoom(),
		linkRooms(), unlinkRooms(),
		listBridges(), inviteAgentToRoom(), addUsersToRoom(), listAllRooms(),
		listRoomGroups(), createRoomGroup(), getRoomGroupDetail(),
		listAgents(), getAgentDetail(), updateAgentDetail(), getRoomDetail(),
		updateRoom(), archiveRoom(), unarchiveRoom(),
		getRoomState().inRoom().beyond(), setRoomState().inRoom().beyond(), replaceRoomState().inRoom().beyond(),
		emitEvent().inRoom().beyond(), translateCursor().inRoom().beyond(),
		createListing().beyond(), searchListings().beyond(), connectToListing().beyond(), getTurn().inRoom().beyond(),
		publishListing().beyond(), withdrawListing().beyond(),
	}
}

// Catalog describes every operation without a node to run them on.
func Catalog() []Description { return New(nil).List() }

// List describes every operation, in catalog order.
func (r *Registry) List() []Description {
	out := make([]Description, len(r.order))
	for i, name := range r.order {
		out[i] = r.byName[name].Description
	}
	return out
}

// Lookup finds an operation by its exact name.
func (r *Registry) Lookup(name string) (Description, bool) {
	op, ok := r.byName[name]
	if !ok {
		return Description{}, false
	}
	return op.Description, true
}

// Call runs an operation. args are the arguments by name. Errors: *[UnknownOperationError], *[ArgumentError],
// [ErrNotConnected], [ErrSeveralRooms], [ErrNoConnection], and the core's.
func (r *Registry) Call(ctx context.Context, name string, c Caller, args map[string]json.RawMessage) (any, error) {
	op, ok := r.byName[name]
	if !ok {
		return nil, &UnknownOperationError{Name: name, Known: r.order}
	}
	return op.call(ctx, r, c, args)
}

// currentRoom is the room that an operation without a room argument acts on. The caller must be a member.
func (r *Registry) currentRoom(c Caller) (string, error) {
	room, err := c.room()
	if err != nil {
		return "", err
	}
	if !r.node.IsMember(c.Agent, room) {
		return "", core.ErrNotMember
	}
	return room, nil
}

// roomOr is the room that an optional room_id means: the current one when it is left out. The caller must be a member.
func (r *Registry) roomOr(c Caller, id *string) (string, error) {
	switch {
	case id == nil:
		return r.currentRoom(c)
	case c.Bound && *id != c.Room:
		return "", ErrOtherRoom
	}
	return *id, r.checkMember(c.Agent, *id)
}

func (c Caller) room() (string, error) {
	switch {
	case c.Room != "":
		return c.Room, nil
	case c.Connection == nil, len(c.Connection.Rooms) == 0:
		return "", ErrNotConnected
	case len(c.Connection.Rooms) > 1:
		return "", ErrSeveralRooms
	}
	return c.Connection.Rooms[0], nil
}
