package operations_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

func TestRoomState(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob"]}`)
	other := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"other","description":"","agent_names":["ada"]}`)
	a, b, nowhere := w.connect(t, ada, room), operations.Caller{Agent: bob.ID, Room: room}, operations.Caller{Agent: ada.ID}

	require.Equal(t, `{}`, w.must(t, a, "get_room_state", `{}`))
	require.JSONEq(t, `{"room_id":"`+room+`","changed":true,"bytes":35}`, w.must(t, a, "set_room_state", `{"patch":{"z":1.50,"plan":{"step":1,"of":3}}}`))
	require.JSONEq(t, `{"room_id":"`+room+`","changed":true,"bytes":34}`, w.must(t, b, "set_room_state", `{"patch":{"plan":{"of":null,"x":2}, "gone":null},"room_id":null}`))
	require.Equal(t, `{"z":1.50,"plan":{"step":1,"x":2}}`, w.must(t, nowhere, "get_room_state", `{"room_id":"`+room+`"}`), "keys in order, digits as given")
	require.JSONEq(t, `{"room_id":"`+room+`","changed":false,"bytes":34}`, w.must(t, a, "set_room_state", `{"patch":{}}`))

	// What another room shares is its own, wherever the caller is.
	w.must(t, a, "replace_room_state", `{"state":{"n":{"a":null}},"room_id":"`+other+`"}`)
	require.Equal(t, `{"n":{}}`, w.must(t, nowhere, "get_room_state", `{"room_id":"`+other+`"}`))
	require.JSONEq(t, `{"room_id":"`+room+`","changed":true,"bytes":13}`, w.must(t, b, "replace_room_state", `{"state":{"only":true}}`))
	require.Equal(t, `{"only":true}`, w.must(t, a, "get_room_state", `{}`))

	// To a caller who knows no types, JSON that looks like one is what it is.
	w.must(t, a, "set_room_state", `{"patch":{"d":{"$date":"2026-01-02T03:04:05.678Z"}}}`)
	require.Equal(t, `{"only":true,"d":{"$date":"2026-01-02T03:04:05.678Z"}}`, w.must(t, a, "get_room_state", `{}`))
	typed := a
	typed.Typed = true
	w.must(t, typed, "set_room_state", `{"patch":{"d":{"$date":"2026-01-02T03:04:05.678Z"},"u":{"$undefined":true},"m":{"$map":[[1,{"$bigint":"2"}]]}}}`)
	require.Equal(t, `{"only":true,"d":"2026-01-02T03:04:05.678Z","m":[[1,"2"]]}`, w.must(t, a, "get_room_state", `{}`))
	result, err := w.ops.Call(t.Context(), "get_room_state", a, nil)
	require.NoError(t, err)
	require.Equal(t, `{"only":true,"d":{"$date":"2026-01-02T03:04:05.678Z"},"u":{"$undefined":true},"m":{"$map":[[1,{"$bigint":"2"}]]}}`,
		string(result.(operations.Typed).Value.Append(nil)))
}

func TestRoomStateRefusals(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	other := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"other","description":"","agent_names":["ada"]}`)
	c := w.connect(t, ada, room)
	typed := c
	typed.Typed = true
	before := w.n.Applied()
	for _, tc := range []struct {
		c              operations.Caller
		op, args, want string
	}{
		{c, "set_room_state", `{}`, "missing required arguments: patch"},
		{c, "set_room_state", `{"patch":null}`, `argument "patch" must be an object`},
		{c, "set_room_state", `{"patch":[1]}`, `argument "patch" must be an object`},
		{c, "replace_room_state", `{"state":"x"}`, `argument "state" must be an object`},
		{typed, "set_room_state", `{"patch":{"$date":null}}`, `argument "patch" must be an object`},
		{typed, "set_room_state", `{"patch":{"a":{"$nonsense":1}}}`, `argument "patch": is not a value`},
		{c, "set_room_state", `{"patch":{"a":{"__proto__":1}}}`, "__proto__, prototype and constructor cannot be used"},
		{c, "set_room_state", `{"patch":{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}}`, "64 deep"},
		{c, "set_room_state", `{"patch":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`, `argument "patch": is too long`},
		{c, "set_room_state", `{"patch":{"a":"` + strings.Repeat("x", 300_000) + `"}}`, "at most 262144 are accepted"},
		{c, "set_room_state", `{"patch":{"a":["x\ud800y"]}}`, `argument "patch" holds half of a surrogate pair`},
		{c, "set_room_state", `{"patch":{"\udc00":1}}`, `argument "patch" holds half of a surrogate pair`},
		{c, "replace_room_state", `{"state":{"a":"\ud83d \ude00"}}`, `argument "state" holds half of a surrogate pair`},
		{typed, "set_room_state", `{"patch":{"a":{"$set":["\ud800"]}}}`, `argument "patch" holds half of a surrogate pair`},
		{c, "emit_event", `{"type":"x","payload":"\ud800"}`, `argument "payload" holds half of a surrogate pair`},
		{c, "set_room_state", `{"patch":{"turn":1,"topic":null}}`, "turn, topic: under these keys"},
		{c, "replace_room_state", `{"state":{"participants":{}}}`, "participants: under these keys"},
		{c, "set_room_state", `{"patch":{},"room_id":"room_none"}`, "no such room"},
		{c, "set_room_state", `{"patch":{},"room_id":7}`, `argument "room_id" must be a string or null`},
		{operations.Caller{Agent: ada.ID}, "get_room_state", `{}`, "Not connected to a room"},
		{operations.Caller{Agent: bob.ID}, "get_room_state", `{"room_id":"` + room + `"}`, "not a member"},
		{operations.Caller{Agent: bob.ID, Room: room}, "emit_event", `{"type":"x"}`, "not a member"},
		{operations.Caller{Agent: ada.ID, Room: room, Bound: true}, "get_room_state", `{"room_id":"` + other + `"}`, "opens its own room only"},
		{c, "emit_event", `{}`, "missing required arguments: type"},
		{c, "emit_event", `{"type":"a b"}`, "type: must be letters"},
		{c, "emit_event", `{"type":"a","payload":"` + strings.Repeat("x", 70_000) + `"}`, "at most 65536 are accepted"},
	} {
		_, err := w.call(t, tc.c, tc.op, tc.args)
		require.ErrorContains(t, err, tc.want, "%s %.80s", tc.op, tc.args)
	}
	require.Equal(t, before, w.n.Applied())
	w.must(t, operations.Caller{Agent: ada.ID, Room: room, Bound: true}, "get_room_state", `{"room_id":"`+room+`"}`)
}

func TestEmitEvent(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	c := operations.Caller{Agent: ada.ID, Room: room}
	for args, want := range map[string]string{
		`{"type":"progress","payload":{"pct":50,"$x":{"$y":1}}}`: `{"pct":50,"$x":{"$object":{"$y":1}}}`,
		`{"type":"progress"}`:                                `{"$undefined":true}`,
		`{"type":"progress","payload":null}`:                 `null`,
		`{"type":"progress","payload":[1.0],"room_id":null}`: `[1.0]`,
	} {
		var out operations.EventEmitted
		require.NoError(t, json.Unmarshal([]byte(w.must(t, c, "emit_event", args)), &out))
		require.Equal(t, room, out.RoomID)
		for e, err := range w.n.HistoryOf(room).After(t.Context(), out.Version-1) {
			require.NoError(t, err)
			require.Equal(t, out.Version, e.Version)
			p := e.Payload.(*core.EventEmittedEvent)
			require.Equal(t, ada.ID, p.Actor)
			require.Equal(t, want, string(p.Payload.Append(nil)), args)
			break
		}
	}
}

// TestOperationsBeyondTheProtocol: they come after those that the protocol lists.
func TestOperationsBeyondTheProtocol(t *testing.T) {
	list := operations.Catalog()
	require.Greater(t, len(list), 45)
	for i, d := range list {
		require.Equal(t, i >= 45, d.Extension, d.Name)
	}
}
