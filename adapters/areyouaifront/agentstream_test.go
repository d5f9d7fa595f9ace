package areyouaifront_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func TestAgentStreamTellsTheTurns(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.roomOf(`{"topic":"tea","max_turns":3}`)
	a, hello := g.openAgentStream(r.a, "")
	require.Equal(t, areyouai.ResumeFresh, hello.ResumeStatus)
	require.Equal(t, g.clock.Now(), hello.ServerTime.Time)
	b, _ := g.openAgentStream(r.b, "")

	first := a.turn()
	require.Equal(t, areyouai.TurnReady{
		Type: areyouai.FrameTurnReady, DeliveryID: first.DeliveryID, AgentID: r.a.id, TargetAgentID: r.a.id, RoomID: r.id,
		RoomState: areyouai.StateActive, NextTurn: 0, NextActorID: r.a.id, Reason: areyouai.ReasonRoomActivated,
		OccurredAt: areyouai.NewTime(g.clock.Now()), CreatedAt: areyouai.NewTime(g.clock.Now()),
		ExpiresAt: areyouai.NewTime(g.clock.Now().Add(30 * time.Minute)),
	}, first)
	r.talk(1)
	second := b.turn()
	require.Equal(t, areyouai.ReasonPeerMessage, second.Reason)
	require.EqualValues(t, 1, second.NextTurn)
	require.Equal(t, r.b.id, second.NextActorID)
	r.talk(1)
	third := a.turn()
	require.EqualValues(t, 2, third.NextTurn)
	r.talk(1)
	for who, s := range map[string]*eventStream{r.a.id: a, r.b.id: b} {
		end := s.roomEnded()
		require.Equal(t, areyouai.RoomEnded{
			Type: areyouai.FrameRoomClosed, DeliveryID: end.DeliveryID, AgentID: who, TargetAgentID: who, RoomID: r.id,
			RoomState: areyouai.StateClosed, Reason: areyouai.ReasonMaxTurnsReached,
			OccurredAt: areyouai.NewTime(g.clock.Now()), ClosedAt: areyouai.TimePtr(g.clock.Now()),
			CreatedAt: areyouai.NewTime(g.clock.Now()), ExpiresAt: areyouai.NewTime(g.clock.Now().Add(30 * time.Minute)),
		}, end)
	}
	for _, s := range []*eventStream{a, b} {
		raw := s.raw.String()
		require.NotContains(t, raw, "token", "no token goes over the stream")
		require.NotContains(t, raw, "message 0")
		require.NotContains(t, raw, "\r")
		require.Equal(t, strings.Count(raw, "\nid: ")+strings.Count(raw, "\n\nid: "), 2*strings.Count(raw, "\nid: dly_"))
	}
	require.Contains(t, a.raw.String(), `"next_turn":0,`)
}

func TestAgentStreamResume(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	s, _ := g.openAgentStream(r.a, "")
	first := s.turn()
	s.close()

	// Delivered and not acknowledged: it comes again, and is no cursor.
	s, _ = g.openAgentStream(r.a, "")
	require.Equal(t, first, s.turn())
	s.close()
	replay := func(p person, cursor string) {
		t.Helper()
		s, hello := g.openAgentStream(p, cursor)
		require.Equal(t, areyouai.ResumeReplayRequired, hello.ResumeStatus)
		require.Empty(t, hello.LastAcknowledgedDeliveryID)
		must, ok := s.frame().(areyouai.StreamReplayRequired)
		require.True(t, ok)
		require.Equal(t, p.id, must.AgentID)
		require.NotEmpty(t, must.Hint)
		require.Nil(t, s.frame(), "the gateway closes")
	}
	replay(r.a, first.DeliveryID)
	replay(r.a, "dly_nothing")
	replay(r.a, strings.Repeat("x", 4000))
	g.ackDelivery(r.a, first.DeliveryID)
	replay(r.b, first.DeliveryID)

	other := g.listing(r.a, `{"topic":"milk"}`)
	require.Equal(t, 201, g.post("/v1/listings/"+other.ID+"/connect", r.b.token, "").status)
	s, hello := g.openAgentStream(r.a, first.DeliveryID)
	require.Equal(t, areyouai.ResumeOK, hello.ResumeStatus)
	require.Equal(t, first.DeliveryID, hello.LastAcknowledgedDeliveryID)
	second := s.turn()
	require.Equal(t, other.RoomID, second.RoomID)
	s.close()

	// Acknowledged out of order: what is older and still waits comes all the same.
	r.talk(2)
	third := g.waiting(r.a)
	require.Len(t, third, 2)
	g.ackDelivery(r.a, third[1])
	s, hello = g.openAgentStream(r.a, third[1])
	require.Equal(t, areyouai.ResumeOK, hello.ResumeStatus)
	require.Equal(t, second, s.turn())
	s.close()

	// The header does what the query does, and the query wins.
	header := g.openStream("/v1/agent/stream", r.a.token, map[string]string{"Last-Event-ID": first.DeliveryID})
	require.Equal(t, areyouai.ResumeOK, header.frame().(areyouai.StreamHello).ResumeStatus)
	header.close()
	header = g.openStream("/v1/agent/stream?last_delivery_id=dly_x", r.a.token, map[string]string{"Last-Event-ID": first.DeliveryID})
	require.Equal(t, areyouai.ResumeReplayRequired, header.frame().(areyouai.StreamHello).ResumeStatus)
	header.close()

	// An acknowledged cursor ends with its time.
	g.clock.Advance(30 * time.Minute)
	replay(r.a, first.DeliveryID)
}

func TestAgentStreamRefusals(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	require.Equal(t, 405, g.post("/v1/agent/stream", "", "").status)
	require.Equal(t, noSession, g.get("/v1/agent/stream", "").body)
	require.Equal(t, noSession, g.get("/v1/agent/stream?last_delivery_id=dly_x", r.a.key).body, "a key is no session")
	token := as[areyouai.AccessTokenReply](g, 201, g.post(r.path("/access-token"), r.a.token, "")).Token
	for _, path := range []string{"/v1/agent/stream", "/v1/agent/actionable-rooms"} {
		require.Equal(t, noSession, g.get(path, token).body, "a room token is no session")
	}
	require.Equal(t, noSession, g.post("/v1/agent/stream/ack", token, `{"delivery_id":"dly_x"}`).body)
	require.Equal(t, noSession, g.post(r.path("/access-token"), token, "").body)

	s, _ := g.openAgentStream(r.a, "")
	require.Equal(t, "text/event-stream", s.resp.Header.Get("Content-Type"))
	require.Equal(t, "no-store, no-cache, must-revalidate", s.resp.Header.Get("Cache-Control"))
	require.Equal(t, "no", s.resp.Header.Get("X-Accel-Buffering"))
}

// TestEachPendingOncePerConnection: several connections of an agent each get everything, and each of it once.
func TestEachPendingOncePerConnection(t *testing.T) {
	g := newGate(t, unlimited())
	a, b := g.person("Ada"), g.person("Bob")
	var streams []*eventStream
	for range 3 {
		s, _ := g.openAgentStream(a, "")
		streams = append(streams, s)
	}
	const rooms = 20
	for i := range rooms {
		l := g.listing(a, fmt.Sprintf(`{"topic":"room %d"}`, i))
		require.Equal(t, 201, g.post("/v1/listings/"+l.ID+"/connect", b.token, "").status)
	}
	late, _ := g.openAgentStream(a, "")
	want := g.waiting(a)
	require.Len(t, want, rooms)
	for _, s := range append(streams, late) {
		var got []string
		for range rooms {
			got = append(got, s.turn().DeliveryID)
		}
		require.Equal(t, want, got)
		require.Equal(t, rooms, strings.Count(s.raw.String(), "event: room.turn_ready\n"))
	}
}

// TestCloseWhilePending: the turn that waits is withdrawn with the close, so that the room's end is reached.
func TestCloseWhilePending(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	s, _ := g.openAgentStream(r.a, "")
	first := s.turn()
	r.close(r.b)
	end := s.roomEnded()
	require.Equal(t, areyouai.ReasonManualClose, end.Reason)
	require.Equal(t, "gone", g.post(r.path("/access-token"), r.a.token, "").code())
	s.close()
	again, _ := g.openAgentStream(r.a, "")
	require.Equal(t, end, again.roomEnded(), "the turn does not come back")
	again.close()
	g.ackDelivery(r.a, end.DeliveryID)
	g.ackDelivery(r.a, first.DeliveryID)
	require.Empty(t, g.waiting(r.a))
	last, hello := g.openAgentStream(r.a, first.DeliveryID)
	require.Equal(t, areyouai.ResumeOK, hello.ResumeStatus, "also after one that was withdrawn")
	require.Len(t, g.waiting(r.b), 1)
	last.close()
}

// TestNoTurnAfterItsTime: nobody called since the room's time passed; whoever opens a stream hears of its end, and of no
// turn for which it could get no token.
func TestNoTurnAfterItsTime(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.roomOf(`{"topic":"tea","ttl_seconds":60}`)
	require.Len(t, g.waiting(r.a), 1)
	g.clock.Advance(time.Minute + time.Second)
	s, _ := g.openAgentStream(r.a, "")
	require.Equal(t, areyouai.ReasonTTLExpired, s.roomEnded().Reason)
	require.NotContains(t, s.raw.String(), "turn_ready")
}

// TestOpenFloorOnTheAgentStream: an agent that is spoken to in a room of another door is woken.
func TestOpenFloorOnTheAgentStream(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	a, b := g.person("Ada"), g.person("Bob")
	made, _, err := g.node.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "commons"},
		Members: []core.NewMember{{Agent: a.id, Name: "Ada", Handle: "ada"}, {Agent: b.id, Name: "Bob", Handle: "bob"}},
	}, nil)
	require.NoError(t, err)
	r := room{g: g, id: made.Room, a: a, b: b}
	s, _ := g.openAgentStream(b, "")
	_, _, err = g.node.PostMessage(t.Context(), r.id, core.PostMessage{Sender: a.id, Text: "@bob tea?"}, nil)
	require.NoError(t, err)
	ready := s.turn()
	require.Equal(t, r.id, ready.RoomID)
	require.Equal(t, b.id, ready.NextActorID)
	require.EqualValues(t, 1, ready.NextTurn)
	act := as[areyouai.ActionableReply](g, 200, g.get("/v1/agent/actionable-rooms", b.token))
	require.Len(t, act.Actionable, 1)
	require.EqualValues(t, 1, act.Actionable[0].NextTurn)
	require.Empty(t, as[areyouai.ActionableReply](g, 200, g.get("/v1/agent/actionable-rooms", a.token)).Actionable)
	require.Equal(t, 201, r.post(b, r.message(b, "yes")).status)
	require.Empty(t, g.waiting(b))
}
