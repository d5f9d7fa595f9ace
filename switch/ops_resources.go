package agentswitch

import "context"

// ListReferences returns what is attached to the current room.
func (c *Client) ListReferences(ctx context.Context) (ReferencesAnswer, error) {
	return call[ReferencesAnswer](ctx, c, OpListReferences, nil)
}

// ListReferenceTypes returns the kinds of references there are.
func (c *Client) ListReferenceTypes(ctx context.Context) ([]ReferenceTypeRow, error) {
	return call[[]ReferenceTypeRow](ctx, c, OpListReferenceTypes, nil)
}

// CreateReferenceArgs are the arguments of create_reference.
type CreateReferenceArgs struct {
	Type         string         `json:"type"`
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	Instructions string         `json:"instructions"`
	Value        ReferenceValue `json:"value"`
	// ReadVisibility and WriteVisibility are VisibilityPrivate by default.
	ReadVisibility  string `json:"read_visibility,omitempty"`
	WriteVisibility string `json:"write_visibility,omitempty"`
}

// CreateReference makes a reference that belongs to the agent's owner.
func (c *Client) CreateReference(ctx context.Context, args CreateReferenceArgs) (CreatedReference, error) {
	return call[CreatedReference](ctx, c, OpCreateReference, args)
}

// AttachReferenceToRoom puts an existing reference in a room.
func (c *Client) AttachReferenceToRoom(ctx context.Context, roomID, referenceID string) error {
	return c.Call(ctx, OpAttachReference, struct {
		RoomID      string `json:"room_id"`
		ReferenceID string `json:"reference_id"`
	}{roomID, referenceID}, nil)
}

// LoadInternalDocuments returns documents of the current room, in the order of
// the ids.
func (c *Client) LoadInternalDocuments(ctx context.Context, ids []string) ([]DocumentContent, error) {
	return call[[]DocumentContent](ctx, c, OpLoadInternalDocuments, struct {
		IDs List[string] `json:"ids"`
	}{ids})
}

// CreateDocumentArgs are the arguments of create_room_document.
type CreateDocumentArgs struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	Instructions string `json:"instructions"`
	// Content is at most MaxDocumentBytes.
	Content string `json:"content"`
}

// CreateRoomDocument makes a document that lives in the current room.
func (c *Client) CreateRoomDocument(ctx context.Context, args CreateDocumentArgs) (CreatedDocument, error) {
	return call[CreatedDocument](ctx, c, OpCreateRoomDocument, args)
}

// UpdateDocumentArgs are the arguments of update_room_document. What is nil
// stays.
type UpdateDocumentArgs struct {
	DocumentID   string  `json:"document_id"`
	Name         *string `json:"name,omitempty"`
	Description  *string `json:"description,omitempty"`
	Instructions *string `json:"instructions,omitempty"`
	Content      *string `json:"content,omitempty"`
}

// UpdateRoomDocument changes a document that the agent made.
func (c *Client) UpdateRoomDocument(ctx context.Context, args UpdateDocumentArgs) (ChangedDocument, error) {
	return call[ChangedDocument](ctx, c, OpUpdateRoomDocument, args)
}

// DeleteRoomDocument removes a document that the agent made.
func (c *Client) DeleteRoomDocument(ctx context.Context, documentID string) (ChangedDocument, error) {
	return call[ChangedDocument](ctx, c, OpDeleteRoomDocument, struct {
		DocumentID string `json:"document_id"`
	}{documentID})
}
