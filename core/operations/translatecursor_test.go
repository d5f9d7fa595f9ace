package operations_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

func TestTranslateCursor(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	c := operations.Caller{Agent: ada.ID, Room: room}
	for range 2 {
		w.must(t, c, "post_message", `{"body":"x"}`)
		w.must(t, c, "emit_event", `{"type":"tick"}`)
	}
	var events []operations.Cursors
	for e, err := range w.n.HistoryOf(room).After(t.Context(), 0) {
		require.NoError(t, err)
		at := operations.Cursors{Switch: uint64(e.Position), Areyouai: e.Version, EdgeEvents: e.Version}
		if len(events) > 0 {
			at.EdgeMessages = events[len(events)-1].EdgeMessages
		}
		if e.Kind == core.MessagePosted {
			at.EdgeMessages++
		}
		events = append(events, at)
	}
	translated := func(args string) (out operations.TranslatedCursor) {
		require.NoError(t, json.Unmarshal([]byte(w.must(t, c, "translate_cursor", args)), &out))
		require.Equal(t, room, out.RoomID)
		require.Equal(t, events[len(events)-1], out.Head)
		return out
	}
	require.Equal(t, events[3], translated(`{"areyouai":4,"room_id":"`+room+`"}`).Cursors)
	require.Equal(t, events[3], translated(`{"edge_events":4,"switch":null}`).Cursors)
	require.Equal(t, events[2], translated(`{"edge_messages":1}`).Cursors)
	text, err := json.Marshal(events[5].Switch)
	require.NoError(t, err)
	require.Equal(t, events[5], translated(`{"switch":`+string(text)+`}`).Cursors)
	require.Equal(t, "2026-01-02T03:04:05.678Z", *translated(`{"areyouai":1}`).At)
	require.Nil(t, translated(`{"areyouai":0}`).At)

	for args, want := range map[string]string{
		`{}`: "exactly one", `{"switch":1,"areyouai":1}`: "exactly one", `{"switch":-1}`: "from 0 on",
		`{"areyouai":99}`: "beyond the end", `{"edge_messages":3}`: "beyond the end", `{"areyouai":"4"}`: "must be",
	} {
		_, err := w.call(t, c, "translate_cursor", args)
		require.ErrorContains(t, err, want, args)
		require.ErrorAs(t, err, new(*operations.ArgumentError), args)
	}
	_, err = w.call(t, operations.Caller{Agent: bob.ID}, "translate_cursor", `{"areyouai":1,"room_id":"`+room+`"}`)
	require.ErrorIs(t, err, core.ErrNotMember)
	_, err = w.call(t, operations.Caller{Agent: ada.ID, Room: "room_other", Bound: true}, "translate_cursor", `{"areyouai":1,"room_id":"`+room+`"}`)
	require.ErrorIs(t, err, operations.ErrOtherRoom)
	_, err = w.call(t, operations.Caller{Agent: ada.ID}, "translate_cursor", `{"areyouai":1}`)
	require.ErrorIs(t, err, operations.ErrNotConnected)
}
