package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScopes is about what a connection covers.
func TestScopes(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("single", func(t *testing.T) {
		shows(t, "2.10-single-covers", "2.10-single-claim", "4.4-connect_to_room.switch", "2.7-9-coverage")
		a, b, _ := s.agents(t)
		one, two := a.room(t, a, b), a.room(t, a, b)
		stream := a.within(t, one)
		b.say(t, two, "not covered")
		b.say(t, one, "covered")
		stream.hears(t, "covered")
		stream.enter(t, two)
		require.Equal(t, anys(two), a.beat(t, stream.conn, 0).object()["rooms"])
		b.say(t, one, "not any more")
		b.say(t, two, "now")
		stream.hears(t, "now")
	})
	t.Run("all", func(t *testing.T) {
		shows(t, "2.10-all-covers", "2.10-all-claim", "2.10-all-none", "D1", "D2", "2.10-later", "2.8-subscription-claim")
		a, b, _ := s.agents(t)
		one, two := a.room(t, a, b), a.room(t, a, b)
		all := a.open(t, "scope=all")
		require.Equal(t, []any{}, all.state["rooms"])
		b.say(t, one, "in one")
		all.hears(t, "in one")
		session := a.within(t, one)
		b.say(t, one, "the session's")
		session.hears(t, "the session's")
		b.say(t, two, "in two")
		// Neither the message of the session's room nor any subscription_changed came before this.
		all.hears(t, "in two")
		require.Equal(t, []any{}, a.beat(t, all.conn, 0).object()["rooms"])
		again := a.openAs(t, opening{conn: all.conn, lastEventID: "0"}, "scope=all", "rooms=")
		require.Equal(t, []any{}, again.state["rooms"])
		require.Equal(t, anys(one), a.beat(t, session.conn, 0).object()["rooms"], "nothing was taken over")
		again.close()

		all = a.open(t, "scope=all")
		a.unsubscribe(t, session.conn, one).is(200)
		session.changed(t)
		b.say(t, one, "later")
		all.hears(t, "later")
		for _, room := range []string{two, one} {
			a.subscribe(t, all.conn, room, false).is(200)
		}
		all.changed(t, two)
		all.changed(t, one, two)
	})
	t.Run("park", func(t *testing.T) {
		shows(t, "2.7-5-park", "2.10-single-none", "8-03", "2.6-minus-one", "8-17")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		watcher := a.open(t, "scope=all")
		b.say(t, room, "older")
		watcher.hears(t, "older")
		b.say(t, room, "the cause")
		cause := watcher.hears(t, "the cause")
		b.say(t, room, "newer")
		session := a.open(t, fmt.Sprintf("start_from=%d", cause.sequence-1))
		at := session.state["cursor"]
		require.Equal(t, float64(cause.sequence-1), at)
		b.say(t, room, "newest")
		require.Equal(t, at, a.beat(t, session.conn, 0).object()["cursor"], "a parked connection reads nothing")
		session.enter(t, room)
		session.hears(t, "the cause")
		session.hears(t, "newer")
		session.hears(t, "newest")
	})
	t.Run("spawn", func(t *testing.T) {
		shows(t, "2.6-integer", "2.6-minus-one", "8-17")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		watcher := a.open(t, "scope=all", "filter=addressed", "spawn_capable=true")
		b.say(t, room, "not for a")
		b.say(t, room, "@"+a.name+" come")
		e := watcher.hears(t, "@"+a.name+" come")
		session := a.within(t, room, fmt.Sprintf("start_from=%d", e.sequence-1))
		require.Equal(t, e.sequence, session.hears(t, "@"+a.name+" come").sequence)
		after := a.within(t, room, fmt.Sprintf("start_from=%d", e.sequence))
		b.say(t, room, "next")
		after.hears(t, "next")
	})
	t.Run("rooms takes over", func(t *testing.T) {
		shows(t, "D3", "2.5-rooms-takeover", "2.10-route-rooms", "2.10-loser")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		first := a.within(t, room)
		second := a.within(t, room)
		require.Equal(t, anys(room), second.state["rooms"])
		first.changed(t)
		b.say(t, room, "second's")
		second.hears(t, "second's")
		a.beat(t, first.conn, 0).is(200)
	})
	t.Run("archived", func(t *testing.T) {
		shows(t, "2.10-archived")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		stream := a.within(t, room)
		a.call(t, "archive_room", object{"room_id": room})
		require.Equal(t, anys(room), a.beat(t, stream.conn, 0).object()["rooms"])
		b.say(t, room, "still delivered")
		stream.hears(t, "still delivered")
		a.subscribe(t, a.open(t).conn, room, true).is(200)
	})
}

func TestFilter(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	shows(t, "2.7-6-filter", "2.7-8-excluded", "8-02", "3.2-message-notifiable", "2.9-notifiable")
	stream := a.within(t, room, "filter=addressed")
	for i := range 300 {
		b.say(t, room, fmt.Sprintf("excluded %d", i))
	}
	last := unique("last")
	b.say(t, room, last)
	waitFor(t, "the cursor moves past what is excluded", func() bool {
		return a.beat(t, stream.conn, 0).is(200).object()["cursor"].(float64) > stream.state["cursor"].(float64)+300
	})
	b.say(t, room, "for @"+a.name)
	e := stream.hears(t, "for @"+a.name)
	require.Equal(t, true, e.payload["addressed"])
	// What was notifiable stays so when the filter of a later connection asks again.
	again := a.within(t, room, "filter=addressed", fmt.Sprintf("start_from=%d", int(stream.state["cursor"].(float64))))
	require.Equal(t, e.sequence, again.hears(t, "for @"+a.name).sequence)
}

// TestTakeover is about two streams on one connection id.
func TestTakeover(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("newer wins", func(t *testing.T) {
		shows(t, "2.7-1-superseded", "2.8-evicted-takeover", "2.11-newer-wins", "D15", "8-10", "8-09", "2.7-detach", "2.11-client-gone", "2.5-takeover",
			"2.1-claims-kept", "2.8-evicted-ends", "2.8-evicted-claimed")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		first := a.within(t, room)
		second := a.openAs(t, opening{conn: first.conn})
		require.Equal(t, anys(room), second.state["rooms"])
		require.Equal(t, "another stream attached to this connection", first.evicted(t))
		a.beat(t, second.conn, 0).is(200)
		b.say(t, room, "for the newer")
		second.hears(t, "for the newer")
		a.beat(t, second.conn, 0).is(200)
	})
	t.Run("reopen replaces", func(t *testing.T) {
		shows(t, "2.1-open-replaces", "2.1-declaration", "2.5-new")
		a := s.agent(t)
		first := a.open(t, "scope=all", "filter=addressed", "spawn_capable=true", "protocol=1", "client=one", "client_version=1")
		require.Equal(t, []any{}, first.state["rooms"])
		second := a.openAs(t, opening{conn: first.conn}, "client=two")
		require.Equal(t, "single", second.state["scope"])
		require.Equal(t, "all", second.state["filter"])
		require.Equal(t, false, second.state["spawn_capable"])
		require.Equal(t, object{"speaks": nil, "accepts": nil, "artifact": "two", "version": nil}, second.state["client"])
	})
	t.Run("live reopen from head", func(t *testing.T) {
		// The choice for what section 9 leaves open: a live connection goes on from where it is.
		shows(t, "2.6-head")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		first := a.open(t)
		first.call(t, "connect_to_room", object{"room_id": room})
		b.say(t, room, "between the claim and the reopen")
		second := a.openAs(t, opening{conn: first.conn}, "start_from=head", "rooms="+room)
		second.hears(t, "between the claim and the reopen")
	})
	t.Run("storm", func(t *testing.T) {
		t.Parallel()
		shows(t, "2.11-storm")
		a := s.agent(t)
		conn := unique("conn")
		for range 8 {
			a.openAs(t, opening{conn: conn})
		}
		a.beat(t, conn, 0).is(200)
	})
}

func TestStartPosition(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	t.Run("negative", func(t *testing.T) {
		shows(t, "2.6-negative")
		require.Equal(t, 0.0, a.open(t, "start_from=-5").state["cursor"])
	})
	t.Run("above", func(t *testing.T) {
		shows(t, "2.6-above", "2.5-gap-head", "2.8-gap-restart", "2.8-gap-fields", "D5")
		const far = 1 << 50
		for _, stream := range []*stream{
			a.within(t, room, fmt.Sprintf("start_from=%d", far)),
			a.openAs(t, opening{lastEventID: fmt.Sprint(far)}, "scope=all"),
		} {
			gap := shape(t, stream.control(t, "gap"), "from_sequence int, resumed_at int, reason string")
			require.Contains(t, gap["reason"], "restarted")
			require.Equal(t, gap["from_sequence"], gap["resumed_at"])
			require.Less(t, gap["resumed_at"], float64(far))
			a.subscribe(t, stream.conn, room, true).is(200)
			word := unique("after")
			if stream.state["scope"] == "all" {
				stream.changed(t, room)
			}
			b.say(t, room, word)
			e := stream.hears(t, word)
			require.Greater(t, e.sequence, int(gap["resumed_at"].(float64)))
			require.Less(t, a.beat(t, stream.conn, 0).object()["cursor"], float64(far))
			a.unsubscribe(t, stream.conn, room).is(200)
		}
	})
}
