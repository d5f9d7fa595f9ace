package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const hashes = "system_core_hash string, global_rules_hash string, agent_rules_hash string, identity_hash string, soul_hash string, user_hash string"

// strangers expects the refusals of a route of a room to whoever has no business there.
func strangers(t *testing.T, r *room, method, rest string, body any) {
	t.Helper()
	stranger := r.s.agent(t)
	r.s.do(t, method, r.path(rest), "", body).refused("unauthorized")
	r.s.do(t, method, "/v1/rooms/room_none"+rest, stranger.session, body).refused("room_not_found")
	r.s.do(t, method, r.path(rest), stranger.session, body).refused("forbidden")
}

func TestJoin(t *testing.T) {
	t.Parallel()
	shows(t, "3.5-errors", "3.5-reply", "3.5-bundle", "3.5-idempotent", "3.0-10")
	s := shared(t)
	r := s.agent(t).lists(t, nil)
	strangers(t, r, "POST", "/join", nil)
	o := r.a.post(t, r.path("/join"), nil).has(200, "room_id string, state string, joined object, initial_bundle string, ordered_stack list, "+hashes)
	require.Equal(t, []any{r.id, "OPEN", object{r.a.id: true}}, []any{o["room_id"], o["state"], o["joined"]})
	r.connects(t, s.agent(t))
	for _, who := range []*agent{r.a, r.b} {
		for _, body := range []any{nil, "{}", "[", object{"human_code": "x"}} {
			o := who.post(t, r.path("/join"), body).is(200).object()
			require.Equal(t, object{r.a.id: true, r.b.id: true}, o["joined"])
			require.Equal(t, r.hash(t, who), o["initial_bundle"])
			c := r.context(t, who)
			for _, same := range []string{"system_core_hash", "global_rules_hash", "agent_rules_hash", "identity_hash", "soul_hash", "user_hash", "ordered_stack"} {
				require.Equal(t, c[same], o[same])
			}
		}
	}
	require.Len(t, r.history(t, r.a, 0), 4)
	r.close(t, r.a)
	r.b.post(t, r.path("/join"), nil).refused("gone")
}

func TestState(t *testing.T) {
	t.Parallel()
	shows(t, "3.6-fields", "3.6-open", "3.6-next", "3.6-ended", "3.6-errors", "6-alternate", "3.0-11")
	s := shared(t)
	r := s.agent(t).lists(t, object{"max_turns": 3})
	strangers(t, r, "GET", "/state", nil)
	const fields = "id string, agent_a_id string, agent_b_id string, state string, turn_index int, next_turn int, next_actor_id string, " +
		"max_turns int, ttl_at string, created_at string, closed_at string?, purged_at string?, active_viewers int"
	expect := func(state string, turn int, next string) object {
		t.Helper()
		o := r.a.get(t, r.path("/state")).has(200, fields)
		require.Equal(t, []any{r.id, r.a.id, state, float64(turn), float64(turn), next, 3.0},
			[]any{o["id"], o["agent_a_id"], o["state"], o["turn_index"], o["next_turn"], o["next_actor_id"], o["max_turns"]})
		return o
	}
	require.Equal(t, "", expect("OPEN", 0, r.a.id)["agent_b_id"])
	r.connects(t, s.agent(t))
	for turn, next := range []string{r.a.id, r.b.id, r.a.id} {
		require.Equal(t, r.b.id, expect("ACTIVE", turn, next)["agent_b_id"])
		r.say(t, "words")
	}
	o := expect("CLOSED", 3, "")
	instant(t, o["closed_at"])
	require.Nil(t, o["purged_at"])
}

func TestContext(t *testing.T) {
	t.Parallel()
	shows(t, "3.7-fields", "3.7-constants", "3.7-states", "3.7-errors", "14-28", "7-ack", "3.0-12")
	s := shared(t)
	r := s.agent(t).lists(t, nil)
	strangers(t, r, "GET", "/context", nil)
	const fields = "room_id string, bundle_hash string, turn_index int, next_turn int, next_actor_id string, context_ack_required bool, " +
		"context_ack_path string, mode string, poll_interval_ms int, ordered_stack list, prompt_bundle_text string, state string, " + hashes
	expect := func(who *agent, state string, turn int, next string) {
		t.Helper()
		o := who.get(t, r.path("/context")).has(200, fields)
		require.Equal(t, []any{r.id, state, float64(turn), float64(turn), next}, []any{o["room_id"], o["state"], o["turn_index"], o["next_turn"], o["next_actor_id"]})
		require.Equal(t, []any{true, "/v1/rooms/{id}/context/ack", "sse", 5000.0},
			[]any{o["context_ack_required"], o["context_ack_path"], o["mode"], o["poll_interval_ms"]})
	}
	expect(r.a, "OPEN", 0, r.a.id)
	r.connects(t, s.agent(t))
	expect(r.a, "ACTIVE", 0, r.a.id)
	expect(r.b, "ACTIVE", 0, r.a.id)
	r.say(t, "words")
	expect(r.a, "ACTIVE", 1, r.b.id)
	r.close(t, r.a)
	expect(r.b, "CLOSED", 1, "")
}

func TestContextAck(t *testing.T) {
	t.Parallel()
	shows(t, "3.8-reply", "3.8-400", "3.8-optional", "3.8-errors", "10-turn_index", "14-19", "13-8", "7-ack", "7-reading", "3.0-13")
	s := shared(t)
	r := s.room(t)
	strangers(t, r, "POST", "/context/ack", object{"turn_index": 0})
	for _, bad := range []any{nil, "", "[", "[]", object{}, object{"turn_index": nil}, object{"turn_index": -1}, object{"turn_index": "0"}, object{"turn_index": 0.5}} {
		r.a.post(t, r.path("/context/ack"), bad).refused("invalid_request")
	}
	hash := r.hash(t, r.a)
	r.say(t, "nobody acknowledged anything")
	for given, noted := range map[int]float64{0: 0, 1: 1, 999: 1} {
		o := r.b.post(t, r.path("/context/ack"), object{"turn_index": given}).is(200).object()
		require.Equal(t, object{"room_id": r.id, "agent_id": r.b.id, "turn_index": noted}, o)
	}
	require.NotEqual(t, hash, r.hash(t, r.a), "the message changed it")
	hash = r.hash(t, r.b)
	r.b.post(t, r.path("/context/ack"), object{"turn_index": 1}).is(200)
	r.a.post(t, r.path("/context/ack"), object{"turn_index": 1}).is(200)
	require.Equal(t, hash, r.hash(t, r.b))
	r.say(t, "the first")
	require.Equal(t, false, at(t, r.transcript(t).object(), "messages", 1, "read_by_opponent"), "no ack reaches beyond its turn")
}

func TestClose(t *testing.T) {
	t.Parallel()
	shows(t, "3.10-reply", "3.10-again", "3.10-errors", "5-close", "5-close-alone", "5-forbidden", "3.0-15", "8.3-ended", "8.3-reasons")
	s := shared(t)
	open := s.agent(t).lists(t, nil)
	strangers(t, open, "POST", "/close", nil)
	st, _ := open.a.stream(t, "")
	for range 2 {
		require.Equal(t, object{"room_id": open.id, "state": "CLOSED"}, open.a.post(t, open.path("/close"), nil).is(200).object())
	}
	require.Equal(t, "manual_close", st.hears(t, "room.closed").body["reason"])
	require.Equal(t, []string{"room.created", "room.joined", "room.state_changed", "room.closed"}, kinds(open.history(t, open.a, 0)))

	for _, byA := range []bool{true, false} {
		r := s.room(t)
		closer := r.b
		if byA {
			closer = r.a
		}
		for range 2 {
			require.Equal(t, object{"room_id": r.id, "state": "CLOSED"}, closer.post(t, r.path("/close"), nil).is(200).object())
		}
		events := r.history(t, r.a, 0)
		require.Equal(t, []string{"room.state_changed", "room.closed"}, kinds(events[4:]))
		for _, who := range []*agent{r.a, r.b} {
			st, _ := who.stream(t, "")
			f := st.hears(t, "room.closed")
			o := shape(t, f.body, endedFields+", closed_at string")
			require.Equal(t, []any{"manual_close", "CLOSED", who.id, who.id, f.id}, []any{o["reason"], o["room_state"], o["agent_id"], o["target_agent_id"], o["delivery_id"]})
		}
		for _, e := range events[4:] {
			require.Equal(t, closer.id, e["sender_id"])
		}
	}
}

const (
	deliveryFields = "type string, delivery_id string, agent_id string, target_agent_id string, room_id string, room_state string, " +
		"reason string, occurred_at string, created_at string, expires_at string"
	endedFields = deliveryFields
	turnFields  = deliveryFields + ", next_turn int, next_actor_id string"
)

func TestAccessToken(t *testing.T) {
	t.Parallel()
	shows(t, "3.12-reply", "3.12-errors", "3.0-17")
	s := shared(t)
	r := s.agent(t).lists(t, nil)
	strangers(t, r, "POST", "/access-token", nil)
	r.token(t, r.a)
	r.connects(t, s.agent(t))
	for _, who := range []*agent{r.a, r.b} {
		o := who.post(t, r.path("/access-token"), nil).has(201, "room_id string, agent_id string, token string, scope string, expires_at string")
		require.Equal(t, who.id, o["agent_id"])
		instant(t, o["expires_at"])
	}
	r.close(t, r.a)
	r.a.post(t, r.path("/access-token"), nil).refused("gone")
}
