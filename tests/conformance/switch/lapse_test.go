package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slack is how much later than it should a thing may be noticed on a busy machine.
const slack = 4 * time.Second

// TestLapses: each waits for real leases, all at the same time.
func TestLapses(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("attached", func(t *testing.T) {
		t.Parallel()
		shows(t, "0.1-heartbeat-ttl", "0.1-sweep", "2.1-attached-stale", "2.1-first-beat", "2.1-ops-no-refresh", "2.7-3-lapsed", "2.8-evicted-lapsed",
			"8-04", "1.6-beat-404-lapsed", "8-13", "4.1-order-3", "8-12", "1.2-no-close")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		watcher := a.open(t, "scope=all")
		began := time.Now()
		stream := a.openAs(t, opening{silent: true}, "rooms="+room)
		later(t, 3*time.Second)
		stream.call(t, "post_message", object{"body": "operations work"})
		b.say(t, room, "within the lease")
		stream.hears(t, "within the lease")
		reason := stream.evicted(t)
		lasted := time.Since(began)
		require.True(t, strings.HasPrefix(reason, "heartbeat lapsed"), reason)
		require.Greater(t, lasted, ttl)
		require.Less(t, lasted, ttl+2*time.Second+slack)
		isDead(t, a.beat(t, stream.conn, 0), 404, stream.conn)
		isDead(t, a.subscribe(t, stream.conn, room, false), 404, stream.conn)
		isDead(t, a.unsubscribe(t, stream.conn, room), 404, stream.conn)
		isDead(t, stream.try(t, "read_context", nil), 409, stream.conn)
		isDead(t, stream.try(t, "no_such_operation", nil), 409, stream.conn)
		a.try(t, "read_context", nil).refused(400)
		b.say(t, room, "for whoever covers it now")
		watcher.hears(t, "for whoever covers it now")
		// The id can be opened again, without its claim.
		again := a.openAs(t, opening{conn: stream.conn})
		a.beat(t, again.conn, 0).is(200)
	})
	t.Run("detached", func(t *testing.T) {
		t.Parallel()
		shows(t, "2.1-detached-stale", "2.10-dead", "8-08", "1.6-beat-refused")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		stream := a.openAs(t, opening{silent: true}, "rooms="+room)
		stream.close()
		later(t, 3*time.Second)
		require.Equal(t, 409, a.beat(t, stream.conn, 0).status)
		stream.call(t, "list_participants", nil)
		later(t, ttl-3*time.Second+500*time.Millisecond)
		isDead(t, stream.try(t, "list_participants", nil), 409, stream.conn)
		next := a.open(t)
		require.Nil(t, next.call(t, "connect_to_room", object{"room_id": room}).(object)["warning"])
		a.unsubscribe(t, next.conn, room).is(200)
		o := a.subscribe(t, next.conn, room, true).is(200).object()
		require.Nil(t, o["warning"])
		require.Nil(t, o["evicted_connection_id"])
	})
	t.Run("beats", func(t *testing.T) {
		t.Parallel()
		shows(t, "1.6-beat-refreshes", "2.1-healthy")
		a := s.agent(t)
		stream := a.openAs(t, opening{silent: true})
		later(t, 3500*time.Millisecond)
		a.beat(t, stream.conn, 0).is(200)
		later(t, 3500*time.Millisecond)
		a.beat(t, stream.conn, 0).is(200)
		require.Empty(t, stream.frames)
	})
	t.Run("reopening", func(t *testing.T) {
		t.Parallel()
		shows(t, "2.1-open-refreshes")
		a := s.agent(t)
		room := a.room(t, a)
		first := a.openAs(t, opening{silent: true}, "rooms="+room)
		later(t, 3500*time.Millisecond)
		second := a.openAs(t, opening{conn: first.conn, silent: true})
		later(t, 3500*time.Millisecond)
		require.Equal(t, anys(room), a.beat(t, second.conn, 0).is(200).object()["rooms"])
	})
	t.Run("a sibling took the room", func(t *testing.T) {
		t.Parallel()
		shows(t, "8-38", "2.10-claimant")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		stream := a.openAs(t, opening{silent: true}, "rooms="+room)
		stream.close()
		later(t, ttl+100*time.Millisecond)
		sibling := a.within(t, room)
		again := a.openAs(t, opening{conn: stream.conn})
		require.Equal(t, []any{}, again.state["rooms"])
		b.say(t, room, "once")
		sibling.hears(t, "once")
		require.Equal(t, []any{}, a.beat(t, again.conn, 0).is(200).object()["rooms"])
		require.Equal(t, anys(room), a.beat(t, sibling.conn, 0).is(200).object()["rooms"])
	})
	t.Run("coverage returns", func(t *testing.T) {
		t.Parallel()
		shows(t, "2.10-later", "2.10-all-covers")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		all := a.open(t, "scope=all")
		session := a.openAs(t, opening{silent: true}, "rooms="+room)
		b.say(t, room, "the session's")
		session.hears(t, "the session's")
		session.evicted(t)
		b.say(t, room, "nobody's session")
		all.hears(t, "nobody's session")
	})
	t.Run("role", func(t *testing.T) {
		t.Parallel()
		shows(t, "D4", "0.1-role-lease", "8-28")
		a, b, _ := s.agents(t)
		room := a.roomWith(t, object{"roles": []any{object{"name": "chair", "instructions": "Keep order.", "exclusive": true}}}, a, b)
		watcher := a.open(t, "scope=all")
		session := a.openAs(t, opening{silent: true}, "rooms="+room)
		session.call(t, "assume_role", object{"role": "chair"})
		theirs := b.within(t, room)
		theirs.try(t, "assume_role", object{"role": "chair"}).refused(400)
		session.close()
		back := a.openAs(t, opening{conn: session.conn, silent: true})
		require.Equal(t, a.name, at(t, theirs.call(t, "list_roles", nil), 0, "held_by", 0, "name"), "a reconnect costs no role")
		back.evicted(t)
		a.beat(t, watcher.conn, 0).is(200)
		require.Empty(t, list(t, theirs.call(t, "list_roles", nil), 0, "held_by"))
		b.say(t, room, "@chair are you there?")
		require.Equal(t, false, watcher.hears(t, "@chair are you there?").payload["addressed"], "a stale lease routes to nobody")
		require.Equal(t, "chair", text(t, theirs.call(t, "assume_role", object{"role": "chair"}), "role"))
	})
	t.Run("presence", func(t *testing.T) {
		t.Parallel()
		shows(t, "6.6-session-none", "0.1-heartbeat-ttl")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		stream := b.openAs(t, opening{silent: true}, "rooms="+room)
		require.Equal(t, "live", a.statusOf(t, room, b))
		stream.close()
		require.Equal(t, "live", a.statusOf(t, room, b))
		later(t, ttl+100*time.Millisecond)
		require.Equal(t, "no_session", a.statusOf(t, room, b))
	})
}

// TestStall: the program is stopped for longer than any lease, so that without care for it all of them have lapsed when it
// goes on. Nobody is evicted, and clients that come back at once find everything as it was.
func TestStall(t *testing.T) {
	t.Parallel()
	s := own(t)
	shows(t, "0.1-sweep-stall", "8-14")
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	streams := []*stream{a.openAs(t, opening{silent: true}, "rooms="+room), b.openAs(t, opening{silent: true}, "rooms="+room)}
	for _, stream := range streams {
		stream.a.beat(t, stream.conn, 0).is(200)
	}
	require.NoError(t, s.proc.Freeze(7*time.Second))
	// The sweep that was due is over, and the streams have looked at their leases.
	later(t, time.Second)
	for _, stream := range streams {
		stream.a.beat(t, stream.conn, 0).is(200)
	}
	later(t, 2500*time.Millisecond)
	for _, stream := range streams {
		require.Equal(t, []any{room}, stream.a.beat(t, stream.conn, 0).is(200).object()["rooms"])
		require.Empty(t, stream.frames)
	}
}
