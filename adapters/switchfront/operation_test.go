package switchfront_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCatalog(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	r := g.do("GET", a.path("/ops"), a.key, "")
	require.Equal(t, 200, r.status)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Equal(t, r.body, g.do("GET", b.path("/ops"), b.key, "").body, "the same answer for every agent")
	require.True(t, strings.HasPrefix(r.body, `{"operations":{"list_rooms":{"description":"`), r.body)
	var out struct {
		Operations map[string]struct {
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"operations"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &out))
	for _, name := range []string{"list_rooms", "create_room", "connect_to_room", "list_participants", "post_message", "read_context"} {
		require.NotEmpty(t, out.Operations[name].Description, name)
		require.Contains(t, string(out.Operations[name].InputSchema), `"type":"object"`, name)
	}
	require.Equal(t, `{"properties":{"body":{"title":"Body","type":"string"},`+
		`"thread_id":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Thread Id"}},`+
		`"required":["body"],"type":"object"}`, string(out.Operations["post_message"].InputSchema))
	require.Equal(t, `{"type":"object","properties":{}}`, string(out.Operations["list_participants"].InputSchema))
}

// TestOperationChecksInOrder gives each request all faults from a place on, so that the first one must be the answer.
func TestOperationChecksInOrder(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, stranger := g.register("alice"), g.register("bob"), g.register("stranger")
	room := a.room("", a, b)
	a.open("c-1", "").hello()
	b.open("c-b", "").hello()
	a.open("c-all", "&scope=all").hello()
	other := a.room("", a)
	require.Equal(t, 200, a.subscribe("c-all", room, "").status)
	require.Equal(t, 200, a.subscribe("c-all", other, "").status)
	foreign := stranger.room("", stranger)
	const dead = "X-Switch-Connection-Id: c-dead"
	for _, tc := range []struct {
		name, key, op, body, header string
		status                      int
		contains                    string
	}{
		{"1 bearer", "nothing", "nothing", `[`, dead, 401, "Invalid credentials"},
		{"2 body", a.key, "nothing", `[`, dead, 422, `"type":"json_invalid"`},
		{"2 body is a list", a.key, "nothing", `[]`, dead, 422, `{"detail":[{`},
		{"2 body is null", a.key, "nothing", `null`, dead, 422, `{"detail":[{`},
		{"3 dead connection", a.key, "nothing", `{}`, dead, 409, "Connection c-dead is not open"},
		{"3 somebody else's connection", a.key, "nothing", `{}`, "X-Switch-Connection-Id: c-b", 409, "Connection c-b is not open"},
		{"4 unknown operation", a.key, "nothing", `{"x":1}`, "", 404, "list_rooms, connect_to_room"},
		{"5 unexpected arguments", a.key, "post_message", `{"y":1,"x":1}`, "", 400, "unexpected arguments: x, y"},
		{"5 missing arguments", a.key, "post_message", `{}`, "", 400, "missing required arguments: body"},
		{"5 wrong type", a.key, "post_message", `{"body":5}`, "", 400, `\"body\" must be a string`},
		{"5 wrong type of an optional one", a.key, "read_context", `{"limit":"5"}`, "", 400, `\"limit\" must be an integer`},
		{"6 no connection", a.key, "post_message", `{"body":"x"}`, "", 400, `{"detail":"Not connected to a room. Call connect_to_room first."}`},
		{"6 no room", a.key, "post_message", `{"body":"x"}`, "X-Switch-Connection-Id: c-1", 400, `{"detail":"Not connected to a room. Call connect_to_room first."}`},
		{"6 several rooms", a.key, "read_context", ``, "X-Switch-Connection-Id: c-all", 400, "single-room connection"},
		{"6 connect without connection", a.key, "connect_to_room", `{"room_id":"` + room + `"}`, "", 400, "open connection"},
		{"6 unknown room", a.key, "connect_to_room", `{"room_id":"room_x"}`, "X-Switch-Connection-Id: c-1", 400, "no such room"},
		{"6 bad time", a.key, "create_room", `{"name":" ","description":"d","agent_names":[]}`, "", 400, "name"},
		{"6 unknown agent", a.key, "create_room", `{"name":"n","description":"d","agent_names":["nobody"]}`, "", 400, "nobody"},
		{"7 not a member", a.key, "connect_to_room", `{"room_id":"` + foreign + `"}`, "X-Switch-Connection-Id: c-1", 403, "not a member"},
		{"large body", a.key, "post_message", `{"body":"` + strings.Repeat("x", 2<<20) + `"}`, "", 413, `{"detail":"`},
		{"bad idempotency key", a.key, "list_rooms", ``, "Idempotency-Key: a b", 400, "Idempotency-Key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := g.node.Applied()
			var headers []string
			if tc.header != "" {
				headers = append(headers, tc.header)
			}
			r := g.do("POST", a.path("/ops/"+tc.op), tc.key, tc.body, headers...)
			require.Equal(t, tc.status, r.status, r.body)
			require.Contains(t, r.body, tc.contains)
			require.Equal(t, before, g.node.Applied(), "a refusal changes nothing")
		})
	}
}

func TestListRoomsMarksTheCurrentRoom(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	row := `{"result":[{"room_id":"` + room + `","name":"ops","description":"d","connected":%v,"archived":false}]}`
	r := a.op("", "list_rooms", "")
	require.Equal(t, 200, r.status)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Equal(t, fmt.Sprintf(row, false), r.body)
	a.open("c-1", "&rooms="+room).hello()
	require.Equal(t, fmt.Sprintf(row, true), a.op("c-1", "list_rooms", "{}").body)
	require.Equal(t, `{"result":[]}`, g.register("bob").op("", "list_rooms", "").body)
}

// TestConnectTellsWhatTheClaimDid: a full room in the answer must mean that the room was claimed, and who lost it.
func TestConnectTellsWhatTheClaimDid(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	first := a.open("c-1", "").hello()
	second := a.open("c-2", "").hello()
	args := `{"room_id":"` + room + `"}`
	out := a.must("c-1", "connect_to_room", args)
	require.Equal(t, a.id, out["agent_id"])
	require.Equal(t, room, out["room_id"])
	require.Nil(t, out["warning"])
	require.Equal(t, changed(room), first.next())
	require.Nil(t, a.must("c-1", "connect_to_room", args)["warning"], "reconnecting to one's own room is no takeover")

	out = a.must("c-2", "connect_to_room", args)
	require.Contains(t, out["warning"], room)
	require.Contains(t, out["warning"], "c-1")
	require.Equal(t, changed(room), second.next())
	require.Equal(t, changed(), first.next(), "the loser hears of it at once, without an event")

	r := a.op("c-1", "post_message", `{"body":"x"}`)
	require.Equal(t, 400, r.status, "the room comes from the live connection only")
	require.Equal(t, `{"detail":"Not connected to a room. Call connect_to_room first."}`, r.body)
	posted := a.op("c-2", "post_message", `{"body":"x"}`)
	require.Regexp(t, `^\{"result":\{"event_id":"msg_[0-9a-f-]{36}"\}\}$`, posted.body)
}

func TestIdempotentPost(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	a.open("c-1", "&rooms="+room).hello()
	post := func(body string) reply {
		return g.do("POST", a.path("/ops/post_message"), a.key, body, "X-Switch-Connection-Id: c-1", "Idempotency-Key: k-1")
	}
	first := post(`{"body":"once"}`)
	require.Equal(t, 200, first.status, first.body)
	before := g.node.Applied()
	require.Equal(t, first.body, post(`{"body":"once"}`).body)
	refused := post(`{"body":"twice"}`)
	require.Equal(t, 409, refused.status)
	require.NotContains(t, refused.body, "is not open", "clients take that for a dead connection")
	require.Equal(t, before, g.node.Applied())
}
