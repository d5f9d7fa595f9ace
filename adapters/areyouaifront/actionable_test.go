package areyouaifront_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func (g *gate) actionable(p person) areyouai.ActionableReply {
	g.t.Helper()
	return as[areyouai.ActionableReply](g, 200, g.get("/v1/agent/actionable-rooms", p.token))
}

func TestActionableRooms(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	require.Equal(t, `{"actionable":[],"terminal":[]}`+"\n", g.get("/v1/agent/actionable-rooms", r.b.token).body)
	old := as[areyouai.AccessTokenReply](g, 201, g.post(r.path("/access-token"), r.a.token, "")).Token

	got := g.actionable(r.a)
	require.Len(t, got.Actionable, 1)
	room := got.Actionable[0]
	require.Equal(t, areyouai.ActionableRoom{
		RoomID: r.id, RoomState: areyouai.StateActive, NextTurn: 0, NextActorID: r.a.id, AgentID: r.a.id,
		Token: room.Token, ExpiresAt: areyouai.NewTime(g.clock.Now().Add(5 * time.Minute)),
	}, room)
	require.Equal(t, 200, g.get(r.path("/context"), room.Token).status)
	require.Equal(t, 401, g.get(r.path("/context"), old).status, "the token before is revoked")
	again := g.actionable(r.a).Actionable[0].Token
	require.NotEqual(t, room.Token, again)
	require.Equal(t, 401, g.get(r.path("/context"), room.Token).status)

	r.talk(1)
	require.Empty(t, g.actionable(r.a).Actionable)
	require.EqualValues(t, 1, g.actionable(r.b).Actionable[0].NextTurn)
	open := g.listing(r.a, `{"topic":"nobody came"}`)
	require.Empty(t, g.actionable(r.a).Actionable, "a room that waits for company is not active: %s", open.RoomID)

	r.close(r.a)
	require.Equal(t, areyouai.ActionableReply{
		Actionable: []areyouai.ActionableRoom{},
		Terminal: []areyouai.TerminalRoom{{
			RoomID: r.id, RoomState: areyouai.StateClosed, ClosedAt: areyouai.TimePtr(g.clock.Now()),
		}},
	}, g.actionable(r.b))
	g.clock.Advance(30 * time.Minute)
	require.Empty(t, g.actionable(r.b).Terminal)
}

// TestActionableRoomsLetTimePass: rooms whose time is over are closed, and those whose grace is over purged, before the
// answer is made.
func TestActionableRoomsLetTimePass(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.roomOf(`{"topic":"tea","ttl_seconds":60}`)
	g.clock.Advance(61 * time.Second)
	got := g.actionable(r.a)
	require.Empty(t, got.Actionable)
	require.Equal(t, areyouai.StateClosed, got.Terminal[0].RoomState)
	closedAt := g.clock.Now()

	g.clock.Advance(core.DefaultPurgeGrace)
	sum, _ := g.node.Room(r.id)
	require.Equal(t, core.StateClosed, sum.State)
	require.Equal(t, []areyouai.TerminalRoom{{
		RoomID: r.id, RoomState: areyouai.StatePurged, ClosedAt: areyouai.TimePtr(closedAt), PurgedAt: areyouai.TimePtr(g.clock.Now()),
	}}, g.actionable(r.a).Terminal)
	require.Equal(t, 410, g.post(r.path("/access-token"), r.a.token, "").status)
}

func TestManyActionableRooms(t *testing.T) {
	g := newGate(t, unlimited())
	a, b := g.person("Ada"), g.person("Bob")
	var want []string
	for i := range 100 {
		l := g.listing(a, fmt.Sprintf(`{"topic":"room %d"}`, i))
		require.Equal(t, 201, g.post("/v1/listings/"+l.ID+"/connect", b.token, "").status)
		want = append(want, l.RoomID)
	}
	var got []string
	tokens := map[string]bool{}
	for _, room := range g.actionable(a).Actionable {
		got = append(got, room.RoomID)
		tokens[room.Token] = true
		require.Equal(t, 200, g.get("/v1/rooms/"+room.RoomID+"/state", room.Token).status)
	}
	require.ElementsMatch(t, want, got)
	require.Len(t, tokens, 100)
}

func TestAccessToken(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	got := as[areyouai.AccessTokenReply](g, 201, g.post(r.path("/access-token"), r.b.token, "{}"))
	require.Equal(t, areyouai.AccessTokenReply{
		RoomID: r.id, AgentID: r.b.id, Token: got.Token, Scope: "room:automation",
		ExpiresAt: areyouai.NewTime(g.clock.Now().Add(5 * time.Minute)),
	}, got)
	require.Regexp(t, `^rat_[A-Za-z0-9_-]{32}$`, got.Token)
	require.Equal(t, 200, g.get(r.path("/state"), got.Token).status)
	second := as[areyouai.AccessTokenReply](g, 201, g.post(r.path("/access-token"), r.b.token, ""))
	require.Equal(t, 401, g.get(r.path("/state"), got.Token).status)
	require.Equal(t, 200, g.get(r.path("/state"), second.Token).status)

	stranger := g.person("Eve")
	require.Equal(t, "forbidden", g.post(r.path("/access-token"), stranger.token, "").code())
	require.Equal(t, "room_not_found", g.post("/v1/rooms/room_none/access-token", stranger.token, "").code())
	lonely := g.listing(r.a, `{"topic":"nobody came"}`)
	require.Equal(t, 201, g.post("/v1/rooms/"+lonely.RoomID+"/access-token", r.a.token, "").status, "also in an open room")

	r.close(r.a)
	require.Equal(t, "gone", g.post(r.path("/access-token"), r.b.token, "").code())
	require.Equal(t, "forbidden", g.post(r.path("/access-token"), stranger.token, "").code())
	require.Equal(t, 401, g.get(r.path("/state"), second.Token).status)
}

// TestAccessTokenAfterItsTime: a time to live that passed unnoticed is noticed here.
func TestAccessTokenAfterItsTime(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.roomOf(`{"topic":"tea","ttl_seconds":60}`)
	g.clock.Advance(61 * time.Second)
	require.Equal(t, "gone", g.post(r.path("/access-token"), r.a.token, "").code())
}

func TestStreamAck(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	ack := func(p person, body string) answer { return g.post("/v1/agent/stream/ack", p.token, body) }
	id := g.waiting(r.a)[0]
	for _, body := range []string{"", "{", "[]", "{}", `{"delivery_id":"  "}`, `{"delivery_id":7}`} {
		require.Equal(t, "invalid_request", ack(r.a, body).code(), body)
	}
	require.Equal(t, noSession, ack(person{}, `{"delivery_id":"x"}`).body)
	for _, other := range []string{"dly_x", "room_x", id + "x"} {
		require.Equal(t, notFound, ack(r.a, fmt.Sprintf(`{"delivery_id":%q}`, other)).body, other)
	}
	require.Equal(t, notFound, ack(r.b, fmt.Sprintf(`{"delivery_id":%q}`, id)).body, "another agent's")
	require.Equal(t, []string{id}, g.waiting(r.a))
	require.Equal(t, 200, ack(r.a, fmt.Sprintf(`{"delivery_id":" %s "}`, id)).status)
	g.ackDelivery(r.a, id)
	require.Empty(t, g.waiting(r.a))

	// One delivery, and not those before it; an expired one too.
	r.talk(2)
	turn := g.waiting(r.a)[0]
	r.close(r.b)
	end := g.waiting(r.a)[0]
	g.clock.Advance(time.Hour)
	g.ackDelivery(r.a, turn)
	g.ackDelivery(r.a, end)
}
