package core

import (
	"context"
	"fmt"
)

// DefineRole gives a room a role that its members can take.
type DefineRole struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner string
	// Name is what follows "@" to reach whoever holds the role: no white space, no "@", and no other name in the room.
	Name         string
	Instructions string
	Exclusive    bool
}

func (c DefineRole) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if err := firstError(r.changeableBy(c.Actor, c.Owner), r.notEnded()); err != nil {
		return nil, struct{}{}, err
	}
	if len(r.Roles) >= MaxRoles {
		return nil, struct{}{}, full("name", "roles", MaxRoles)
	}
	err := firstError(
		r.names(nil).addRole("name", c.Name), checkBytes("instructions", c.Instructions, MaxRoomInstructionsBytes),
	)
	if err != nil {
		return nil, struct{}{}, err
	}
	return []Payload{&RoleDefinedEvent{
		RoleFacts: RoleFacts{Role: c.Name, Exclusive: c.Exclusive, Actor: c.Actor},
		RoleTexts: RoleTexts{Instructions: c.Instructions},
	}}, struct{}{}, nil
}

// EditRole changes a role; a field that is nil stays as it is. Whoever holds the role goes on with what it was given,
// also when it becomes exclusive while several hold it.
type EditRole struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner        string
	Name         string
	Instructions *string
	Exclusive    *bool
}

func (c EditRole) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if err := firstError(r.changeableBy(c.Actor, c.Owner), r.notEnded()); err != nil {
		return nil, struct{}{}, err
	}
	role, ok := r.RoleOf(c.Name)
	if !ok {
		return nil, struct{}{}, noRole("name", c.Name)
	}
	e := &RoleEditedEvent{RoleEditFacts: RoleEditFacts{Role: c.Name, Actor: c.Actor}}
	e.Exclusive = changed(role.Exclusive, c.Exclusive)
	e.Instructions = changed(role.Instructions, c.Instructions)
	if e.Exclusive == nil && e.Instructions == nil {
		return nil, struct{}{}, nil
	}
	if e.Instructions != nil {
		if err := checkBytes("instructions", *e.Instructions, MaxRoomInstructionsBytes); err != nil {
			return nil, struct{}{}, err
		}
	}
	return []Payload{e}, struct{}{}, nil
}

// changed returns the value that something is to get, nil if it has it or is to stay.
func changed[T comparable](old T, to *T) *T {
	if to != nil && *to == old {
		return nil
	}
	return to
}

// DeleteRole takes a role away from a room; whoever held it holds nothing any more.
type DeleteRole struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner string
	Name  string
}

func (c DeleteRole) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if err := firstError(r.changeableBy(c.Actor, c.Owner), r.notEnded()); err != nil {
		return nil, struct{}{}, err
	}
	if _, ok := r.RoleOf(c.Name); !ok {
		return nil, struct{}{}, noRole("name", c.Name)
	}
	return []Payload{&RoleDeletedEvent{Role: c.Name, Actor: c.Actor}}, struct{}{}, nil
}

func noRole(field, name string) error {
	return &InvalidError{Field: field, Reason: fmt.Sprintf("there is no role %.300q in this room", name)}
}

// changeableBy tells whether an agent may change the room from within: it must be a member that may write it.
func (r *Room) changeableBy(agent, owner string) error {
	switch {
	case !r.Exists():
		return ErrNoRoom
	case r.Members[agent] == nil:
		return ErrNotMember
	case !r.writableBy(agent, owner):
		return ErrNotAllowed
	}
	return nil
}

// notEnded refuses what would change a room that has ended: it stays as it was.
func (r *Room) notEnded() error {
	if r.State == StateClosed || r.State == StatePurged {
		return &RoomNotActiveError{Room: r.ID, State: r.State}
	}
	return nil
}

// DefineRole gives a room a role. Errors: [ErrNoRoom], [ErrNotMember], [ErrNotAllowed], *[RoomNotActiveError] when the
// room has ended, *[InvalidError], *[TooLongError].
func (n *Node) DefineRole(ctx context.Context, room string, cmd DefineRole, key *Key) error {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return changeRoom(ctx, n, room, cmd, key)
}

// EditRole changes a role. Errors: those of [Node.DefineRole].
func (n *Node) EditRole(ctx context.Context, room string, cmd EditRole, key *Key) error {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return changeRoom(ctx, n, room, cmd, key)
}

// DeleteRole takes a role away. Errors: those of [Node.DefineRole].
func (n *Node) DeleteRole(ctx context.Context, room string, cmd DeleteRole, key *Key) error {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return changeRoom(ctx, n, room, cmd, key)
}

func (n *Node) ownerOf(agent string) string {
	a, _ := n.Agent(agent)
	return a.Owner
}

// changeRoom runs a command that answers nothing.
func changeRoom(ctx context.Context, n *Node, room string, cmd command[*Room, struct{}], key *Key) error {
	if _, ok := n.index.summary(room); !ok {
		return ErrNoRoom
	}
	if err := n.expireFirst(ctx, room); err != nil {
		return err
	}
	_, _, err := onRoom(ctx, n, room, cmd, key)
	return err
}
