package areyouaifront_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func TestRoomIsForItsMembers(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r, stranger := g.room(), g.person("stranger")
	for _, a := range []ask{
		{method: "GET", path: "/state"},
		{method: "GET", path: "/context"},
		{method: "POST", path: "/context/ack", body: `{"turn_index":0}`},
		{method: "POST", path: "/close"},
		{method: "GET", path: "/events"},
		{method: "GET", path: "/events/history"},
	} {
		tail := a.path
		a.path, a.token = r.path(tail), stranger.token
		require.Equal(t, `{"error":"forbidden","status":403,"recoverable":false}`+"\n", g.do(a).body, tail)
		a.path = "/v1/rooms/room_x" + tail
		require.Equal(t, `{"error":"room_not_found","status":404,"recoverable":false}`+"\n", g.do(a).body, tail)
	}
}

func TestContextInEveryState(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada, bob := g.person("Ada"), g.person("Bob")
	l := g.listing(ada, `{"topic":"tea"}`)
	r := room{g: g, id: l.RoomID, a: ada, b: bob}
	open := r.context(ada)
	require.Equal(t, ada.id, open.NextActorID)
	require.Contains(t, open.PromptBundleText, "agent_b_id=\nstate=OPEN\n")
	require.Equal(t, 201, g.post("/v1/listings/"+l.ID+"/connect", bob.token, "").status)
	active := r.context(ada)
	require.NotEqual(t, open.BundleHash, active.BundleHash)
	require.Equal(t, "/v1/rooms/{id}/context/ack", active.ContextAckPath)
	require.Equal(t, 200, g.post(r.path("/close"), bob.token, "").status)
	closed := r.context(ada)
	require.Empty(t, closed.NextActorID)
	require.Contains(t, closed.PromptBundleText, "state=CLOSED\n")
	require.Contains(t, closed.PromptBundleText, "\nclosed_at=2026-04-02T10:00:00Z")
}

// TestAckIsClamped: nobody can have read what was not said.
func TestAckIsClamped(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	r.talk(2)
	ack := func(turn int64) areyouai.ContextAckReply {
		return as[areyouai.ContextAckReply](g, 200, g.post(r.path("/context/ack"), r.a.token, fmt.Sprintf(`{"turn_index":%d}`, turn)))
	}
	require.Equal(t, areyouai.ContextAckReply{RoomID: r.id, AgentID: r.a.id, TurnIndex: 1}, ack(1))
	require.EqualValues(t, 2, ack(999).TurnIndex)
	require.EqualValues(t, 2, ack(1<<62).TurnIndex)
	before := g.node.Applied()
	require.EqualValues(t, 0, ack(0).TurnIndex, "an earlier turn is no error")
	require.Equal(t, before, g.node.Applied(), "and takes nothing back")
}

func TestCloseTwice(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada := g.person("Ada")
	l := g.listing(ada, `{"topic":"t"}`)
	for range 3 {
		require.Equal(t, `{"room_id":"`+l.RoomID+`","state":"CLOSED"}`+"\n", g.post("/v1/rooms/"+l.RoomID+"/close", ada.token, "").body)
	}
	items := as[areyouai.HistoryReply](g, 200, g.get("/v1/rooms/"+l.RoomID+"/events/history", ada.token)).Items
	require.Len(t, items, 4, "created, joined, state_changed, closed")
}

// TestTimeToLiveTakesEffectOnAccess: no sweep is needed to see that a room is over.
func TestTimeToLiveTakesEffectOnAccess(t *testing.T) {
	for name, look := range map[string]func(r room) int{
		"state":   func(r room) int { return r.g.get(r.path("/state"), r.a.token).status },
		"context": func(r room) int { return r.g.get(r.path("/context"), r.a.token).status },
		"history": func(r room) int { return r.g.get(r.path("/events/history"), r.a.token).status },
		"close":   func(r room) int { return r.g.post(r.path("/close"), r.a.token, "").status },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, areyouaifront.Options{})
			r := g.roomOf(`{"topic":"t","ttl_seconds":10}`)
			g.clock.Advance(10*time.Second + time.Millisecond)
			require.Equal(t, 200, look(r))
			items := as[areyouai.HistoryReply](g, 200, g.get(r.path("/events/history?since=4"), r.a.token)).Items
			require.Len(t, items, 2)
			require.Equal(t, areyouai.EventRoomClosed, items[1].Type)
			require.Empty(t, items[1].SenderID, "time has no id")
			require.Equal(t, areyouai.StateClosed, as[areyouai.RoomReply](g, 200, g.get(r.path("/state"), r.b.token)).State)
		})
	}
}

// TestPurgedRoom: what a purged room still answers, to its members and to others.
func TestPurgedRoom(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	body := r.message(r.a, "hello")
	require.Equal(t, 200, g.post(r.path("/close"), r.a.token, "").status)
	g.clock.Advance(core.DefaultPurgeGrace)
	stranger := g.person("stranger")
	for _, tc := range []struct {
		method, tail, body string
		status, foreign    int
	}{
		{"GET", "/state", "", 200, 403},
		{"GET", "/context", "", 200, 403},
		{"POST", "/context/ack", `{"turn_index":0}`, 410, 403},
		{"POST", "/messages", body, 410, 403},
		{"POST", "/close", "", 410, 403},
		{"GET", "/events", "", 410, 410},
		{"GET", "/events/history", "", 410, 410},
	} {
		got := g.do(ask{method: tc.method, path: r.path(tc.tail), token: r.a.token, body: tc.body})
		require.Equal(t, tc.status, got.status, "%s: %s", tc.tail, got.body)
		got = g.do(ask{method: tc.method, path: r.path(tc.tail), token: stranger.token, body: tc.body})
		require.Equal(t, tc.foreign, got.status, "%s: %s", tc.tail, got.body)
	}
	state := as[areyouai.RoomReply](g, 200, g.get(r.path("/state"), r.a.token))
	require.Equal(t, areyouai.StatePurged, state.State)
	require.NotNil(t, state.PurgedAt)
}

// TestOpenFloor: a member of a room that another door made takes part with the same routes.
func TestOpenFloor(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada, bob, eve := g.person("Ada"), g.person("Bob"), g.person("Eve")
	r := g.openRoom(ada, bob, eve)
	for p, companion := range map[person]person{ada: bob, bob: ada, eve: ada} {
		s := as[areyouai.RoomReply](g, 200, g.get(r.path("/state"), p.token))
		require.Equal(t, p.id, s.AgentAID)
		require.Equal(t, companion.id, s.AgentBID)
		require.Equal(t, p.id, s.NextActorID)
		require.Equal(t, areyouai.StateActive, s.State)
		require.EqualValues(t, 1<<31-1, s.MaxTurns)
		require.Equal(t, 9999, s.TTLAt.Year())
		require.Equal(t, p.id, r.context(p).NextActorID)
	}
	r.say(eve, "anybody may speak")
	r.say(eve, "twice")

	// What was prepared before somebody else spoke is refused by the turn, and with the right turn by the hash.
	prepared := r.message(ada, "late")
	r.say(bob, "first")
	require.Equal(t, "turn_mismatch", r.post(ada, prepared).code())
	old := r.message(ada, "late", staleOnly)
	require.Equal(t, "stale_bundle_hash", r.post(ada, old).code())
	r.say(ada, "now")

	alone := g.openRoom(ada)
	require.Empty(t, as[areyouai.RoomReply](g, 200, g.get(alone.path("/state"), ada.token)).AgentBID)
	tooLong := r.message(ada, string(make([]rune, 8193)))
	require.Equal(t, 413, r.post(ada, tooLong).status, "also on an open floor")
	require.Equal(t, 200, g.post(r.path("/close"), eve.token, "").status)
	require.Empty(t, r.context(ada).NextActorID)
}

// TestOnlyWhoMayWriteClosesAnOpenFloor: beside its creator, in a room that others may not write.
func TestOnlyWhoMayWriteClosesAnOpenFloor(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada, bob := g.person("Ada"), g.person("Bob")
	made, _, err := g.node.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "commons", Creator: ada.id, WriteVisibility: "private"},
		Members: []core.NewMember{{Agent: ada.id, Name: "Ada"}, {Agent: bob.id, Name: "Bob"}},
	}, nil)
	require.NoError(t, err)
	r := room{g: g, id: made.Room, a: ada, b: bob}
	before := g.node.Applied()
	require.Equal(t, `{"error":"forbidden","status":403,"recoverable":false,"hint":"Only this room's creator and the agents of its owner may do this."}`+"\n",
		g.post(r.path("/close"), bob.token, "").body)
	require.Equal(t, before, g.node.Applied())
	r.say(bob, "a member may still speak")
	require.Equal(t, 200, g.post(r.path("/close"), ada.token, "").status)
	require.Equal(t, 200, g.post(r.path("/close"), bob.token, "").status, "what is closed is closed for everybody")
}

// TestWatcherOfTurns: a member without a side reads, and its posts are out of turn.
func TestWatcherOfTurns(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada, bob, eve := g.person("Ada"), g.person("Bob"), g.person("Eve")
	made, _, err := g.node.CreateRoom(context.Background(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "debate", Floor: core.FloorTurns, MaxTurns: 4},
		Members: []core.NewMember{{Agent: ada.id, Name: "Ada"}, {Agent: bob.id, Name: "Bob"}, {Agent: eve.id, Name: "Eve"}},
	}, nil)
	require.NoError(t, err)
	r := room{g: g, id: made.Room, a: ada, b: bob}
	s := as[areyouai.RoomReply](g, 200, g.get(r.path("/state"), eve.token))
	require.Equal(t, []string{ada.id, bob.id, ada.id}, []string{s.AgentAID, s.AgentBID, s.NextActorID})
	require.Equal(t, "turn_mismatch", r.post(eve, r.message(eve, "me too")).code())
	r.talk(4)
	require.Equal(t, 410, r.post(eve, r.message(eve, "and now?")).status)
}
