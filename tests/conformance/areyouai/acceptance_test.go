package conformance

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWholeFlow is what a pair of agents and a person do, from the first request to the last.
func TestWholeFlow(t *testing.T) {
	t.Parallel()
	shows(t, "16-1", "13-21", "14-6", "14-26", "3.0-5", "3.0-6", "3.0-7", "3.0-8", "3.0-9", "3.0-12", "3.0-13", "3.0-14", "3.0-16", "3.0-20")
	s := shared(t)
	const turns = 6
	a, b := s.agent(t), s.agent(t)
	r := a.lists(t, object{"max_turns": turns, "tags": []string{"whole-flow"}})
	require.True(t, r.found(t, r.topic))
	r.connects(t, b)
	for turn := range turns {
		who := r.next(t)
		c := r.context(t, who)
		require.Equal(t, float64(turn), c["next_turn"])
		who.post(t, r.path("/context/ack"), object{"turn_index": turn}).is(200)
		r.types(t, who, object{"state": "start"}).is(200)
		// The hash was read at once after the other's message, and holds.
		sent := who.post(t, r.path("/messages"), object{"expected_turn": turn, "ciphertext": fmt.Sprint("turn ", turn), "bundle_hash": c["bundle_hash"]}).is(201).object()
		require.Equal(t, map[bool]string{false: "ACTIVE", true: "CLOSED"}[turn == turns-1], sent["room_state"])
	}
	o := r.transcript(t).is(200).object()
	require.Equal(t, []any{"CLOSED", float64(turns), ""}, []any{o["state"], o["turn_index"], o["next_actor_id"]})
	for turn, m := range list(t, o, "messages") {
		require.Equal(t, []any{float64(turn), fmt.Sprint("turn ", turn), []string{a.id, b.id}[turn%2]}, []any{at(t, m, "turn"), at(t, m, "ciphertext"), at(t, m, "sender_id")})
	}
}

// bridge makes exactly the requests of the real sidecar, in its order, and calls a hook in place of an agent.
type bridge struct {
	who *agent
	// seen are the turns that were woken, each once.
	seen map[string]bool
}

// follow serves frames until the room closed.
func (b *bridge) follow(t *testing.T, r *room, hook func(token string)) {
	st, _ := b.who.stream(t, "")
	for {
		f := st.next(t)
		switch f.event {
		case "room.turn_ready":
			key := fmt.Sprint(f.body["room_id"], f.body["next_turn"], f.body["next_actor_id"])
			if b.seen[key] {
				t.Errorf("turn %v was woken twice", f.body["next_turn"])
			}
			b.seen[key] = true
			path := "/v1/rooms/" + f.body["room_id"].(string)
			minted := b.who.s.do(t, "POST", path+"/access-token", b.who.session, nil).is(201).object()
			token := minted["token"].(string)
			instant(t, minted["expires_at"])
			b.who.acks(t, f.id)
			b.who.s.do(t, "POST", path+"/typing", token, object{"state": "start", "ttl_ms": 30000}).is(200)
			hook(token)
			// The last message has revoked the token: then the client only warns.
			if status := b.who.s.do(t, "POST", path+"/typing", token, object{"state": "stop"}).status; status != 200 {
				require.Equal(t, "CLOSED", r.state(t)["state"])
				require.Equal(t, 401, status)
			}
		case "room.closed":
			b.who.acks(t, f.id)
			require.Equal(t, r.id, f.body["room_id"])
			return
		default:
			t.Errorf("unexpected %s", f.raw)
			return
		}
	}
}

// TestSidecars: two sidecars go through a room, with agents that know nothing but their room tokens.
func TestSidecars(t *testing.T) {
	t.Parallel()
	shows(t, "16-16", "13-27", "13-26", "13-28", "14-25", "14-24", "3.0-25")
	s := shared(t)
	const turns = 25
	r := s.roomWith(t, object{"max_turns": turns})
	var group sync.WaitGroup
	bridges := []*bridge{{who: r.a, seen: map[string]bool{}}, {who: r.b, seen: map[string]bool{}}}
	for _, b := range bridges {
		group.Go(func() {
			b.follow(t, r, func(token string) {
				c := s.do(t, "GET", r.path("/context"), token, nil).is(200).object()
				body := object{"expected_turn": c["next_turn"], "ciphertext": "by " + b.who.name, "bundle_hash": c["bundle_hash"]}
				s.do(t, "POST", r.path("/context/ack"), token, object{"turn_index": c["turn_index"]}).is(200)
				s.do(t, "POST", r.path("/messages"), token, body).is(201)
				// A hook that is slow fires twice: the second send changes nothing.
				if again := s.do(t, "POST", r.path("/messages"), token, body); again.status != 409 {
					require.Equal(t, "CLOSED", r.state(t)["state"])
					require.Equal(t, 401, again.status)
				}
			})
		})
	}
	group.Wait()
	require.Equal(t, []any{"CLOSED", float64(turns)}, []any{r.state(t)["state"], r.state(t)["turn_index"]})
	require.Len(t, bridges[0].seen, 13)
	require.Len(t, bridges[1].seen, 12)
	for _, who := range []*agent{r.a, r.b} {
		st, _ := who.stream(t, "")
		st.silent(t)
		o := who.get(t, "/v1/agent/actionable-rooms").is(200).object()
		require.Equal(t, []any{}, o["actionable"])
	}
	s.do(t, "GET", "/healthz", "", nil).is(200)
}

// TestStall: people see that a room waits, and for whom.
func TestStall(t *testing.T) {
	t.Parallel()
	shows(t, "14-26")
	s := shared(t)
	r := s.room(t)
	r.say(t, "is anybody there?")
	o := r.transcript(t).is(200).object()
	require.Equal(t, r.b.id, o["next_actor_id"])
	require.WithinDuration(t, time.Now(), instant(t, o["next_actor_since"]), patience)
	require.Equal(t, r.b.id, r.state(t)["next_actor_id"])
	require.Equal(t, anys(r.id), column(t, list(t, r.b.get(t, "/v1/agent/actionable-rooms").is(200).object(), "actionable"), "room_id"))
}
