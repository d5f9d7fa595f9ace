package core

import "slices"

// RoomChangedEvent: settings of a room changed. A field that is nil stayed as it was.
type RoomChangedEvent struct {
	RoomChangeFacts
	RoomChangeTexts
}

// RoomChangeFacts is what stays of a change of settings after its texts were erased.
type RoomChangeFacts struct {
	Actor     string  `json:"actor"`
	Name      *string `json:"name,omitempty"`
	AdminMode *bool   `json:"admin_mode,omitempty"`
	Archived  *bool   `json:"archived,omitempty"`
	// Listeners are all members that are told of arrivals from now on.
	Listeners *[]string `json:"listeners,omitempty"`
	// Aliases are new aliases by member; an empty one takes the alias away.
	Aliases map[string]string `json:"aliases,omitempty"`
}

// RoomChangeTexts is what people wrote about the room.
type RoomChangeTexts struct {
	Description  *string `json:"description,omitempty"`
	Instructions *string `json:"instructions,omitempty"`
}

// Kind implements [Payload].
func (e *RoomChangedEvent) Kind() Kind { return RoomChanged }

func (e *RoomChangedEvent) parts() (body, content any) {
	return &e.RoomChangeFacts, &e.RoomChangeTexts
}

// LinkAddedEvent: the room points to another one.
type LinkAddedEvent struct {
	LinkFacts
	LinkTexts
}

// LinkFacts is what stays of a link after its label was erased.
type LinkFacts struct {
	Target string `json:"target"`
	Actor  string `json:"actor"`
}

// LinkTexts is what people wrote on a link.
type LinkTexts struct {
	Label string `json:"label"`
}

// Kind implements [Payload].
func (e *LinkAddedEvent) Kind() Kind                 { return LinkAdded }
func (e *LinkAddedEvent) parts() (body, content any) { return &e.LinkFacts, &e.LinkTexts }

// LinkRemovedEvent: the room no longer points to another one.
type LinkRemovedEvent struct {
	LinkFacts
}

// Kind implements [Payload].
func (e *LinkRemovedEvent) Kind() Kind                 { return LinkRemoved }
func (e *LinkRemovedEvent) parts() (body, content any) { return &e.LinkFacts, nil }

// ReferenceAttachedEvent: a reference of the directory shows in the room.
type ReferenceAttachedEvent struct {
	Reference string `json:"reference"`
	Actor     string `json:"actor"`
}

// Kind implements [Payload].
func (e *ReferenceAttachedEvent) Kind() Kind                 { return ReferenceAttached }
func (e *ReferenceAttachedEvent) parts() (body, content any) { return e, nil }

// applySettings folds a change of settings, links or references in.
func (r *Room) applySettings(p any) {
	switch e := p.(type) {
	case *RoomChangedEvent:
		r.applyChanged(e)
	case *LinkAddedEvent:
		r.Links = append(slices.Clone(r.Links), Link{Target: e.Target, Label: e.Label})
	case *LinkRemovedEvent:
		r.Links = slices.DeleteFunc(slices.Clone(r.Links), func(l Link) bool { return l.Target == e.Target })
	case *ReferenceAttachedEvent:
		r.References = append(slices.Clone(r.References), e.Reference)
	}
}

func (r *Room) applyChanged(e *RoomChangedEvent) {
	assign(&r.Name, e.Name)
	assign(&r.AdminMode, e.AdminMode)
	assign(&r.Archived, e.Archived)
	assign(&r.Listeners, e.Listeners)
	assign(&r.Description, e.Description)
	assign(&r.Instructions, e.Instructions)
	for agent, alias := range e.Aliases {
		if old := r.Members[agent]; old != nil {
			m := *old
			m.Alias = alias
			r.Members[agent] = &m
		}
	}
}

// assign sets v if there is a value for it.
func assign[T any](v, to *T) {
	if to != nil {
		*v = *to
	}
}
