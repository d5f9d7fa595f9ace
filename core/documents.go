package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Bounds of the documents of rooms.
const (
	// MaxDocumentBytes bounds the content of a document, in bytes of UTF-8 (Switch protocol: room document cap).
	MaxDocumentBytes = 1_048_576
	// MaxRoomDocuments is how many documents a room may have, and how many may be asked for at once.
	MaxRoomDocuments = 256
	// DocumentTimeout is how long a document operation may take (Switch protocol: document operation timeout).
	DocumentTimeout = 30 * time.Second
)

// ErrDocumentTimeout: a document operation took longer than DocumentTimeout. A change may still take effect.
var ErrDocumentTimeout = errors.New("the document operation took longer than 30 s; a change may still take effect")

// CreateDocument makes a document that lives in a room.
type CreateDocument struct {
	// Agent writes it and must be a member; it alone may change or delete the document.
	Agent string
	// Name is not blank, and no other document of the room has it.
	Name, Description, Instructions, Content string
}

// ChangeDocument changes a document. A field that is nil stays as it is; when all are, nothing happens.
type ChangeDocument struct {
	Agent, Document                          string
	Name, Description, Instructions, Content *string
}

// DeleteDocument removes a document from its room.
type DeleteDocument struct{ Agent, Document string }

// CreateDocument makes a document and returns its id. Errors: [ErrNoRoom], [ErrNotMember], *[RoomNotActiveError],
// *[InvalidError] for a blank or taken name and a full room, *[TooLongError], [ErrDocumentTimeout].
func (n *Node) CreateDocument(ctx context.Context, room string, cmd CreateDocument, key *Key) (string, error) {
	return onDocuments(ctx, n, room, cmd, key)
}

// ChangeDocument changes a document. Errors: as [Node.CreateDocument], *[InvalidError] for an unknown document, and a
// *[NotAllowedError] for one that another agent wrote.
func (n *Node) ChangeDocument(ctx context.Context, room string, cmd ChangeDocument, key *Key) error {
	_, err := onDocuments(ctx, n, room, cmd, key)
	return err
}

// DeleteDocument removes a document. Errors: as [Node.ChangeDocument].
func (n *Node) DeleteDocument(ctx context.Context, room string, cmd DeleteDocument, key *Key) error {
	_, err := onDocuments(ctx, n, room, cmd, key)
	return err
}

// onDocuments is onRoom for a command about a document, whose id it returns.
func onDocuments(ctx context.Context, n *Node, room string, cmd command[*Room, string], key *Key) (string, error) {
	return inDocumentTime(ctx, func(ctx context.Context) (string, error) {
		if err := n.expireFirst(ctx, room); err != nil {
			return "", err
		}
		id, _, err := onRoom(ctx, n, room, cmd, key)
		return id, err
	})
}

// inDocumentTime runs work for at most DocumentTimeout. The error of work that ran out of this time is an
// [ErrDocumentTimeout] and a [context.DeadlineExceeded].
func inDocumentTime[R any](ctx context.Context, work func(context.Context) (R, error)) (R, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, DocumentTimeout, ErrDocumentTimeout)
	defer cancel()
	out, err := work(ctx)
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(context.Cause(ctx), ErrDocumentTimeout) {
		err = fmt.Errorf("%w: %w", ErrDocumentTimeout, err)
	}
	return out, err
}

func (c CreateDocument) decide(r *Room, env Env) ([]Payload, string, error) {
	if err := r.mayWriteDocuments(c.Agent); err != nil {
		return nil, "", err
	}
	if len(r.Documents) >= MaxRoomDocuments {
		return nil, "", full("document", "documents in this room", MaxRoomDocuments)
	}
	if err := r.checkDocument("", &c.Name, &c.Description, &c.Instructions, &c.Content); err != nil {
		return nil, "", err
	}
	id := env.IDs.New(DocumentPrefix, env.Now)
	return []Payload{&DocumentCreatedEvent{
		DocumentFacts: DocumentFacts{Document: id, Agent: c.Agent},
		DocumentTexts: DocumentTexts{
			Name: c.Name, Description: c.Description, Instructions: c.Instructions, Content: c.Content,
		},
	}}, id, nil
}

func (c ChangeDocument) decide(r *Room, _ Env) ([]Payload, string, error) {
	if err := r.mayChangeDocument(c.Agent, c.Document); err != nil {
		return nil, "", err
	}
	if err := r.checkDocument(c.Document, c.Name, c.Description, c.Instructions, c.Content); err != nil {
		return nil, "", err
	}
	if c.Name == nil && c.Description == nil && c.Instructions == nil && c.Content == nil {
		return nil, c.Document, nil
	}
	return []Payload{&DocumentChangedEvent{
		DocumentChangeFacts: DocumentChangeFacts{Document: c.Document, Agent: c.Agent, Whole: c.Content != nil},
		DocumentChangeTexts: DocumentChangeTexts{
			Name: c.Name, Description: c.Description, Instructions: c.Instructions, Content: c.Content,
		},
	}}, c.Document, nil
}

func (c DeleteDocument) decide(r *Room, _ Env) ([]Payload, string, error) {
	if err := r.mayChangeDocument(c.Agent, c.Document); err != nil {
		return nil, "", err
	}
	return []Payload{&DocumentDeletedEvent{DocumentFacts{Document: c.Document, Agent: c.Agent}}}, c.Document, nil
}

// mayWriteDocuments tells whether an agent may add documents: any member, while the room has not ended.
func (r *Room) mayWriteDocuments(agent string) error {
	switch {
	case !r.Exists():
		return ErrNoRoom
	case r.Members[agent] == nil:
		return ErrNotMember
	}
	return r.notEnded()
}

func (r *Room) mayChangeDocument(agent, document string) error {
	if err := r.mayWriteDocuments(agent); err != nil {
		return err
	}
	d, ok := r.document(document)
	if !ok {
		return noDocument("document_id", document)
	}
	if d.Agent != agent {
		return &NotAllowedError{Reason: "a document may be changed and deleted by the agent that wrote it only"}
	}
	return nil
}

func (r *Room) document(id string) (Document, bool) {
	i := slices.IndexFunc(r.Documents, func(d Document) bool { return d.ID == id })
	if i < 0 {
		return Document{}, false
	}
	return r.Documents[i], true
}

func noDocument(field, id string) error {
	return &InvalidError{Field: field, Reason: fmt.Sprintf("there is no document %.300q in this room", id)}
}

// checkDocument checks what a document is about to have; nil says nothing about a field. document is its id, empty for a
// new one.
func (r *Room) checkDocument(document string, name, description, instructions, content *string) error {
	if name != nil {
		if err := checkName("name", *name); err != nil {
			return err
		}
		if slices.ContainsFunc(r.Documents, func(d Document) bool { return d.Name == *name && d.ID != document }) {
			return &InvalidError{Field: "name", Reason: fmt.Sprintf("this room has a document %.300q already", *name)}
		}
	}
	text := func(field string, text *string, most int) error {
		if text == nil {
			return nil
		}
		return checkBytes(field, *text, most)
	}
	return firstError(
		text("description", description, MaxEntryDescriptionBytes),
		text("instructions", instructions, MaxEntryInstructionsBytes),
		text("content", content, MaxDocumentBytes),
	)
}
