package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// ChangeRoom changes settings of a room; a field that is nil stays as it is. A room that has ended stays as it was, but
// for being archived or not.
type ChangeRoom struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner string

	Name, Description, Instructions *string
	AdminMode                       *bool
	// Archived hides the room in lists, or shows it again; nothing else about it changes.
	Archived *bool
	// Listeners says for members whether they are told of arrivals; the others stay as they are.
	Listeners map[string]bool
	// Aliases gives members other names; an empty one takes the alias away.
	Aliases map[string]string
}

func (c ChangeRoom) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if err := r.changeableBy(c.Actor, c.Owner); err != nil {
		return nil, struct{}{}, err
	}
	e := &RoomChangedEvent{
		RoomChangeFacts: RoomChangeFacts{
			Actor: c.Actor, Name: changed(r.Name, c.Name), AdminMode: changed(r.AdminMode, c.AdminMode),
			Archived: changed(r.Archived, c.Archived),
		},
		RoomChangeTexts: RoomChangeTexts{
			Description: changed(r.Description, c.Description), Instructions: changed(r.Instructions, c.Instructions),
		},
	}
	var err error
	if e.Listeners, err = c.listeners(r); err != nil {
		return nil, struct{}{}, err
	}
	if e.Aliases, err = c.aliases(r); err != nil {
		return nil, struct{}{}, err
	}
	if err := firstError(e.checkTexts(), c.checkEnd(r, e)); err != nil {
		return nil, struct{}{}, err
	}
	if e.empty() {
		return nil, struct{}{}, nil
	}
	return []Payload{e}, struct{}{}, nil
}

// checkEnd lets nothing but the archive flag of a room that has ended change.
func (c ChangeRoom) checkEnd(r *Room, e *RoomChangedEvent) error {
	rest := *e
	rest.Archived = nil
	if rest.empty() {
		return nil
	}
	return r.notEnded()
}

// empty tells that nothing changes.
func (e *RoomChangedEvent) empty() bool {
	return e.Name == nil && e.AdminMode == nil && e.Archived == nil && e.Listeners == nil && e.Aliases == nil &&
		e.Description == nil && e.Instructions == nil
}

func (e *RoomChangedEvent) checkTexts() error {
	if e.Name != nil {
		if err := checkRoomName(*e.Name); err != nil {
			return err
		}
	}
	if e.Description != nil {
		if err := checkBytes("description", *e.Description, MaxRoomDescriptionBytes); err != nil {
			return err
		}
	}
	if e.Instructions != nil {
		return checkBytes("instructions", *e.Instructions, MaxRoomInstructionsBytes)
	}
	return nil
}

// listeners returns everybody who is told of arrivals after the change, nil if nobody's wish changes.
func (c ChangeRoom) listeners(r *Room) (*[]string, error) {
	list, any := slices.Clone(r.Listeners), false
	for _, agent := range slices.Sorted(maps.Keys(c.Listeners)) {
		if r.Members[agent] == nil {
			return nil, notInRoom("join_event_listeners", agent)
		}
		wish := c.Listeners[agent]
		if wish == slices.Contains(list, agent) {
			continue
		}
		any = true
		if wish {
			list = append(list, agent)
		} else {
			list = slices.DeleteFunc(list, func(id string) bool { return id == agent })
		}
	}
	if !any {
		return nil, nil
	}
	return &list, nil
}

// aliases returns the aliases that change. They are judged by how all would be afterwards, so two members can swap theirs.
func (c ChangeRoom) aliases(r *Room) (map[string]string, error) {
	var out map[string]string
	names := r.names(c.Aliases)
	for _, agent := range slices.Sorted(maps.Keys(c.Aliases)) {
		m, alias := r.Members[agent], c.Aliases[agent]
		if m == nil {
			return nil, notInRoom("aliases", agent)
		}
		if alias != "" {
			if err := names.addAlias(alias, m.Handle); err != nil {
				return nil, err
			}
		}
		if alias != m.Alias {
			set(&out, agent, alias)
		}
	}
	return out, nil
}

func notInRoom(field, agent string) error {
	return &InvalidError{Field: field, Reason: fmt.Sprintf("agent %.300q is not in this room", agent)}
}

// ChangeRoom changes settings of a room. Errors: [ErrNoRoom], [ErrNotMember], [ErrNotAllowed], *[RoomNotActiveError] when
// the room has ended and more than its being archived is to change, *[InvalidError], *[TooLongError].
func (n *Node) ChangeRoom(ctx context.Context, room string, cmd ChangeRoom, key *Key) error {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return changeRoom(ctx, n, room, cmd, key)
}
