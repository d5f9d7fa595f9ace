package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTranscript(t *testing.T) {
	t.Parallel()
	s := shared(t)
	const fields = "room_id string, room_topic string, agent_a_id string, agent_b_id string, turn_index int, next_actor_id string, state string, " +
		"messages list, closed_at string?, purged_at string?, last_context_fetch_turn_by_agent object?"
	t.Run("fields", func(t *testing.T) {
		shows(t, "3.14-reply", "3.14-text", "3.14-states", "13-15", "3.0-20", "3.14-read", "3.8-max", "14-26")
		r := s.agent(t).lists(t, nil)
		o := shape(t, r.transcript(t).is(200).object(), fields)
		require.Equal(t, "OPEN", o["state"])
		require.Equal(t, []any{}, o["messages"])
		require.Equal(t, "", o["agent_b_id"])
		r.connects(t, s.agent(t))
		r.say(t, "one\n\"two\" é 😀")
		r.say(t, "the answer")
		o = r.transcript(t).is(200).object()
		// Beyond the protocol: since when the room waits, so that people see a stall.
		require.WithinDuration(t, time.Now(), instant(t, o["next_actor_since"]), patience)
		delete(o, "next_actor_since")
		shape(t, o, fields)
		require.Equal(t, r.topic, o["room_topic"])
		require.Equal(t, r.id, o["room_id"])
		require.Equal(t, []any{r.a.id, r.b.id, 2.0, r.a.id, "ACTIVE"}, []any{o["agent_a_id"], o["agent_b_id"], o["turn_index"], o["next_actor_id"], o["state"]})
		messages := list(t, o, "messages")
		require.Len(t, messages, 2)
		m := shape(t, messages[0], "id string, sender_id string, sender_name string, turn int, ciphertext string, created_at string, read_by_opponent bool")
		require.Equal(t, []any{r.a.id, r.a.name, 0.0, "one\n\"two\" é 😀"}, []any{m["sender_id"], m["sender_name"], m["turn"], m["ciphertext"]})
		instant(t, m["created_at"])
		read := func() []any {
			t.Helper()
			return column(t, list(t, r.transcript(t).object(), "messages"), "read_by_opponent")
		}
		require.Equal(t, []any{false, false}, read())
		r.b.post(t, r.path("/context/ack"), object{"turn_index": 1}).is(200)
		require.Equal(t, []any{true, false}, read())
		r.b.post(t, r.path("/context/ack"), object{"turn_index": 0}).is(200)
		require.Equal(t, []any{true, false}, read(), "the largest counts")
		r.a.post(t, r.path("/context/ack"), object{"turn_index": 2}).is(200)
		require.Equal(t, []any{true, true}, read())
		r.close(t, r.b)
		o = shape(t, r.transcript(t).is(200).object(), fields)
		require.Equal(t, "CLOSED", o["state"])
		require.Equal(t, "", o["next_actor_id"])
		instant(t, o["closed_at"])
		require.Nil(t, o["purged_at"])
	})
	t.Run("order", func(t *testing.T) {
		shows(t, "3.14-order", "1.3-forbidden")
		r, other := s.room(t), s.room(t)
		ask := func(path string, body any) answer {
			t.Helper()
			return s.do(t, "POST", path, "", body)
		}
		s.do(t, "GET", "/v1/rooms/none/transcript?human_code=x", "", nil).refused("method_not_allowed")
		require.NotEmpty(t, ask("/v1/rooms/none/transcript?human_code=", "[").refused("invalid_request")["hint"])
		ask("/v1/rooms/none/transcript", "[").refused("invalid_request")
		for _, blank := range []any{object{}, object{"human_code": " "}} {
			ask("/v1/rooms/none/transcript", blank).refused("forbidden")
		}
		ask("/v1/rooms/none/transcript", object{"human_code": r.code}).refused("room_not_found")
		for _, wrong := range []string{"hc_none", other.code, r.a.session} {
			ask(r.path("/transcript"), object{"human_code": wrong}).refused("forbidden")
		}
	})
}

func TestViewers(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("ops", func(t *testing.T) {
		shows(t, "3.15-join", "3.15-heartbeat", "3.15-leave", "3.15-other", "3.0-21", "3.6-viewers", "13-18", "1.3-viewer_not_found", "1.3-unsupported_op", "1.3-gone")
		r, other := s.room(t), s.room(t)
		op := func(name, token string) answer {
			t.Helper()
			return r.viewer(t, object{"op": name, "human_code": "", "viewer_token": token})
		}
		counts := func(a answer, n float64) {
			t.Helper()
			require.Equal(t, object{"active_viewers": n}, a.is(200).object())
			require.Equal(t, n, r.state(t)["active_viewers"])
		}
		require.Equal(t, 0.0, r.state(t)["active_viewers"])
		one := r.watches(t)
		two := text(t, r.viewer(t, object{"op": " join ", "human_code": " " + r.code + " ", "viewer_token": ""}).is(201).object(), "viewer_token")
		require.NotEqual(t, one, two)
		counts(op("heartbeat", one), 2)
		counts(op("leave", two), 1)
		counts(op("leave", two), 1)
		op("heartbeat", two).refused("gone")
		for _, unknown := range []string{"", "hv_none", other.watches(t), r.code, r.a.session} {
			op("heartbeat", unknown).refused("viewer_not_found")
			op("leave", unknown).refused("viewer_not_found")
		}
		for _, wrong := range []string{"", "hc_none", other.code, one} {
			r.viewer(t, object{"op": "join", "human_code": wrong}).refused("forbidden")
		}
		s.do(t, "POST", "/v1/rooms/none/viewers", "", object{"op": "join", "human_code": r.code}).refused("room_not_found")
		for _, bad := range []string{"", "dance", "JOIN"} {
			r.viewer(t, object{"op": bad, "human_code": r.code}).refused("unsupported_op")
		}
		r.viewer(t, "[").refused("invalid_request")
		r.close(t, r.a)
		counts(op("heartbeat", one), 1)
		r.watches(t)
	})
	t.Run("events", func(t *testing.T) {
		shows(t, "8.4-order", "14-31", "13-17", "14-9", "8.1-ends-viewer", "8.1-errors", "3.0-22")
		r, other := s.agent(t).lists(t, nil), s.room(t)
		refused := func(path, token, code string) {
			t.Helper()
			st, a := s.tries(t, path, token)
			require.Nil(t, st)
			a.refused(code)
		}
		refused("/v1/rooms/none/viewer-events", "", "unauthorized")
		refused(r.path("/viewer-events"), "hv_none", "viewer_not_found")
		refused("/v1/rooms/none/viewer-events", "hv_none", "viewer_not_found")
		refused(r.path("/viewer-events"), other.watches(t), "viewer_not_found")
		left, kept := r.watches(t), r.watches(t)
		watching := s.opens(t, r.path("/viewer-events"), left)
		r.viewer(t, object{"op": "leave", "viewer_token": left}).is(200)
		watching.over(t)
		refused(r.path("/viewer-events"), left, "gone")
		st := s.opens(t, r.path("/viewer-events"), kept)
		r.connects(t, s.agent(t))
		r.types(t, r.a, object{"state": "start"}).is(200)
		st.typing(t, r.a, "start")
		r.close(t, r.b)
		st.typing(t, r.a, "stop")
		st.over(t)
		refused(r.path("/viewer-events"), kept, "gone")
	})
}
