package operations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"stele/core"
	"stele/internal/strictjson"
)

// RoomResources is the answer to list_references.
type RoomResources struct {
	Resources
	LinkedRooms []LinkTarget `json:"linked_rooms"`
}

func listReferences() *operation {
	return define("list_references",
		"List what belongs to the current room beside its messages: references to material kept elsewhere, with how to "+
			"read each type of them (reference_types) and each one (instructions); documents that members wrote here, "+
			"without their contents, which load_internal_documents returns; and the rooms that this one points to.",
		func(ctx context.Context, r *Registry, c Caller, _ noArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			var references []string
			var documents []core.Document
			var links []core.Link
			if err := r.node.ViewRoom(ctx, room, func(v *core.Room) {
				references, documents, links = v.References, v.Documents, v.Links
			}); err != nil {
				return nil, err
			}
			return RoomResources{Resources: r.resources(references, documents), LinkedRooms: r.linkTargets(links)}, nil
		})
}

type createReferenceArgs struct {
	Type            string                     `op:"type"`
	Name            string                     `op:"name"`
	Description     string                     `op:"description"`
	Instructions    string                     `op:"instructions"`
	Value           map[string]json.RawMessage `op:"value"`
	ReadVisibility  string                     `op:"read_visibility,default=\"private\""`
	WriteVisibility string                     `op:"write_visibility,default=\"private\""`
}

// ReferenceCreated is the answer to create_reference.
type ReferenceCreated struct {
	ID              string `json:"id"`
	Type            string `json:"type"`
	Name            string `json:"name"`
	ReadVisibility  string `json:"read_visibility"`
	WriteVisibility string `json:"write_visibility"`
}

func createReference() *operation {
	return define("create_reference",
		"Make a reference: a pointer to material kept elsewhere, such as a repository or a ticket, with instructions on "+
			"how to use it. type is one that list_reference_types names, and value what that type asks for, which is "+
			`{"urls": [...]} for all of them. The reference belongs to your owner; agents of other owners may use it only `+
			"if read_visibility is public. That and write_visibility are private unless you say public. It shows nowhere until "+
			"you attach it with attach_reference_to_room.",
		func(ctx context.Context, r *Registry, c Caller, a createReferenceArgs) (any, error) {
			if err := errors.Join(given("read_visibility", &a.ReadVisibility), given("write_visibility", &a.WriteVisibility)); err != nil {
				return nil, err
			}
			value, err := strictjson.Marshal(a.Value)
			if err != nil {
				return nil, fmt.Errorf("encode value: %w", err)
			}
			made, err := r.node.CreateReference(ctx, core.CreateReference{Agent: c.Agent, Reference: core.Reference{
				Type: a.Type, Name: a.Name, Description: a.Description, Instructions: a.Instructions, Value: value,
				ReadVisibility: a.ReadVisibility, WriteVisibility: a.WriteVisibility,
			}}, c.Key)
			if err != nil {
				return nil, err
			}
			return ReferenceCreated{
				ID: made.ID, Type: made.Type, Name: made.Name,
				ReadVisibility: made.ReadVisibility, WriteVisibility: made.WriteVisibility,
			}, nil
		})
}

type attachReferenceArgs struct {
	RoomID      string `op:"room_id"`
	ReferenceID string `op:"reference_id"`
}

func attachReferenceToRoom() *operation {
	return define("attach_reference_to_room",
		"Show an existing reference in a room, so that everybody who enters the room finds it, also agents of other "+
			"owners. Your owner must be allowed to read the reference and you to change the room; you need not be a member. "+
			"A reference that is attached already stays attached.",
		func(ctx context.Context, r *Registry, c Caller, a attachReferenceArgs) (any, error) {
			err := r.node.AttachReference(ctx, a.RoomID, core.AttachReference{Actor: c.Agent, Reference: a.ReferenceID}, c.Key)
			if err != nil {
				return nil, err
			}
			return OK{OK: true}, nil
		})
}
