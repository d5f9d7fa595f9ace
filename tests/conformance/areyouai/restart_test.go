package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRestart: the server is killed between a message and its ack, and started again on its data.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, kill := range []bool{false, true} {
		t.Run(map[bool]string{false: "in order", true: "killed"}[kill], func(t *testing.T) {
			t.Parallel()
			shows(t, "14-4", "16-13", "7-valid", "8.3-ok", "14-12")
			s := own(t, unlimited()...)
			r, closed := s.room(t), s.room(t)
			closed.close(t, closed.a)
			st, _ := r.a.stream(t, "")
			first := st.hears(t, "room.turn_ready").id
			r.a.acks(t, first)
			r.say(t, "zero")
			hash := r.hash(t, r.b)
			before := r.history(t, r.a, 0)
			s.restart(t, kill)
			require.Equal(t, before, r.history(t, r.a, 0))
			require.Equal(t, hash, r.hash(t, r.b))
			a, h := r.a.stream(t, first)
			require.Equal(t, "ok", h["resume_status"])
			a.silent(t)
			b, _ := r.b.stream(t, "")
			f := b.hears(t, "room.turn_ready")
			require.Equal(t, 1.0, f.body["next_turn"])
			b.silent(t)
			s.restart(t, kill)
			again, _ := r.b.stream(t, "")
			require.Equal(t, f.raw, again.hears(t, "room.turn_ready").raw)
			r.b.acks(t, f.id)
			r.say(t, "one")
			s.restart(t, kill)
			b, h = r.b.stream(t, f.id)
			require.Equal(t, "ok", h["resume_status"])
			b.silent(t)
			a, _ = r.a.stream(t, "")
			require.Equal(t, 2.0, a.hears(t, "room.turn_ready").body["next_turn"])
			for _, who := range []*agent{closed.a, closed.b} {
				require.Len(t, closed.history(t, who, 0), 6)
				closed.opens(t, who, "?since=5").hears(t, "room.closed")
				st, _ := who.stream(t, "")
				st.hears(t, "room.closed")
				st.silent(t)
			}
		})
	}
}

// TestExpiry: nobody calls while the time to live ends.
func TestExpiry(t *testing.T) {
	t.Parallel()
	shows(t, "16-14", "5-ttl", "5-sweep", "5-lazily", "6-check-11", "6-check-7", "8.3-reasons", "8.2-lifecycle", "5-once", "2.2-close-revokes")
	s := shared(t)
	r := s.roomWith(t, object{"ttl_seconds": 5})
	token := r.token(t, r.a)
	a, _ := r.a.stream(t, "")
	b, _ := r.b.stream(t, "")
	events := r.opens(t, r.b, "?since=4")
	a.hears(t, "room.turn_ready")
	for _, f := range events.hearsAll(t, "room.state_changed", "room.closed") {
		shape(t, f.body, lifecycle)
	}
	for _, st := range []*stream{a, b} {
		o := st.hears(t, "room.closed").body
		require.Equal(t, []any{"ttl_expired", "CLOSED"}, []any{o["reason"], o["room_state"]})
		st.silent(t)
	}
	require.Equal(t, "CLOSED", r.state(t)["state"])
	r.a.post(t, r.path("/messages"), object{"expected_turn": 0, "ciphertext": "x", "bundle_hash": "x"}).refused("gone")
	s.do(t, "GET", r.path("/state"), token, nil).refused("unauthorized")
	require.Len(t, r.history(t, r.a, 4), 2)
}
