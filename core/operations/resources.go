package operations

import (
	"encoding/json"

	"stele/core"
)

// Resources is what a room has beside its messages.
type Resources struct {
	// ReferenceTypes are those of the references in the room, by type.
	ReferenceTypes map[string]ReferenceType `json:"reference_types"`
	References     []Reference              `json:"references"`
	Documents      []Document               `json:"documents"`
	Packages       []Package                `json:"packages"`
}

// Reference is a pointer to material kept elsewhere.
type Reference struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Instructions string          `json:"instructions"`
	Value        json.RawMessage `json:"value"`
}

// Document is a document without its content.
type Document struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Description  string `json:"description"`
	Instructions string `json:"instructions"`
	// Scope is "room": there are no documents that belong to no room.
	Scope            string  `json:"scope"`
	CreatedByAgentID *string `json:"created_by_agent_id"`
}

// Package is a bundle of references and documents. This server has none, so lists of them are empty.
type Package struct {
	ID           string      `json:"id"`
	Name         string      `json:"name"`
	Description  string      `json:"description"`
	Instructions string      `json:"instructions"`
	References   []Reference `json:"references"`
	Documents    []Document  `json:"documents"`
}

// resources shows what is attached to a room and what lives in it.
func (r *Registry) resources(references []string, documents []core.Document) Resources {
	out := Resources{
		ReferenceTypes: map[string]ReferenceType{}, References: []Reference{}, Documents: []Document{}, Packages: []Package{},
	}
	for _, ref := range r.node.References(references) {
		out.References = append(out.References, Reference{
			ID: ref.ID, Type: ref.Type, Name: ref.Name, Description: ref.Description, Instructions: ref.Instructions,
			Value: ref.Value,
		})
		for _, t := range referenceTypes() {
			if t.Type == ref.Type {
				out.ReferenceTypes[t.Type] = t
			}
		}
	}
	for _, d := range documents {
		out.Documents = append(out.Documents, Document{
			ID: d.ID, Name: d.Name, Description: d.Description, Instructions: d.Instructions, Scope: "room",
			CreatedByAgentID: orNull(d.Agent),
		})
	}
	return out
}
