package core

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// people are the fields of payloads that name agents.
var people = []string{"Agent", "Sender", "Actor", "Creator", "Requester", "Performer", "Next", "Addressed"}

// TestEveryAgentInAPayloadIsMapped: whatever event of a room names an agent, an import can say who that is here.
func TestEveryAgentInAPayloadIsMapped(t *testing.T) {
	kinds := []Kind{
		RoomCreated, MemberJoined, MemberLeft, MessagePosted, RoomStateChanged, RoomClosed, RoomPurged, RoomChanged, RoleDefined,
		RoleEdited, RoleDeleted, RoleAssumed, RoleReleased, LinkAdded, LinkRemoved, ReferenceAttached, DocumentCreated, DocumentChanged,
		DocumentDeleted, TaskDelegated, TaskAccepted, TaskUpdated, TaskFinalised, TaskCancelled, CommandSent, StatePatched,
		StateReplaced, EventEmitted, ListingPublished, ListingWithdrawn,
	}
	for _, kind := range kinds {
		p := newPayload(kind)
		require.True(t, ofRoom(p), kind)
		name(reflect.ValueOf(p).Elem(), "old")
		if e, ok := p.(*RoomCreatedEvent); ok {
			e.Listing = &Listing{Agent: "old"}
		}
		if e, ok := p.(*RoomChangedEvent); ok {
			e.Aliases, e.Listeners = map[string]string{"old": "x"}, &[]string{"old"}
		}
		if e, ok := p.(*CommandSentEvent); ok {
			e.Target = "old"
		}
		mapAgents(p, func(id string) string {
			if id == "old" {
				return "new"
			}
			return id
		})
		encoded, err := encodePayload(p)
		require.NoError(t, err)
		require.NotContains(t, string(encoded.Body)+string(encoded.Content), `"old"`, kind)
	}
}

// name sets the fields of a payload that name agents.
func name(v reflect.Value, id string) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		switch {
		case field.Anonymous:
			name(value, id)
		case !slices.Contains(people, field.Name):
		case value.Kind() == reflect.String:
			value.SetString(id)
		case value.Kind() == reflect.Slice:
			value.Set(reflect.ValueOf([]string{id}))
		}
	}
}
