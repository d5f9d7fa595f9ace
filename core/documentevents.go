package core

import (
	"slices"
	"time"
)

// DocumentCreatedEvent: a member wrote a document that lives in the room.
type DocumentCreatedEvent struct {
	DocumentFacts
	DocumentTexts
}

// DocumentFacts is what stays of a document after its texts were erased.
type DocumentFacts struct {
	Document string `json:"document"`
	// Agent is who wrote it, and who alone may change it.
	Agent string `json:"agent"`
}

// DocumentTexts is the document.
type DocumentTexts struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	Instructions string `json:"instructions"`
	Content      string `json:"content"`
}

// Kind implements [Payload].
func (e *DocumentCreatedEvent) Kind() Kind { return DocumentCreated }

func (e *DocumentCreatedEvent) parts() (body, content any) { return &e.DocumentFacts, &e.DocumentTexts }

// DocumentChangedEvent: a document changed. A field that is nil stayed as it was.
type DocumentChangedEvent struct {
	DocumentChangeFacts
	DocumentChangeTexts
}

// DocumentChangeFacts is what stays of a change after its texts were erased.
type DocumentChangeFacts struct {
	Document string `json:"document"`
	Agent    string `json:"agent"`
	// Whole tells that the change carries the document's content anew.
	Whole bool `json:"whole,omitempty"`
}

// DocumentChangeTexts is what changed in a document.
type DocumentChangeTexts struct {
	Name         *string `json:"name,omitempty"`
	Description  *string `json:"description,omitempty"`
	Instructions *string `json:"instructions,omitempty"`
	Content      *string `json:"content,omitempty"`
}

// Kind implements [Payload].
func (e *DocumentChangedEvent) Kind() Kind { return DocumentChanged }

func (e *DocumentChangedEvent) parts() (body, content any) {
	return &e.DocumentChangeFacts, &e.DocumentChangeTexts
}

// DocumentDeletedEvent: a document is gone.
type DocumentDeletedEvent struct {
	DocumentFacts
}

// Kind implements [Payload].
func (e *DocumentDeletedEvent) Kind() Kind                 { return DocumentDeleted }
func (e *DocumentDeletedEvent) parts() (body, content any) { return &e.DocumentFacts, nil }

// Document is what a room keeps at hand of a document that lives in it. Its content stays in the log.
type Document struct {
	ID           string    `json:"id"`
	Agent        string    `json:"agent"`
	Name         string    `json:"name"`
	Description  string    `json:"description"`
	Instructions string    `json:"instructions"`
	CreatedAt    time.Time `json:"created_at"`
	// Version is that of the room's event that carries the newest content.
	Version uint64 `json:"version"`
}

// applyDocument folds an event about documents in.
func (r *Room) applyDocument(rec *Recorded) {
	switch e := rec.Payload.(type) {
	case *DocumentCreatedEvent:
		r.Documents = append(slices.Clone(r.Documents), Document{
			ID: e.Document, Agent: e.Agent, Name: e.Name, Description: e.Description, Instructions: e.Instructions,
			CreatedAt: rec.At, Version: rec.Version,
		})
	case *DocumentChangedEvent:
		r.Documents = slices.Clone(r.Documents)
		for i := range r.Documents {
			d := &r.Documents[i]
			if d.ID != e.Document {
				continue
			}
			assign(&d.Name, e.Name)
			assign(&d.Description, e.Description)
			assign(&d.Instructions, e.Instructions)
			if e.Whole {
				d.Version = rec.Version
			}
		}
	case *DocumentDeletedEvent:
		r.Documents = slices.DeleteFunc(slices.Clone(r.Documents), func(d Document) bool { return d.ID == e.Document })
	}
}
