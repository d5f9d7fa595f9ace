package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBeat(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	one, two := a.room(t, a, b), a.room(t, a, b)
	t.Run("200", func(t *testing.T) {
		shows(t, "1.6-beat-200", "2.1-healthy", "1.6-beat-cursor-default")
		stream := a.open(t, "scope=all", "rooms="+two+","+one)
		o := shape(t, a.beat(t, stream.conn, 0).is(200).json(), "ok bool, rooms list, cursor int")
		require.Equal(t, true, o["ok"])
		require.Equal(t, sortedRooms(one, two), o["rooms"])
		require.GreaterOrEqual(t, o["cursor"], stream.state["cursor"])
		without := a.post(t, "/connection/beat", object{"connection_id": stream.conn}).is(200).object()
		require.GreaterOrEqual(t, without["cursor"], o["cursor"])
		require.Equal(t, []any{}, a.beat(t, a.open(t).conn, 0).object()["rooms"])
	})
	t.Run("404", func(t *testing.T) {
		shows(t, "1.6-beat-404-unknown", "1.6-beat-404-foreign", "1.1-dead-text", "8-13")
		id := unique("conn")
		isDead(t, a.beat(t, id, 0), 404, id)
		theirs := b.open(t).conn
		isDead(t, a.beat(t, theirs, 0), 404, theirs)
		isDead(t, a.subscribe(t, theirs, one, false), 404, theirs)
		isDead(t, a.unsubscribe(t, theirs, one), 404, theirs)
		isDead(t, a.post(t, "/ops/list_rooms", object{}, "X-Switch-Connection-Id: "+theirs), 409, theirs)
		isDead(t, a.post(t, "/ops/list_rooms", object{}, "X-Switch-Connection-Id: "+id), 409, id)
	})
	t.Run("409", func(t *testing.T) {
		shows(t, "1.6-beat-409", "2.1-detached", "1.6-subscribe-detached", "4.1-no-stream", "2.8-not-buffered")
		one, two := a.room(t, a, b), a.room(t, a, b)
		stream := a.open(t, "rooms="+one)
		stream.close()
		waitFor(t, "the server notices", func() bool { return a.beat(t, stream.conn, 0).status == 409 })
		require.Contains(t, a.beat(t, stream.conn, 0).refused(409), stream.conn)
		text(t, stream.call(t, "post_message", object{"body": "without a stream"}), "event_id")
		require.Equal(t, anys(two), a.subscribe(t, stream.conn, two, false).is(200).object()["rooms"])
		again := a.openAs(t, opening{conn: stream.conn})
		require.Equal(t, anys(two), again.state["rooms"])
		a.beat(t, stream.conn, 0).is(200)
		b.say(t, two, "next")
		again.hears(t, "next")
	})
	t.Run("422", func(t *testing.T) {
		shows(t, "1.6-beat-422")
		a.post(t, "/connection/beat", object{"cursor": 1}).invalid(422)
		a.post(t, "/connection/beat", object{"connection_id": nil}).invalid(422)
		a.post(t, "/connection/beat", object{"connection_id": "x", "cursor": "x"}).invalid(422)
		a.post(t, "/connection/beat", []any{}).invalid(422)
	})
	t.Run("cursor", func(t *testing.T) {
		shows(t, "1.6-beat-cursor", "2.1-cursor", "8-01", "D6")
		room := a.room(t, a, b)
		stream := a.within(t, room)
		b.say(t, room, "first")
		e := stream.hears(t, "first")
		cursor := func(reported int) int {
			return int(a.beat(t, stream.conn, reported).is(200).object()["cursor"].(float64))
		}
		waitFor(t, "the cursor follows", func() bool { return cursor(0) >= e.sequence })
		at := cursor(0)
		require.GreaterOrEqual(t, cursor(e.sequence-1), at, "never back")
		high := cursor(1 << 40)
		require.GreaterOrEqual(t, high, at)
		require.Less(t, high, 1<<40, "clamped to the head")
		b.say(t, room, "second")
		second := stream.hears(t, "second")
		require.Greater(t, second.sequence, high)
		// A reopen is not bound by it.
		back := a.openAs(t, opening{conn: stream.conn, lastEventID: fmt.Sprint(e.sequence - 1)}, "start_from=head")
		require.LessOrEqual(t, int(back.state["cursor"].(float64)), e.sequence-1)
		back.hears(t, "first")
		back.hears(t, "second")
	})
}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room, other, foreign := a.room(t, a, b), a.room(t, a, b), b.room(t, b)
	const shapeOf = "ok bool, rooms list, evicted_connection_id string?, warning string?"
	t.Run("200", func(t *testing.T) {
		shows(t, "1.6-subscribe-200", "1.6-subscribe-again", "1.6-subscribe-takeover-default", "2.8-subscription-claim", "2.7-4-subscription", "3.3-shared")
		stream := a.open(t)
		for range 2 {
			o := shape(t, a.post(t, "/connection/subscribe", object{"connection_id": stream.conn, "room_id": room}).is(200).json(), shapeOf)
			require.Equal(t, object{"ok": true, "rooms": anys(room), "evicted_connection_id": nil, "warning": nil}, o)
		}
		o := stream.control(t, "subscription_changed")
		require.Equal(t, object{"rooms": anys(room), "reason": "subscription updated"}, o)
		b.say(t, room, "claimed once")
		stream.hears(t, "claimed once")
		require.Nil(t, a.subscribe(t, stream.conn, room, true).is(200).object()["warning"])
		a.unsubscribe(t, stream.conn, room).is(200)
	})
	t.Run("occupied", func(t *testing.T) {
		shows(t, "1.6-subscribe-409", "1.6-subscribe-takeover", "2.10-route-subscribe", "2.10-loser", "2.8-subscription-lost", "2.10-claimant", "D14")
		holder, newcomer := a.within(t, room), a.open(t)
		refusal := a.subscribe(t, newcomer.conn, room, false).refused(409)
		require.Contains(t, refusal, room)
		require.Contains(t, refusal, holder.conn)
		o := shape(t, a.subscribe(t, newcomer.conn, room, true).is(200).json(), shapeOf)
		require.Equal(t, holder.conn, o["evicted_connection_id"])
		require.Contains(t, o["warning"], room)
		require.Contains(t, o["warning"], holder.conn)
		require.Equal(t, anys(room), o["rooms"])
		holder.changed(t)
		newcomer.changed(t, room)
		require.Equal(t, []any{}, a.beat(t, holder.conn, 0).is(200).object()["rooms"], "the loser keeps its connection")
		b.say(t, room, "for the newcomer")
		newcomer.hears(t, "for the newcomer")
		a.subscribe(t, holder.conn, other, false).is(200)
		holder.changed(t, other)
		b.say(t, other, "for the loser")
		holder.hears(t, "for the loser")
		a.unsubscribe(t, newcomer.conn, room).is(200)
		a.unsubscribe(t, holder.conn, other).is(200)
	})
	t.Run("404 and 403", func(t *testing.T) {
		shows(t, "1.6-subscribe-404", "1.6-subscribe-403", "2.10-membership")
		stream := a.open(t)
		isDead(t, a.subscribe(t, "no-conn", room, false), 404, "no-conn")
		a.subscribe(t, stream.conn, "no-such-room", false).refused(404)
		a.subscribe(t, stream.conn, foreign, true).refused(403)
		require.Equal(t, []any{}, a.beat(t, stream.conn, 0).object()["rooms"])
	})
	t.Run("422", func(t *testing.T) {
		shows(t, "1.6-subscribe-422")
		a.post(t, "/connection/subscribe", object{"room_id": room}).invalid(422)
		a.post(t, "/connection/subscribe", object{"connection_id": "x"}).invalid(422)
		a.post(t, "/connection/subscribe", object{"connection_id": "x", "room_id": room, "takeover": "perhaps"}).invalid(422)
		a.post(t, "/connection/unsubscribe", object{"connection_id": "x"}).invalid(422)
	})
	t.Run("agents do not conflict", func(t *testing.T) {
		shows(t, "2.10-agents")
		mine, theirs := a.within(t, room), b.within(t, room)
		require.Nil(t, mine.call(t, "connect_to_room", object{"room_id": room}).(object)["warning"])
		require.Equal(t, anys(room), b.beat(t, theirs.conn, 0).object()["rooms"])
		require.Equal(t, anys(room), a.beat(t, mine.conn, 0).object()["rooms"])
		a.unsubscribe(t, mine.conn, room).is(200)
	})
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	one, two := a.room(t, a, b), a.room(t, a, b)
	t.Run("200", func(t *testing.T) {
		shows(t, "1.6-unsubscribe-200", "1.6-unsubscribe-not-held", "2.8-subscription-release")
		stream := a.within(t, one)
		a.unsubscribe(t, stream.conn, one).is(200).exactly(`{"ok":true,"rooms":[]}`)
		stream.changed(t)
		a.unsubscribe(t, stream.conn, one).is(200).exactly(`{"ok":true,"rooms":[]}`)
		a.unsubscribe(t, stream.conn, two).is(200).exactly(`{"ok":true,"rooms":[]}`)
	})
	t.Run("404", func(t *testing.T) {
		shows(t, "1.6-unsubscribe-404")
		isDead(t, a.unsubscribe(t, "no-conn", one), 404, "no-conn")
	})
	t.Run("no membership", func(t *testing.T) {
		shows(t, "1.6-unsubscribe-no-membership")
		stream := a.within(t, one)
		a.unsubscribe(t, stream.conn, b.room(t, b)).is(200).exactly(`{"ok":true,"rooms":["` + one + `"]}`)
		a.unsubscribe(t, stream.conn, "no-such-room").is(200).exactly(`{"ok":true,"rooms":["` + one + `"]}`)
		a.unsubscribe(t, stream.conn, one).is(200)
	})
	t.Run("only the room it names", func(t *testing.T) {
		shows(t, "1.6-unsubscribe-only", "8-36")
		stream := a.within(t, one)
		stream.enter(t, two)
		a.unsubscribe(t, stream.conn, one).is(200).exactly(`{"ok":true,"rooms":["` + two + `"]}`)
		b.say(t, two, "still here")
		stream.hears(t, "still here")
		all := b.open(t, "scope=all", "rooms="+one+","+two)
		b.unsubscribe(t, all.conn, one).is(200).exactly(`{"ok":true,"rooms":["` + two + `"]}`)
	})
}

func TestLegacyRenewals(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	t.Run("answers", func(t *testing.T) {
		shows(t, "1.6-legacy-renew", "1.6-legacy-heartbeat")
		a.post(t, "/connection/renew", object{"room_id": room}).is(200).exactly(`{"ok":true}`)
		a.post(t, "/connection/renew", object{"room_id": "no-such-room"}).refused(404)
		s.agent(t).post(t, "/connection/renew", object{"room_id": room}).refused(403)
		a.post(t, "/connection/renew", object{}).invalid(422)
		a.post(t, "/watch/heartbeat", nil).is(200).exactly(`{"ok":true}`)
	})
	t.Run("presence in a room", func(t *testing.T) {
		t.Parallel()
		shows(t, "0.1-legacy-presence")
		room, other := a.room(t, a, b), a.room(t, a, b)
		require.Equal(t, "no_session", a.statusOf(t, room, b))
		b.post(t, "/connection/renew", object{"room_id": room}).is(200)
		require.Equal(t, "live", a.statusOf(t, room, b))
		require.Equal(t, "no_session", a.statusOf(t, other, b))
		later(t, ttl+100*time.Millisecond)
		require.Equal(t, "no_session", a.statusOf(t, room, b))
	})
	t.Run("presence everywhere", func(t *testing.T) {
		t.Parallel()
		shows(t, "0.1-legacy-presence", "1.5-poll-presence")
		beating, polling, neither := s.profiled(t, "always_on", nil), s.profiled(t, "always_on", nil), s.profiled(t, "always_on", nil)
		room := a.room(t, a, beating, polling, neither)
		beating.post(t, "/watch/heartbeat", nil).is(200)
		polling.get(t, "/events?timeout=0")
		for range 2 {
			require.Equal(t, "live", a.statusOf(t, room, beating))
			require.Equal(t, "live", a.statusOf(t, room, polling))
			require.Equal(t, "disconnected", a.statusOf(t, room, neither))
			later(t, ttl+time.Second)
		}
	})
}
