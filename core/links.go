package core

import (
	"context"
	"slices"
	"strings"
)

// AddLink lets a room point to another one. Nothing is asked of the other room.
type AddLink struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner         string
	Target, Label string
}

func (c AddLink) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if err := firstError(r.linkableBy(c.Actor, c.Owner), r.notEnded()); err != nil {
		return nil, struct{}{}, err
	}
	switch {
	case c.Target == r.ID:
		return nil, struct{}{}, &InvalidError{Field: "target_room_id", Reason: "a room cannot be linked to itself"}
	case r.linksTo(c.Target):
		return nil, struct{}{}, &InvalidError{Field: "target_room_id", Reason: "the room is linked to that one already"}
	case len(r.Links) >= MaxLinks:
		return nil, struct{}{}, full("target_room_id", "links", MaxLinks)
	}
	if err := checkLabel("label", c.Label); err != nil {
		return nil, struct{}{}, err
	}
	return []Payload{&LinkAddedEvent{
		LinkFacts: LinkFacts{Target: c.Target, Actor: c.Actor}, LinkTexts: LinkTexts{Label: c.Label},
	}}, struct{}{}, nil
}

// RemoveLink takes a link of a room away.
type RemoveLink struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner  string
	Target string
}

func (c RemoveLink) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if err := firstError(r.linkableBy(c.Actor, c.Owner), r.notEnded()); err != nil {
		return nil, struct{}{}, err
	}
	if !r.linksTo(c.Target) {
		return nil, struct{}{}, &InvalidError{Field: "target_room_id", Reason: "the room is not linked to that one"}
	}
	return []Payload{&LinkRemovedEvent{LinkFacts{Target: c.Target, Actor: c.Actor}}}, struct{}{}, nil
}

// linkableBy tells whether an agent may change where the room points. It need not be a member.
func (r *Room) linkableBy(agent, owner string) error {
	switch {
	case !r.Exists():
		return ErrNoRoom
	case !r.writableBy(agent, owner):
		return ErrNotAllowed
	}
	return nil
}

func (r *Room) linksTo(target string) bool {
	return slices.ContainsFunc(r.Links, func(l Link) bool { return l.Target == target })
}

func checkLabel(field, label string) error {
	if strings.TrimSpace(label) == "" {
		return &InvalidError{Field: field, Reason: "a label must not be blank"}
	}
	return checkCharacters(field, label, MaxLabelCharacters)
}

// AddLink lets a room point to another one. Errors: [ErrNoRoom] for either room, [ErrNotAllowed], *[RoomNotActiveError]
// when the room has ended, *[InvalidError], *[TooLongError].
func (n *Node) AddLink(ctx context.Context, room string, cmd AddLink, key *Key) error {
	if _, ok := n.index.summary(cmd.Target); !ok {
		return ErrNoRoom
	}
	cmd.Owner = n.ownerOf(cmd.Actor)
	return changeRoom(ctx, n, room, cmd, key)
}

// RemoveLink takes a link away. Errors: [ErrNoRoom], [ErrNotAllowed], *[RoomNotActiveError] when the room has ended,
// *[InvalidError] when there is no such link.
func (n *Node) RemoveLink(ctx context.Context, room string, cmd RemoveLink, key *Key) error {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return changeRoom(ctx, n, room, cmd, key)
}
