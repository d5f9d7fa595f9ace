package agentswitch

import "encoding/json"

// Role is a role of a room.
type Role struct {
	Name          string       `json:"name"`
	Exclusive     bool         `json:"exclusive"`
	HeldBy        List[Holder] `json:"held_by"`
	AssumableByMe bool         `json:"assumable_by_me"`
	// InstructionsPreview is the beginning; see PreviewInstructions.
	InstructionsPreview string `json:"instructions_preview"`
}

// RoleDetail is a role with all its instructions, the result of
// get_role_detail.
type RoleDetail struct {
	Name          string       `json:"name"`
	Exclusive     bool         `json:"exclusive"`
	HeldBy        List[Holder] `json:"held_by"`
	AssumableByMe bool         `json:"assumable_by_me"`
	Instructions  string       `json:"instructions"`
}

// Holder is who holds a role.
type Holder struct {
	Name string `json:"name"`
	// PresentHere: the connection that assumed the role has this room as its
	// only claim. Otherwise SessionRoom names the room it is in, if any.
	PresentHere bool    `json:"present_here"`
	SessionRoom *string `json:"session_room"`
}

// PreviewInstructions returns the first InstructionPreviewRunes characters.
func PreviewInstructions(instructions string) string {
	n := 0
	for i := range instructions {
		if n == InstructionPreviewRunes {
			return instructions[:i]
		}
		n++
	}
	return instructions
}

// LinkedRoom is a pointer to another room.
type LinkedRoom struct {
	TargetRoomID          string `json:"target_room_id"`
	TargetRoomName        string `json:"target_room_name"`
	TargetRoomDescription string `json:"target_room_description"`
	Label                 string `json:"label"`
	// Access is AccessMember or AccessNotMember; list_references and
	// link_rooms leave it out.
	Access string `json:"access,omitempty"`
	// AccessNote stands only with AccessNotMember.
	AccessNote string `json:"access_note,omitempty"`
}

// ReferenceType describes a kind of reference.
type ReferenceType struct {
	Type         string `json:"type"`
	DisplayName  string `json:"display_name"`
	Instructions string `json:"instructions"`
}

// ReferenceValue is what a reference points at.
type ReferenceValue struct {
	URLs List[string] `json:"urls"`
}

// Reference is a pointer to material elsewhere.
type Reference struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	Instructions string         `json:"instructions"`
	Value        ReferenceValue `json:"value"`
}

// Scopes of documents.
const (
	DocumentRoom   = "room"
	DocumentGlobal = "global"
)

// Document is a document without its content.
type Document struct {
	ID               string  `json:"id"`
	Name             string  `json:"name"`
	Description      string  `json:"description"`
	Instructions     string  `json:"instructions"`
	Scope            string  `json:"scope"`
	CreatedByAgentID *string `json:"created_by_agent_id"`
}

// Package is a bundle of references and documents.
type Package struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Instructions string          `json:"instructions"`
	References   List[Reference] `json:"references"`
	Documents    List[Document]  `json:"documents"`
}

// ReferencesAnswer is the result of list_references. Its links have no Access.
type ReferencesAnswer struct {
	// ReferenceTypes has the types that are present in the room.
	ReferenceTypes Map[ReferenceType] `json:"reference_types"`
	References     List[Reference]    `json:"references"`
	Documents      List[Document]     `json:"documents"`
	Packages       List[Package]      `json:"packages"`
	LinkedRooms    List[LinkedRoom]   `json:"linked_rooms"`
}

// ReferenceTypeRow is one row of list_reference_types.
type ReferenceTypeRow struct {
	Type         string `json:"type"`
	DisplayName  string `json:"display_name"`
	Instructions string `json:"instructions"`
	// ValueSchema is the JSON Schema of a reference's value.
	ValueSchema json.RawMessage `json:"value_schema"`
}

// CreatedReference is the result of create_reference.
type CreatedReference struct {
	ID              string `json:"id"`
	Type            string `json:"type"`
	Name            string `json:"name"`
	ReadVisibility  string `json:"read_visibility"`
	WriteVisibility string `json:"write_visibility"`
}

// The visibilities of rooms and references. Public writing needs public
// reading.
const (
	VisibilityPublic  = "public"
	VisibilityPrivate = "private"
)

// DocumentContent is one row of load_internal_documents.
type DocumentContent struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Content     string `json:"content"`
}

// CreatedDocument is the result of create_room_document.
type CreatedDocument struct {
	DocumentID string `json:"document_id"`
}

// ChangedDocument is the result of update_room_document and
// delete_room_document.
type ChangedDocument struct {
	DocumentID string `json:"document_id"`
	// Status is DocumentStatusOK.
	Status string `json:"status"`
}

// DocumentStatusOK is the only value of ChangedDocument.Status.
const DocumentStatusOK = "ok"
