package core

import "stele/internal/typedjson"

// StatePatchedEvent: a member changed the room's shared state.
type StatePatchedEvent struct {
	SharedFacts
	StatePatchTexts
}

// SharedFacts is what stays of a change of the shared state, or of an emitted event, after what it said was erased.
type SharedFacts struct {
	Actor string `json:"actor"`
}

// StatePatchTexts is a merge patch (RFC 7396) for the shared state, a plain object.
type StatePatchTexts struct {
	Patch typedjson.Value `json:"patch"`
}

// Kind implements [Payload].
func (e *StatePatchedEvent) Kind() Kind { return StatePatched }

func (e *StatePatchedEvent) parts() (body, content any) { return &e.SharedFacts, &e.StatePatchTexts }

// StateReplacedEvent: a member put another shared state in the place of the old one.
type StateReplacedEvent struct {
	SharedFacts
	StateReplaceTexts
}

// StateReplaceTexts is the new shared state.
type StateReplaceTexts struct {
	// State is a plain object without null for any key, as merge patches leave one behind.
	State typedjson.Value `json:"state"`
	// Patch leads from the old state to the new one, for whoever mirrors it by patches.
	Patch typedjson.Value `json:"patch"`
}

// Kind implements [Payload].
func (e *StateReplacedEvent) Kind() Kind { return StateReplaced }

func (e *StateReplacedEvent) parts() (body, content any) { return &e.SharedFacts, &e.StateReplaceTexts }

// EventEmittedEvent: a member told those who follow the room something that is no message.
type EventEmittedEvent struct {
	SharedFacts
	EventTexts
}

// EventTexts is what a member made known.
type EventTexts struct {
	// Type is chosen by the member, see [EmitEvent]. Payload is any value, undefined if there is none.
	Type    string          `json:"type"`
	Payload typedjson.Value `json:"payload"`
}

// Kind implements [Payload].
func (e *EventEmittedEvent) Kind() Kind                 { return EventEmitted }
func (e *EventEmittedEvent) parts() (body, content any) { return &e.SharedFacts, &e.EventTexts }

// SharedState is what the members keep together: a plain object, {} while nobody put anything in. It must not be changed.
func (r *Room) SharedState() typedjson.Value {
	if r.Shared == nil {
		return typedjson.Value{Kind: typedjson.Object}
	}
	return *r.Shared
}

// applyShared folds a change of the shared state in. One whose content was erased comes before a purge, which forgets all of
// it anyway.
func (r *Room) applyShared(p any) {
	state := r.SharedState()
	switch e := p.(type) {
	case *StatePatchedEvent:
		if e.Patch.Kind == typedjson.Object {
			state = typedjson.Merge(state, e.Patch)
		}
	case *StateReplacedEvent:
		if e.State.Kind == typedjson.Object {
			state = e.State
		}
	}
	r.Shared = nil
	if len(state.Members) > 0 {
		r.Shared = &state
	}
}
