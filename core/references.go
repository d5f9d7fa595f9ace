package core

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of references.
const (
	// MaxReferences is how many references an owner may have, MaxRoomReferences how many a room may show.
	MaxReferences     = 1000
	MaxRoomReferences = 64
)

// CreateReference makes a pointer to something outside, which belongs to the owner of the agent that makes it.
type CreateReference struct {
	// Agent makes it.
	Agent string
	// Reference is what to make. Type is one of [ReferenceTypes]; both visibilities default to "private". ID, Owner and
	// CreatedAt are set by the node.
	Reference Reference
}

// AttachReference shows a reference in a room. Attaching it again changes nothing.
type AttachReference struct {
	// Actor must be allowed to write the room, and its owner to read the reference.
	Actor, Reference string
	// owner is the actor's, set by the node.
	owner string
}

// errOwnerNeeded: an agent without an owner has public rights only.
func errOwnerNeeded() error {
	return &InvalidError{Field: "agent", Reason: "must have an owner to use references: an agent without one owns nothing"}
}

// CreateReference makes a reference. With an idempotency key its id is derived from the key, so that a repeated command
// meets the reference that the first one made. Errors: *[InvalidError] for an agent without owner, an unknown type, a bad
// value, a bad pair of visibilities, and one reference too many; *[TooLongError]; [ErrKeyReused].
func (n *Node) CreateReference(ctx context.Context, cmd CreateReference, key *Key) (Reference, error) {
	ref := cmd.Reference
	if ref.Owner = n.ownerOf(cmd.Agent); ref.Owner == "" {
		return Reference{}, errOwnerNeeded()
	}
	var err error
	if ref.ID, err = n.directoryID(ReferencePrefix, key); err != nil {
		return Reference{}, err
	}
	made, _, err := propose(ctx, n.directory, addReference{ref}, nil)
	return made, err
}

// AttachReference shows a reference in a room. Errors: [ErrNoRoom]; *[InvalidError] for an agent without owner, an unknown
// reference and one too many; [ErrNotAllowed] when the agent may not write the room or its owner not read the reference;
// *[RoomNotActiveError].
func (n *Node) AttachReference(ctx context.Context, room string, cmd AttachReference, key *Key) error {
	if _, ok := n.Room(room); !ok {
		return ErrNoRoom
	}
	cmd.owner = n.ownerOf(cmd.Actor)
	if err := n.readableReferences("reference_id", cmd.owner, cmd.Reference); err != nil {
		return err
	}
	if err := n.expireFirst(ctx, room); err != nil {
		return err
	}
	_, _, err := onRoom(ctx, n, room, cmd, key)
	return err
}

// readableReferences makes sure that references exist and that an owner may read them.
func (n *Node) readableReferences(field, owner string, ids ...string) (err error) {
	if owner == "" {
		return errOwnerNeeded()
	}
	n.directory.view(func(d *Directory) {
		for _, id := range ids {
			ref := d.References[id]
			if ref == nil {
				err = &InvalidError{Field: field, Reason: fmt.Sprintf("there is no reference %.300q", id)}
				return
			}
			if ref.Owner != owner && ref.ReadVisibility != "public" {
				err = &NotAllowedError{Reason: fmt.Sprintf("reference %.300q is private to its owner", id)}
				return
			}
		}
	})
	return err
}

// checkPlace makes sure that what a new room refers to in the directory is there: its group and its references.
func (n *Node) checkPlace(cmd CreateRoom) error {
	if id := cmd.Facts.Group; id != "" {
		if _, ok := n.Group(id); !ok {
			return &InvalidError{Field: "group", Reason: fmt.Sprintf("there is no group %.300q", id)}
		}
	}
	if len(cmd.References) == 0 {
		return nil
	}
	return n.readableReferences("reference_ids", cmd.Facts.Owner, cmd.References...)
}

// References returns references by their ids, in the order given. One that this node has not heard of yet is left out.
func (n *Node) References(ids []string) (out []Reference) {
	n.directory.view(func(d *Directory) {
		for _, id := range ids {
			if ref := d.References[id]; ref != nil {
				out = append(out, *ref)
			}
		}
	})
	return out
}

// addReference is the command of the directory.
type addReference struct{ ref Reference }

func (c addReference) decide(d *Directory, env Env) ([]Payload, Reference, error) {
	ref := c.ref
	setDefault(&ref.ReadVisibility, "private")
	setDefault(&ref.WriteVisibility, "private")
	var err error
	if ref.Value, err = ReferenceValue(ref.Type, ref.Value); err != nil {
		return nil, Reference{}, err
	}
	err = firstError(
		checkName("name", ref.Name),
		checkBytes("description", ref.Description, MaxEntryDescriptionBytes),
		checkBytes("instructions", ref.Instructions, MaxEntryInstructionsBytes),
		checkVisibility(ref.ReadVisibility, ref.WriteVisibility),
	)
	if err != nil {
		return nil, Reference{}, err
	}
	if old := d.References[ref.ID]; old != nil {
		if !ref.asks(old) {
			return nil, Reference{}, ErrKeyReused
		}
		return nil, *old, nil
	}
	owned := 0
	for _, other := range d.References {
		if other.Owner == ref.Owner {
			owned++
		}
	}
	if owned >= MaxReferences {
		return nil, Reference{}, full("reference", "references of this owner", MaxReferences)
	}
	ref.CreatedAt = env.Now
	return []Payload{&ReferenceCreatedEvent{Reference: ref}}, ref, nil
}

// asks tells whether a reference to be made is one that was made.
func (r *Reference) asks(made *Reference) bool {
	return r.Type == made.Type && r.Owner == made.Owner && r.Name == made.Name && r.Description == made.Description &&
		r.Instructions == made.Instructions && r.ReadVisibility == made.ReadVisibility &&
		r.WriteVisibility == made.WriteVisibility && bytes.Equal(r.Value, made.Value)
}

func (c AttachReference) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	switch {
	case !r.Exists():
		return nil, struct{}{}, ErrNoRoom
	case !r.writableBy(c.Actor, c.owner):
		return nil, struct{}{}, ErrNotAllowed
	case slices.Contains(r.References, c.Reference):
		return nil, struct{}{}, nil
	case len(r.References) >= MaxRoomReferences:
		return nil, struct{}{}, full("reference_id", "references in this room", MaxRoomReferences)
	}
	if err := r.notEnded(); err != nil {
		return nil, struct{}{}, err
	}
	return []Payload{&ReferenceAttachedEvent{Reference: c.Reference, Actor: c.Actor}}, struct{}{}, nil
}

// attached are the events that show references in a new room, each once.
func attached(actor string, ids []string) (events []Payload, err error) {
	seen := map[string]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			events = append(events, &ReferenceAttachedEvent{Reference: id, Actor: actor})
		}
	}
	if len(events) > MaxRoomReferences {
		return nil, &InvalidError{
			Field: "reference_ids", Reason: fmt.Sprintf("a room may show %d references at most", MaxRoomReferences),
		}
	}
	return events, nil
}

// ReferenceTypes are the kinds of thing outside that a reference can point at.
func ReferenceTypes() []string { return []string{"google_drive", "confluence", "github", "jira"} }

func checkReferenceType(name string) error {
	if !slices.Contains(ReferenceTypes(), name) {
		return &InvalidError{Field: "type", Reason: "must be one of " + strings.Join(ReferenceTypes(), ", ")}
	}
	return nil
}
