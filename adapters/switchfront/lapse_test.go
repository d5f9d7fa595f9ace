package switchfront_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
	"stele/core"
)

const lapseNoticed = "heartbeat lapsed: open the stream again from your cursor and keep beating"

// never is a pace of housekeeping at which a test sees none.
const never = time.Hour

// TestBeat holds the table of the beat's answers.
func TestBeat(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, SweepEvery: never}})
	a, b := g.register("alice"), g.register("bob")
	one, two := a.room("", a), a.room("", a)
	b.open("c-b", "").hello()
	s := a.open("c-1", "&scope=all&rooms="+two+","+one).hello()
	rooms := fmt.Sprintf(`["%s","%s"]`, one, two)
	if two < one {
		rooms = fmt.Sprintf(`["%s","%s"]`, two, one)
	}
	var head core.Position
	ok := func() string { return fmt.Sprintf(`{"ok":true,"rooms":%s,"cursor":%d}`, rooms, head) }
	eventually(t, "the cursor reaches the head", func() bool {
		head = g.node.Applied()
		return a.beat("c-1", 0).body == ok()
	})
	r := a.beat("c-1", 1<<40)
	require.Equal(t, 200, r.status)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Equal(t, ok(), r.body, "a cursor from another life is not adopted")
	require.Equal(t, ok(), a.beat("c-1", -7).body, "cursors only move forward")
	require.Equal(t, ok(), g.do("POST", a.path("/connection/beat"), a.key, `{"connection_id":"c-1"}`).body)

	for name, tc := range map[string]struct {
		body     string
		status   int
		contains []string
	}{
		"unknown":             {`{"connection_id":"c-x"}`, 404, []string{`{"detail":"`, "c-x", "is not open"}},
		"another agent's":     {`{"connection_id":"c-b"}`, 404, []string{`{"detail":"`, "c-b", "is not open"}},
		"no id":               {`{}`, 422, []string{`{"detail":[{"type":"missing","loc":["body","connection_id"]`}},
		"no body":             {``, 422, []string{`{"detail":[{`}},
		"cursor is a text":    {`{"connection_id":"c-1","cursor":"x"}`, 422, []string{`"type":"int_parsing","loc":["body","cursor"]`}},
		"cursor has a half":   {`{"connection_id":"c-1","cursor":1.5}`, 422, []string{`"loc":["body","cursor"]`}},
		"id is not a string":  {`{"connection_id":1}`, 422, []string{`"type":"string_type","loc":["body","connection_id"]`}},
		"id of no connection": {`{"connection_id":""}`, 404, []string{"is not open"}},
	} {
		r := g.do("POST", a.path("/connection/beat"), a.key, tc.body)
		require.Equal(t, tc.status, r.status, name)
		for _, text := range tc.contains {
			require.Contains(t, r.body, text, name)
		}
	}

	s.close()
	eventually(t, "the server notices that the stream is gone", func() bool { return a.beat("c-1", 0).status == 409 })
	r = a.beat("c-1", 0)
	require.Contains(t, r.body, "c-1")
	require.NotContains(t, r.body, "is not open", "the connection lives, it only has no stream")
	require.Equal(t, 200, a.op("c-1", "list_rooms", "").status, "operations need no stream")

	clock.Advance(6 * time.Second)
	require.Equal(t, 404, a.beat("c-1", 0).status, "refused beats and operations do not keep a connection alive")
	require.Equal(t, 409, a.op("c-1", "list_rooms", "").status)
}

// TestLeaseEndsExactlyAtItsTTL.
func TestLeaseEndsExactlyAtItsTTL(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, SweepEvery: never}})
	a := g.register("alice")
	a.open("c-1", "").hello()
	clock.Advance(5999 * time.Millisecond)
	require.Equal(t, 200, a.beat("c-1", 0).status)
	clock.Advance(5999 * time.Millisecond)
	require.Equal(t, 200, a.beat("c-1", 0).status)
	clock.Advance(6 * time.Second)
	require.Equal(t, 404, a.beat("c-1", 0).status)
}

// TestLapsedStreamGetsNoEvent: a connection without heartbeats kept receiving while presence said that it was gone.
func TestLapsedStreamGetsNoEvent(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, SweepEvery: never}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	s := a.open("c-1", "&rooms="+room).hello()
	clock.Advance(6 * time.Second)
	b.post(room, "too late")
	require.Equal(t, evicted(lapseNoticed), s.next())
	s.ended()
	other := a.open("c-2", "").hello()
	require.Equal(t, 200, a.subscribe("c-2", room, "").status, "its claims are free")
	require.Equal(t, changed(room), other.next())
}

// TestStreamNoticesItsLapse by itself, without an event and without the sweep.
func TestStreamNoticesItsLapse(t *testing.T) {
	const ttl = 1500 * time.Millisecond
	g := newGateway(t, setup{
		node:  core.Options{Now: time.Now, LeaseTTL: ttl, SweepEvery: never},
		front: switchfront.Options{KeepAlive: never},
	})
	a := g.register("alice")
	s := a.open("c-1", "").hello()
	last := time.Now()
	for end := last.Add(ttl + ttl/4); time.Now().Before(end); time.Sleep(ttl / 50) {
		if a.beat("c-1", 0).status != 200 {
			require.Greater(t, time.Since(last), ttl, "beats keep it")
			t.Skip("the machine stood still for longer than a lease")
		}
		last = time.Now()
	}
	require.Equal(t, evicted(lapseNoticed), s.next())
	require.Greater(t, time.Since(last), ttl*9/10)
	s.ended()
	require.Equal(t, 404, a.beat("c-1", 0).status)
}

// TestSweepEndsLapsedConnections also where no stream looks.
func TestSweepEndsLapsedConnections(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, SweepEvery: time.Millisecond}})
	a := g.register("alice")
	s := a.open("c-1", "").hello()
	clock.Advance(6 * time.Second)
	require.Contains(t, s.next(), `"reason":"heartbeat lapsed`)
	s.ended()
}

// TestDeadHolderIsNoClaimant: a session that comes back under another id once met its own dead connection and reported
// an eviction.
func TestDeadHolderIsNoClaimant(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, SweepEvery: never}})
	a := g.register("alice")
	room := a.room("", a)
	a.open("c-1", "&rooms="+room).hello()
	clock.Advance(6 * time.Second)
	a.open("c-2", "").hello()
	require.Nil(t, a.must("c-2", "connect_to_room", `{"room_id":"`+room+`"}`)["warning"])
	clock.Advance(6 * time.Second)
	a.open("c-3", "").hello()
	require.Equal(t, `{"ok":true,"rooms":["`+room+`"],"evicted_connection_id":null,"warning":null}`,
		a.subscribe("c-3", room, "").body, "no takeover is needed from the dead")
}

// TestLapsedIdReopensWithoutClaims: a connection that lapsed unnoticed, and whose room a sibling took meanwhile, once
// came back with its claim: two holders, double delivery.
func TestLapsedIdReopensWithoutClaims(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, SweepEvery: never}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	a.open("c-1", "&rooms="+room).hello()
	clock.Advance(6 * time.Second)
	second := a.open("c-2", "&rooms="+room).hello()
	first := a.open("c-1", "")
	require.Contains(t, first.next(), `"rooms":[]`)
	b.post(room, "to one of them")
	require.Equal(t, "to one of them", second.body())
	require.Equal(t, 200, a.subscribe("c-1", room, `,"takeover":true`).status)
	require.Equal(t, changed(room), first.next())
	require.Equal(t, "to one of them", first.body(), "parked until it has the room, from where it was")
}

// TestTakeover: the newer stream of an id wins, the older is told at once and its unwinding does not detach the newer.
func TestTakeover(t *testing.T) {
	g := newGateway(t, setup{front: switchfront.Options{KeepAlive: never}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	old := a.open("c-1", "&rooms="+room).hello()
	fresh := a.open("c-1", "")
	require.Contains(t, fresh.next(), `"rooms":["`+room+`"]`, "claims survive a reopen")
	require.Equal(t, evicted("another stream attached to this connection"), old.next())
	old.ended()
	require.Equal(t, 200, a.beat("c-1", 0).status)
	b.post(room, "to the newer")
	require.Equal(t, "to the newer", fresh.body())
}

// TestReopenReplacesWhatWasDeclared: scope, filter and flag are those of the newest open.
func TestReopenReplacesWhatWasDeclared(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	a.open("c-1", "&scope=all&filter=addressed&spawn_capable=1").hello()
	require.EqualValues(t, "dormant", g.node.Presence(a.id, room))
	s := a.open("c-1", "&scope=all").hello()
	require.EqualValues(t, "no_session", g.node.Presence(a.id, room))
	b.post(room, "to nobody")
	require.Equal(t, "to nobody", s.body())
}
