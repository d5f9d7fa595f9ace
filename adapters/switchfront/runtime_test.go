package switchfront_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func (a *agent) call(route, body string, headers ...string) reply {
	a.g.t.Helper()
	return a.g.do("POST", a.path(route), a.key, body, headers...)
}

// TestRuntimeState: what is left out stays, and a repetition leaves no trace.
func TestRuntimeState(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	report := func(more string) core.Runtime {
		t.Helper()
		r := a.call("/runtime-state", `{"room_id":"`+room+`"`+more+`}`)
		require.Equal(t, 200, r.status, r.body)
		require.Equal(t, `{"ok":true}`, r.body)
		got, ok := g.node.Runtime(a.id, room)
		require.True(t, ok)
		return got
	}
	want := core.Runtime{
		State: "working", Thread: "msg_1", Anchor: "msg_2", Link: "switch://s", Detail: "d", At: g.node.Now(),
		Controls: map[string]bool{"reset": true, "compact": false, "interrupt": false},
	}
	require.Equal(t, want, report(`,"state":"working","thread_id":"msg_1","anchor_event_id":"msg_2","deeplink_url":"switch://s",`+
		`"detail":"d","control_capabilities":{"reset":true}`))
	want.State, want.Thread, want.Anchor, want.Detail = "awaiting-input", "", "", ""
	require.Equal(t, want, report(`,"state":"awaiting-input"`))
	before := g.node.Applied()
	require.Equal(t, want, report(`,"state":"awaiting-input","thread_id":null,"control_capabilities":null`))
	require.Equal(t, before, g.node.Applied())
	want.Controls = map[string]bool{"reset": false, "compact": false, "interrupt": true}
	require.Equal(t, want, report(`,"state":"awaiting-input","control_capabilities":{"interrupt":true}`))
}

// TestStatusDetailIsAMessage in italics, and nothing else that it says changes anything.
func TestStatusDetailIsAMessage(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	heard := b.open("c-b", "&rooms="+room).hello()
	status := func(more string, headers ...string) {
		t.Helper()
		r := a.call("/status", `{"room_id":"`+room+`"`+more+`}`, headers...)
		require.Equal(t, 200, r.status, r.body)
		require.Equal(t, `{"ok":true}`, r.body)
	}
	before := g.node.Applied()
	for _, more := range []string{"", `,"presence":"online","status":"busy"`, `,"detail":""`, `,"detail":" \n"`, `,"detail":null`, `,"presence":"offline"`} {
		status(more)
	}
	require.Equal(t, before, g.node.Applied())
	require.Equal(t, core.StatusNoSession, g.node.Presence(a.id, room))
	const key = "Idempotency-Key: k-1"
	status(`,"presence":"online","detail":" reading the @bob file\n"`, key)
	status(`,"presence":"online","detail":" reading the @bob file\n"`, key)
	_, data := event(t, heard.next())
	payload := data["payload"].(map[string]any)
	require.Equal(t, "*reading the @bob file*", payload["body"])
	require.Equal(t, a.id, payload["sender"])
	require.Equal(t, true, payload["addressed"])
	a.post(room, "end")
	require.Equal(t, "end", heard.body(), "the repetition posts nothing")

	listing := g.node.IDs().New(core.ListingPrefix, g.node.Now())
	made, _, err := g.node.CreateRoom(context.Background(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "duel", Floor: core.FloorTurns, MaxTurns: 5,
			Listing: &core.Listing{ID: listing, Agent: a.id, Topic: "duel", MaxTurns: 5},
		},
		Members: []core.NewMember{{Agent: a.id, Name: "alice", Handle: "alice"}},
	}, nil)
	require.NoError(t, err)
	_, err = g.node.ConnectListing(context.Background(), listing, core.ConnectListing{
		Member: core.NewMember{Agent: b.id, Name: "bob", Handle: "bob"},
	}, nil)
	require.NoError(t, err)
	r := a.call("/status", `{"room_id":"`+made.Room+`","detail":"thinking"}`)
	require.Equal(t, 400, r.status, r.body)
	require.Equal(t, `{"detail":"detail: a room of two that speak in turns takes no remarks"}`, r.body, "a remark uses up no turn")
}

func TestRuntimeRefusals(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, foreign := a.room("", a), b.room("", b)
	long := strings.Repeat("x", core.MaxRuntimeDetail+1)
	for _, tc := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/runtime-state", `{"room_id":"room_x","state":"idle"}`, 404, "no such room"},
		{"/runtime-state", `{"room_id":"` + foreign + `","state":"idle"}`, 403, "not a member of this room"},
		{"/runtime-state", `{"room_id":"` + room + `","state":"asleep"}`, 422, ""},
		{"/runtime-state", `{"room_id":"` + room + `"}`, 422, ""},
		{"/runtime-state", `{"room_id":"` + room + `","state":"idle","control_capabilities":[]}`, 422, ""},
		{"/runtime-state", `{"room_id":"` + room + `","state":"idle","detail":"` + long + `"}`, 400, "detail has 4097 bytes, at most 4096 are accepted"},
		{"/status", `{"room_id":"room_x"}`, 404, "no such room"},
		{"/status", `{"room_id":"` + foreign + `","detail":"x"}`, 403, "not a member of this room"},
		{"/status", `{"room_id":"` + room + `","presence":"away"}`, 422, ""},
		{"/status", `{}`, 422, ""},
		{"/connection/renew", `{"room_id":"room_x"}`, 404, "no such room"},
		{"/connection/renew", `{"room_id":"` + foreign + `"}`, 403, "not a member of this room"},
		{"/connection/renew", ``, 422, ""},
	} {
		t.Run(fmt.Sprintf("%s %.40s", tc.path, tc.body), func(t *testing.T) {
			before := g.node.Applied()
			r := a.call(tc.path, tc.body)
			require.Equal(t, tc.status, r.status, r.body)
			if tc.want != "" {
				require.Equal(t, `{"detail":"`+tc.want+`"}`, r.body)
			}
			requireDetail(t, r)
			require.Equal(t, before, g.node.Applied())
		})
	}
}

// TestLeaseRenewal tells whether a role is held, for as long as the connection lives with which it was taken.
func TestLeaseRenewal(t *testing.T) {
	now := newClock()
	g := newGateway(t, setup{node: core.Options{Now: now.Now}})
	a := g.register("alice")
	room := a.room(`,"roles":[{"name":"chair","instructions":"Keep order."}]`, a)
	renewed := func(held bool) {
		t.Helper()
		r := a.call("/leases/renew", "")
		require.Equal(t, 200, r.status, r.body)
		require.Equal(t, fmt.Sprintf(`{"ok":true,"held":%v}`, held), r.body)
	}
	renewed(false)
	a.open("c-1", "&rooms="+room).hello()
	require.Equal(t, 200, a.op("c-1", "assume_role", `{"role":"chair"}`).status)
	renewed(true)
	require.Equal(t, 200, a.op("c-1", "release_role", ``).status)
	renewed(false)
	require.Equal(t, 200, a.op("c-1", "assume_role", `{"role":"chair"}`).status)
	now.Advance(6 * time.Second)
	renewed(false)
}

// TestLegacyPresence: agents that have no connection are there for as long as they say so.
func TestLegacyPresence(t *testing.T) {
	now := newClock()
	g := newGateway(t, setup{node: core.Options{Now: now.Now}})
	a := g.register("alice")
	room := a.room("", a)
	require.Equal(t, core.StatusNoSession, g.node.Presence(a.id, room))
	r := a.call("/connection/renew", `{"room_id":"`+room+`"}`)
	require.Equal(t, 200, r.status, r.body)
	require.Equal(t, `{"ok":true}`, r.body)
	require.Equal(t, core.StatusLive, g.node.Presence(a.id, room))
	now.Advance(6 * time.Second)
	require.Equal(t, core.StatusNoSession, g.node.Presence(a.id, room))

	spawner, err := g.node.Register(context.Background(), core.Registration{
		Agent: core.Agent{Name: "watcher", Handle: "watcher", Model: core.ModelAutoStart},
	})
	require.NoError(t, err)
	w := &agent{g: g, id: spawner.Agent.ID, key: spawner.Key, name: "watcher"}
	before := g.node.Applied()
	require.Equal(t, core.StatusDisconnected, g.node.Presence(w.id, room))
	r = w.call("/watch/heartbeat", "")
	require.Equal(t, 200, r.status, r.body)
	require.Equal(t, `{"ok":true}`, r.body)
	require.Equal(t, core.StatusDormant, g.node.Presence(w.id, room))
	now.Advance(90 * time.Second)
	require.Equal(t, core.StatusDisconnected, g.node.Presence(w.id, room))
	require.Equal(t, 204, g.do("GET", w.path("/events?timeout=0"), w.key, "").status)
	require.Equal(t, core.StatusDormant, g.node.Presence(w.id, room), "a poll for all events counts too")
	require.Equal(t, before, g.node.Applied(), "none of it is stored")
}
