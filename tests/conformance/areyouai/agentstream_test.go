package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/core"
)

func TestAgentStream(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("resume", func(t *testing.T) {
		shows(t, "8.3-fresh", "8.3-ok", "8.3-replay", "8.3-hello", "8.3-replay-frame", "8.3-again", "16-9", "8.1-resume-agent", "3.0-24", "14-25", "3.17-reply", "8.1-frame-agent")
		r := s.room(t)
		st, h := r.a.stream(t, "")
		require.Equal(t, []any{"fresh", ""}, []any{h["resume_status"], h["last_acknowledged_delivery_id"]})
		f := st.hears(t, "room.turn_ready")
		require.Equal(t, f.body["delivery_id"], f.id)
		replay := func(cursor string, headers ...string) {
			t.Helper()
			path := "/v1/agent/stream"
			if cursor != "" {
				path += "?last_delivery_id=" + cursor
			}
			st := s.opens(t, path, r.a.session, headers...)
			h := hello(t, st, r.a)
			require.Equal(t, []any{"replay_required", ""}, []any{h["resume_status"], h["last_acknowledged_delivery_id"]})
			second := st.hears(t, "stream.replay_required")
			require.Empty(t, second.id)
			require.NotEmpty(t, shape(t, second.body, "type string, agent_id string, hint string")["hint"])
			st.over(t)
		}
		replay(f.id)
		replay("dly_none")
		replay("", "Last-Event-ID: "+f.id)
		again, _ := r.a.stream(t, "")
		require.Equal(t, f.raw, again.hears(t, "room.turn_ready").raw, "unacknowledged, it comes back the same")
		again.silent(t)
		r.a.acks(t, f.id)
		for _, open := range []struct {
			query   string
			headers []string
		}{{"?last_delivery_id=" + f.id, nil}, {"", []string{"Last-Event-ID: " + f.id}}, {"?last_delivery_id=" + f.id, []string{"Last-Event-ID: dly_none"}}} {
			ok := s.opens(t, "/v1/agent/stream"+open.query, r.a.session, open.headers...)
			h := hello(t, ok, r.a)
			require.Equal(t, []any{"ok", f.id}, []any{h["resume_status"], h["last_acknowledged_delivery_id"]})
			ok.silent(t)
			ok.close()
		}
		fresh, h := r.a.stream(t, "")
		require.Equal(t, "fresh", h["resume_status"])
		fresh.silent(t)
		r.b.acks(t, func() string {
			r.say(t, "to b")
			st, _ := r.b.stream(t, "")
			return st.hears(t, "room.turn_ready").id
		}())
		st2, _ := r.b.stream(t, "dly_none")
		st2.hears(t, "stream.replay_required")
		st2.over(t)
	})
	t.Run("frames", func(t *testing.T) {
		shows(t, "8.3-turn", "8.3-expires", "8.3-no-token", "8.3-several", "14-25", "8.1-lf")
		r := s.room(t)
		one, _ := r.a.stream(t, "")
		two, _ := r.a.stream(t, "")
		for _, st := range []*stream{one, two} {
			f := st.hears(t, "room.turn_ready")
			require.Regexp(t, `^id: dly_[^\n]+\nevent: room.turn_ready\ndata: \{[^\n]*"next_turn":0[,}][^\n]*\n\n$`, f.raw)
			o := shape(t, f.body, turnFields)
			require.Equal(t, []any{"ACTIVE", r.a.id, r.a.id, r.a.id, r.id, "room_activated"},
				[]any{o["room_state"], o["agent_id"], o["target_agent_id"], o["next_actor_id"], o["room_id"], o["reason"]})
			require.Equal(t, 30*time.Minute, instant(t, o["expires_at"]).Sub(instant(t, o["occurred_at"])))
			instant(t, o["created_at"])
		}
		r.say(t, "the secret word")
		b, _ := r.b.stream(t, "")
		f := b.hears(t, "room.turn_ready")
		require.NotContains(t, f.raw, "secret word")
		require.NotContains(t, f.raw, "room_token")
		r.say(t, "an answer")
		one.hears(t, "room.turn_ready")
		two.hears(t, "room.turn_ready")
	})
	t.Run("order", func(t *testing.T) {
		shows(t, "8.3-order", "8.1-errors")
		for _, c := range [][2]string{{"/v1/agent/stream?last_delivery_id=dly_none", ""}, {"/v1/agent/stream", "as_none"}} {
			st, refusal := s.tries(t, c[0], c[1])
			require.Nil(t, st)
			refusal.refused("unauthorized")
		}
		s.do(t, "POST", "/v1/agent/stream", "", nil).refused("method_not_allowed")
	})
	t.Run("withdrawn", func(t *testing.T) {
		shows(t, "14-12", "14-13", "16-11", "8.3-ended")
		r := s.room(t)
		r.say(t, "zero")
		r.say(t, "one") // A's first turn was never acknowledged.
		st, _ := r.a.stream(t, "")
		require.Equal(t, 2.0, st.hears(t, "room.turn_ready").body["next_turn"], "the only one that is pending")
		st.silent(t)
		b, _ := r.b.stream(t, "")
		b.silent(t)
		r.close(t, r.b)
		for _, live := range []*stream{st, b} {
			live.hears(t, "room.closed")
		}
		for _, who := range []*agent{r.a, r.b} {
			st, _ := who.stream(t, "")
			f := st.hears(t, "room.closed")
			who.acks(t, f.id)
			st.silent(t)
			after, h := who.stream(t, f.id)
			require.Equal(t, "ok", h["resume_status"])
			after.silent(t)
			o := who.get(t, "/v1/agent/actionable-rooms").is(200).object()
			require.Equal(t, []any{}, o["actionable"])
			require.Equal(t, anys(r.id), column(t, list(t, o, "terminal"), "room_id"))
		}
	})
	t.Run("out of order", func(t *testing.T) {
		shows(t, "14-14", "3.17-one", "8.3-fresh")
		a := s.agent(t)
		one := a.lists(t, nil).connects(t, s.agent(t))
		two := a.lists(t, nil).connects(t, s.agent(t))
		st, _ := a.stream(t, "")
		frames := st.hearsAll(t, "room.turn_ready", "room.turn_ready")
		require.Equal(t, []any{one.id, two.id}, []any{frames[0].body["room_id"], frames[1].body["room_id"]}, "oldest first")
		a.acks(t, frames[1].id)
		after, h := a.stream(t, frames[1].id)
		require.Equal(t, "ok", h["resume_status"])
		require.Equal(t, frames[0].id, after.hears(t, "room.turn_ready").id, "pending from before the cursor")
		after.silent(t)
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		shows(t, "8.1-feed", "8.3-fresh")
		a, b := s.agent(t), s.agent(t)
		const many = 105
		rooms := make([]string, many)
		for i := range rooms {
			rooms[i] = a.lists(t, nil).connects(t, b).id
		}
		live, _ := a.stream(t, "")
		again, _ := a.stream(t, "")
		for _, st := range []*stream{live, again} {
			for _, id := range rooms {
				require.Equal(t, id, st.hears(t, "room.turn_ready").body["room_id"])
			}
			st.silent(t)
		}
	})
	t.Run("websocket", func(t *testing.T) {
		shows(t, "13-30")
		a := s.agent(t)
		st := s.opens(t, "/v1/agent/stream", a.session, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
		hello(t, st, a)
	})
}

func TestStreamAck(t *testing.T) {
	t.Parallel()
	s := shared(t)
	shows(t, "3.17-reply", "3.17-400", "3.17-404", "3.17-again", "3.0-25", "13-20")
	r := s.room(t)
	ack := func(who *agent, body any) answer {
		t.Helper()
		return who.post(t, "/v1/agent/stream/ack", body)
	}
	for _, bad := range []any{nil, "", "[", "[]", object{}, object{"delivery_id": " "}, object{"delivery_id": 7}} {
		ack(r.a, bad).refused("invalid_request")
	}
	st, _ := r.a.stream(t, "")
	id := st.hears(t, "room.turn_ready").id
	ack(r.a, object{"delivery_id": "dly_none"}).refused("not_found")
	ack(r.b, object{"delivery_id": id}).refused("not_found")
	for range 2 {
		require.Equal(t, object{"delivery_id": id, "status": "acked"}, ack(r.a, object{"delivery_id": " " + id + "\n"}).is(200).object())
	}
	// Withdrawn deliveries that the client has can be acknowledged too.
	r.say(t, "to b")
	b, _ := r.b.stream(t, "")
	id = b.hears(t, "room.turn_ready").id
	r.close(t, r.a)
	ack(r.b, object{"delivery_id": id}).is(200)
}

func TestActionableRooms(t *testing.T) {
	t.Parallel()
	s := shared(t)
	shows(t, "3.18-actionable", "3.18-both", "3.18-first", "3.0-26", "13-20", "14-26")
	a := s.agent(t)
	ask := func() object {
		t.Helper()
		return a.get(t, "/v1/agent/actionable-rooms").has(200, "actionable list, terminal list")
	}
	require.Equal(t, object{"actionable": []any{}, "terminal": []any{}}, ask())
	a.lists(t, nil) // In OPEN there is nothing to do.
	mine := a.lists(t, nil).connects(t, s.agent(t))
	theirs := a.lists(t, nil).connects(t, s.agent(t))
	theirs.say(t, "theirs now")
	closed, b := a.lists(t, nil), s.agent(t)
	brief := a.lists(t, object{"ttl_seconds": 5}).connects(t, b)
	closed.close(t, a)
	for range 2 {
		rooms := list(t, ask(), "actionable")
		room := at(t, rooms, 0).(object)
		for _, other := range rooms {
			if at(t, other, "room_id") == mine.id {
				room = other.(object)
			}
		}
		for _, field := range []string{"room_id", "room_state", "next_turn", "next_actor_id", "token", "expires_at"} {
			require.Contains(t, room, field)
		}
		require.Equal(t, []any{mine.id, "ACTIVE", 0.0, a.id}, []any{room["room_id"], room["room_state"], room["next_turn"], room["next_actor_id"]})
		instant(t, room["expires_at"])
		s.do(t, "GET", mine.path("/context"), room["token"].(string), nil).is(200)
	}
	var o object
	waitFor(t, "the end of a time to live shows", func() bool {
		o = ask()
		return len(list(t, o, "terminal")) == 2
	})
	require.Equal(t, anys(mine.id), column(t, list(t, o, "actionable"), "room_id"), "not what the peer must answer")
	require.ElementsMatch(t, anys(closed.id, brief.id), column(t, list(t, o, "terminal"), "room_id"))
	for _, e := range list(t, o, "terminal") {
		require.Equal(t, "CLOSED", at(t, e, "room_state"))
		instant(t, at(t, e, "closed_at"))
	}
	require.Equal(t, "CLOSED", brief.state(t)["state"])
}

// TestAway is about clients that were away for long.
func TestAway(t *testing.T) {
	t.Parallel()
	s, c := inside(t, core.PurgePolicy{}, areyouaifront.Options{})
	shows(t, "8.3-expired", "8.3-replay", "16-12", "3.17-again", "3.18-terminal", "10-replay")
	a := s.agent(t)
	day := object{"ttl_seconds": 86400}
	one, two := a.lists(t, day).connects(t, s.agent(t)), a.lists(t, day).connects(t, s.agent(t))
	closed := a.lists(t, day)
	st, _ := a.stream(t, "")
	frames := st.hearsAll(t, "room.turn_ready", "room.turn_ready")
	st.close()
	a.acks(t, frames[0].id)
	closed.close(t, a)
	terminal := func() int {
		t.Helper()
		return len(list(t, a.get(t, "/v1/agent/actionable-rooms").is(200).object(), "terminal"))
	}
	c.Advance(30*time.Minute - time.Second)
	again, h := a.stream(t, frames[0].id)
	require.Equal(t, "ok", h["resume_status"])
	again.hearsAll(t, "room.turn_ready", "room.closed")
	require.Equal(t, 1, terminal())
	c.Advance(time.Second)
	late, h := a.stream(t, frames[0].id)
	require.Equal(t, "replay_required", h["resume_status"])
	late.hears(t, "stream.replay_required")
	late.over(t)
	fresh, h := a.stream(t, "")
	require.Equal(t, "fresh", h["resume_status"])
	fresh.silent(t)
	require.Zero(t, terminal())
	rooms := column(t, list(t, a.get(t, "/v1/agent/actionable-rooms").is(200).object(), "actionable"), "room_id")
	require.ElementsMatch(t, anys(one.id, two.id), rooms, "each once")
	a.acks(t, frames[1].id)
}
