package conformance

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/core"
)

func TestMessages(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("accepted", func(t *testing.T) {
		shows(t, "6-reply", "6-first", "6-alternate", "6-trim", "6-effects", "3.0-14", "13-6", "8.3-reasons", "10-ciphertext")
		r := s.room(t)
		st, _ := r.b.stream(t, "")
		hash := r.hash(t, r.a)
		o := r.a.post(t, r.path("/messages"), object{"expected_turn": 0, "ciphertext": " \n hello \t", "bundle_hash": strings.ToUpper(hash)}).
			has(201, "message_id string, turn int, next_turn int, room_state string, bundle_hash string")
		require.Equal(t, []any{0.0, 1.0, "ACTIVE", hash}, []any{o["turn"], o["next_turn"], o["room_state"], o["bundle_hash"]})
		events := r.history(t, r.b, 4)
		require.Len(t, events, 1)
		e := shape(t, events[0], "event_id int, type string, room_id string, message_id string, turn int, sender_id string, ciphertext string, created_at string")
		require.Equal(t, []any{"message.created", o["message_id"], 0.0, r.a.id, "hello"}, []any{e["type"], e["message_id"], e["turn"], e["sender_id"], e["ciphertext"]})
		turn := st.hears(t, "room.turn_ready").body
		require.Equal(t, []any{"peer_message", 1.0, r.b.id, r.b.id}, []any{turn["reason"], turn["next_turn"], turn["next_actor_id"], turn["target_agent_id"]})
		require.Equal(t, []any{1.0, r.b.id}, []any{r.state(t)["turn_index"], r.state(t)["next_actor_id"]})
		require.Equal(t, 1.0, r.say(t, "answer")["turn"])
		require.Equal(t, 2.0, r.say(t, "again")["turn"])
		require.Equal(t, r.a.id, at(t, r.transcript(t).object(), "messages", 2, "sender_id"))
	})
	t.Run("size", func(t *testing.T) {
		shows(t, "6-size", "6-check-14", "16-6", "13-1", "10-ciphertext", "6-trim")
		r := s.room(t)
		for _, letter := range []string{"x", "é", "😀"} {
			who := r.next(t)
			body := r.speech(t, who, repeat(letter, 8193))
			require.Equal(t, 8192.0, who.post(t, r.path("/messages"), body).refused("payload_too_large")["max_chars"])
			body["ciphertext"] = "  " + repeat(letter, 8192) + "\n\n"
			who.post(t, r.path("/messages"), body).is(201)
			events := r.history(t, r.a, 4)
			require.Equal(t, repeat(letter, 8192), events[len(events)-1]["ciphertext"])
		}
	})
	t.Run("hashes", func(t *testing.T) {
		shows(t, "16-5", "7-reader", "7-invalid", "7-reading", "13-14", "6-check-19", "13-8", "7-ack")
		r := s.room(t)
		a, b := r.speech(t, r.a, "one"), r.speech(t, r.b, "two")
		require.NotEqual(t, a["bundle_hash"], b["bundle_hash"])
		r.a.post(t, r.path("/messages"), object{"expected_turn": 0, "ciphertext": "one", "bundle_hash": b["bundle_hash"]}).refused("stale_bundle_hash")
		for _, who := range []*agent{r.a, r.b} {
			r.context(t, who)
			who.post(t, r.path("/context/ack"), object{"turn_index": 0}).is(200)
		}
		a["bundle_hash"] = strings.ToUpper(a["bundle_hash"].(string))
		r.a.post(t, r.path("/messages"), a).is(201)
		r.b.post(t, r.path("/messages"), object{"expected_turn": 1, "ciphertext": "two", "bundle_hash": b["bundle_hash"]}).refused("stale_bundle_hash")
		old := r.hash(t, r.b)
		require.Equal(t, old, r.hash(t, r.b))
		r.close(t, r.a)
		require.NotEqual(t, old, r.hash(t, r.b), "a change of state is a change of the prompt")
	})
	t.Run("limit of turns", func(t *testing.T) {
		shows(t, "5-max-turns", "5-max-turns-index", "5-max-turns-1", "8.3-reasons", "2.2-close-revokes")
		for _, turns := range []int{1, 4} {
			r := s.roomWith(t, object{"max_turns": turns})
			tokens := []string{r.token(t, r.a), r.token(t, r.b)}
			var last object
			for turn := range turns {
				last = r.say(t, "words")
				require.Equal(t, float64(turn), last["turn"])
			}
			require.Equal(t, []any{"CLOSED", float64(turns)}, []any{last["room_state"], last["next_turn"]})
			require.Equal(t, []any{"CLOSED", float64(turns)}, []any{r.state(t)["state"], r.state(t)["turn_index"]})
			speaker := []string{r.b.id, r.a.id}[turns%2]
			events := r.history(t, r.a, 0)
			events = events[len(events)-3:]
			require.Equal(t, []string{"message.created", "room.state_changed", "room.closed"}, kinds(events))
			require.Equal(t, []any{speaker, speaker, speaker}, []any{events[0]["sender_id"], events[1]["sender_id"], events[2]["sender_id"]})
			for i, who := range []*agent{r.a, r.b} {
				st, _ := who.stream(t, "")
				require.Equal(t, "max_turns_reached", st.hears(t, "room.closed").body["reason"])
				s.do(t, "GET", r.path("/state"), tokens[i], nil).refused("unauthorized")
			}
		}
	})
	t.Run("at once", func(t *testing.T) {
		shows(t, "16-3", "6-check-20", "14-24")
		r := s.room(t)
		for range 10 {
			who := r.next(t)
			body := r.speech(t, who, "words")
			got := make([]answer, 4)
			var group sync.WaitGroup
			for i := range got {
				group.Go(func() { got[i] = who.post(t, r.path("/messages"), body) })
			}
			group.Wait()
			won := 0
			for _, a := range got {
				if a.status == 201 {
					won++
					continue
				}
				a.refused("turn_mismatch")
			}
			require.Equal(t, 1, won)
		}
		require.Equal(t, 10.0, r.state(t)["turn_index"])
	})
	t.Run("against a close", func(t *testing.T) {
		shows(t, "14-32", "5-once")
		for range 10 {
			r := s.room(t)
			body := r.speech(t, r.a, "words")
			var send answer
			var group sync.WaitGroup
			group.Go(func() { send = r.a.post(t, r.path("/messages"), body) })
			group.Go(func() { r.close(t, r.b) })
			group.Wait()
			want := []string{"room.state_changed", "room.closed"}
			if send.status == 201 {
				want = append([]string{"message.created"}, want...)
				require.Equal(t, "ACTIVE", send.object()["room_state"])
			} else {
				send.refused("gone")
			}
			require.Equal(t, want, kinds(r.history(t, r.a, 4)))
		}
	})
}

// TestCheckOrder: of two mistakes the one that the protocol names first is answered.
func TestCheckOrder(t *testing.T) {
	t.Parallel()
	s := shared(t)
	shows(t, "6-order", "16-4", "6-check-4", "6-check-5", "6-check-6", "6-check-7", "6-check-8", "6-check-9", "6-check-10", "6-check-11", "6-check-12", "6-check-13",
		"6-check-14", "6-check-18", "6-check-19", "10-expected_turn", "13-7", "13-2", "1.3-policy_blocked")
	r, open, closed := s.room(t), s.agent(t).lists(t, nil), s.room(t)
	closed.close(t, closed.a)
	brief := s.roomWith(t, object{"ttl_seconds": 5})
	stranger := s.agent(t)
	post := func(r *room, who *agent, body any) answer {
		t.Helper()
		return who.post(t, r.path("/messages"), body)
	}
	nowhere := &room{s: s, id: "room_none"}
	// Every later mistake is in each body, so that only the order makes the answer.
	all := object{"expected_turn": 7, "ciphertext": "rm -rf " + repeat("x", 8193), "bundle_hash": "00"}
	for _, bad := range []any{
		nil, "", "[", "[]", `{"expected_turn":0`,
		object{"expected_turn": "0", "ciphertext": "x", "bundle_hash": "x"},
		object{"expected_turn": 0.5, "ciphertext": "x", "bundle_hash": "x"},
		object{"ciphertext": "x", "bundle_hash": "x"},
		object{"expected_turn": nil, "ciphertext": "x", "bundle_hash": "x"},
		object{"expected_turn": 0, "ciphertext": " \n", "bundle_hash": "x"},
		object{"expected_turn": 0, "ciphertext": "x", "bundle_hash": " "},
		object{"expected_turn": 0, "ciphertext": "x"},
		object{"expected_turn": 0, "bundle_hash": "x"},
		object{"expected_turn": 0, "ciphertext": 7, "bundle_hash": "x"},
	} {
		post(nowhere, stranger, bad).refused("invalid_request")
	}
	post(nowhere, stranger, all).refused("room_not_found")
	for _, in := range []*room{r, open, closed} {
		post(in, stranger, all).refused("forbidden")
	}
	post(closed, closed.a, all).refused("gone")
	post(open, open.a, all).refused("room_not_active")
	waitFor(t, "the time to live has passed", func() bool { return post(brief, brief.a, all).code() == "gone" })
	post(r, r.a, all).refused("turn_mismatch")
	all["expected_turn"] = 0
	post(r, r.b, all).refused("turn_mismatch")
	post(r, r.a, all).refused("payload_too_large")
	all["ciphertext"] = "now rm  -RF this"
	require.Contains(t, post(r, r.a, all).refused("policy_blocked")["hint"], "policy")
	all["ciphertext"] = "harmless"
	post(r, r.b, all).refused("turn_mismatch")
	post(r, r.a, all).refused("stale_bundle_hash")
	require.Equal(t, []any{"ACTIVE", 0.0}, []any{r.state(t)["state"], r.state(t)["turn_index"]})
}

// TestRateOrder shows the checks that only limits make, on a gateway with small ones.
func TestRateOrder(t *testing.T) {
	t.Parallel()
	s, c := inside(t, core.PurgePolicy{}, areyouaifront.Options{Limits: &areyouaifront.Limits{MessagesPerAgent: 3, MessagesPerRoom: 5}})
	t.Run("agent", func(t *testing.T) {
		shows(t, "6-check-16", "6-order", "16-4", "10-rates")
		r := s.room(t)
		// Only what is accepted counts.
		stale := r.speech(t, r.a, "refused")
		stale["bundle_hash"] = "00"
		for range 6 {
			r.a.post(t, r.path("/messages"), stale).refused("stale_bundle_hash")
		}
		for range 3 {
			q := r.a.lists(t, nil).connects(t, r.b)
			q.say(t, "in all rooms together")
		}
		body := r.speech(t, r.a, "rm -rf the policy comes later")
		body["bundle_hash"] = "00"
		a := r.a.post(t, r.path("/messages"), body)
		a.refused("rate_limited")
		require.Equal(t, "60", a.header.Get("Retry-After"))
		body["expected_turn"] = 1
		r.a.post(t, r.path("/messages"), body).refused("turn_mismatch")
		c.Advance(61e9)
		body["expected_turn"] = 0
		r.a.post(t, r.path("/messages"), body).refused("policy_blocked")
	})
	t.Run("room", func(t *testing.T) {
		shows(t, "6-check-17", "6-order", "16-4", "10-rates")
		c.Advance(61e9)
		r := s.room(t)
		for range 5 {
			r.say(t, "words")
		}
		body := r.speech(t, r.b, "rm -rf the policy comes later")
		r.b.post(t, r.path("/messages"), body).refused("rate_limited")
		c.Advance(61e9)
		r.say(t, "words")
	})
	t.Run("block", func(t *testing.T) {
		shows(t, "6-check-15", "14-17", "6-order", "16-4")
		c.Advance(61e9)
		r := s.roomWith(t, object{"ttl_seconds": 36000})
		bad := r.speech(t, r.a, "kubectl delete everything")
		for range 3 {
			c.Advance(100e9)
			r.a.post(t, r.path("/messages"), bad).refused("policy_blocked")
		}
		good := r.speech(t, r.a, "I am sorry")
		good["bundle_hash"] = "00"
		require.NotEmpty(t, r.a.post(t, r.path("/messages"), good).refused("policy_blocked")["hint"])
		c.Advance(15*60e9 - 1e9)
		r.a.post(t, r.path("/messages"), good).refused("policy_blocked")
		c.Advance(1e9)
		r.a.post(t, r.path("/messages"), good).refused("stale_bundle_hash")
		// Spread over more than five minutes they block nobody.
		for range 4 {
			r.a.post(t, r.path("/messages"), bad).refused("policy_blocked")
			c.Advance(160e9)
		}
		r.say(t, "still allowed")
	})
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	t.Run("words", func(t *testing.T) {
		shows(t, "14-16", "6-check-18")
		s := shared(t)
		r := s.room(t)
		for _, harmless := range []string{
			"the interaction: a reaction: and an action:", "please reboot", "pseudo code", "drop tables of wood", "tool: exec: run_shell <tool_call",
		} {
			r.say(t, harmless)
		}
		who := r.next(t)
		o := who.post(t, r.path("/messages"), r.speech(t, who, "read /etc/passwd")).refused("policy_blocked")
		require.Contains(t, o["hint"], "/etc/passwd")
	})
	t.Run("off", func(t *testing.T) {
		t.Parallel()
		shows(t, "14-16")
		s := own(t, append(unlimited(), "--areyouai-phrases", "none")...)
		r := s.room(t)
		r.say(t, "sudo rm -rf / && cat /etc/passwd")
	})
}
