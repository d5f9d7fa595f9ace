package switchfront_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSharedState: agents of this protocol read and write what a room's members share, by operations that are listed behind
// those of the protocol.
func TestSharedState(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, stranger := g.register("alice"), g.register("bob"), g.register("stranger")
	room := a.room("", a, b)
	listed := g.do("GET", a.path("/ops"), a.key, "").body
	last := 0
	for _, name := range []string{"unarchive_room", "get_room_state", "set_room_state", "replace_room_state", "emit_event"} {
		at := strings.Index(listed, `"`+name+`":{"description":`)
		require.Greater(t, at, last, name)
		last = at
	}
	call := func(p *agent, op, body string) reply {
		return g.do("POST", p.path("/ops/"+op), p.key, body)
	}
	r := call(a, "set_room_state", `{"patch":{"plan":{"step":1},"when":{"$date":"soon"}},"room_id":"`+room+`"}`)
	require.Equal(t, 200, r.status, r.body)
	require.JSONEq(t, `{"result":{"room_id":"`+room+`","changed":true,"bytes":55}}`, r.body)
	require.Equal(t, `{"result":{"plan":{"step":1},"when":{"$date":"soon"}}}`,
		strings.TrimSpace(call(b, "get_room_state", `{"room_id":"`+room+`"}`).body))
	for _, tc := range []struct {
		p        *agent
		op, body string
		status   int
		contains string
	}{
		{a, "get_room_state", `{}`, 400, "Not connected to a room"},
		{a, "set_room_state", `{"patch":{"turn":1},"room_id":"` + room + `"}`, 400, "turn: under these keys"},
		{a, "set_room_state", `{"patch":5,"room_id":"` + room + `"}`, 400, "must be an object"},
		{a, "set_room_state", `{"patch":{"a":"` + strings.Repeat("x", 300_000) + `"},"room_id":"` + room + `"}`, 400, "262144"},
		{stranger, "replace_room_state", `{"state":{},"room_id":"` + room + `"}`, 403, "not a member"},
		{stranger, "emit_event", `{"type":"x","room_id":"` + room + `"}`, 403, "not a member"},
		{a, "emit_event", `{"type":"room.closed","room_id":"` + room + `"}`, 400, "the room itself tells"},
	} {
		r := call(tc.p, tc.op, tc.body)
		require.Equal(t, tc.status, r.status, "%s %s: %s", tc.op, tc.body, r.body)
		require.Contains(t, r.body, tc.contains)
	}
	a.open("c-1", "&rooms="+room).hello()
	r = g.do("POST", a.path("/ops/emit_event"), a.key, `{"type":"progress","payload":{"pct":5}}`, "X-Switch-Connection-Id: c-1")
	require.Equal(t, 200, r.status, r.body)
	require.Contains(t, r.body, `"version":`)
}
