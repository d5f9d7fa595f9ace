package switchfront_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestSubscribe(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, foreign := a.room("", a), b.room("", b)
	b.open("c-b", "").hello()
	first := a.open("c-1", "").hello()
	second := a.open("c-2", "&scope=all").hello()

	r := a.subscribe("c-1", room, "")
	require.Equal(t, 200, r.status)
	require.Equal(t, `{"ok":true,"rooms":["`+room+`"],"evicted_connection_id":null,"warning":null}`, r.body)
	require.Equal(t, changed(room), first.next())
	require.Equal(t, r.body, a.subscribe("c-1", room, "").body, "claiming what one holds succeeds")

	for name, tc := range map[string]struct {
		conn, room string
		status     int
		contains   []string
	}{
		"unknown connection":  {"c-x", room, 404, []string{"c-x", "is not open"}},
		"another agent's":     {"c-b", foreign, 404, []string{"c-b", "is not open"}},
		"unknown room":        {"c-2", "room_x", 404, []string{"no such room"}},
		"not a member":        {"c-2", foreign, 403, []string{"not a member"}},
		"held by a sibling":   {"c-2", room, 409, []string{room, "c-1"}},
		"connection is first": {"c-x", "room_x", 404, []string{"c-x", "is not open"}},
	} {
		before := g.node.Applied()
		r := a.subscribe(tc.conn, tc.room, "")
		require.Equal(t, tc.status, r.status, name)
		for _, text := range tc.contains {
			require.Contains(t, r.body, text, name)
		}
		require.Equal(t, before, g.node.Applied(), name)
	}

	r = a.subscribe("c-2", room, `,"takeover":true`)
	require.Equal(t, 200, r.status)
	require.Contains(t, r.body, `{"ok":true,"rooms":["`+room+`"],"evicted_connection_id":"c-1","warning":"`)
	require.Contains(t, r.body, room)
	require.Equal(t, changed(room), second.next())
	require.Equal(t, changed(), first.next(), "losing a room is no eviction from the connection")
	require.Equal(t, 200, a.beat("c-1", 0).status)

	unsubscribe := func(conn, room string) reply {
		return g.do("POST", a.path("/connection/unsubscribe"), a.key, fmt.Sprintf(`{"connection_id":%q,"room_id":%q}`, conn, room))
	}
	require.Equal(t, `{"ok":true,"rooms":["`+room+`"]}`, unsubscribe("c-2", "room_x").body, "not held is no error")
	require.Equal(t, `{"ok":true,"rooms":[]}`, unsubscribe("c-2", room).body)
	require.Equal(t, changed(), second.next())
	require.Equal(t, 404, unsubscribe("c-x", room).status)
}

// TestParkedConnectionKeepsItsPlace: a single-room connection without a room once read on and skipped everything,
// including the message that it was started for.
func TestParkedConnectionKeepsItsPlace(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, other := a.room("", a, b), a.room("", a, b)
	_, before := b.post(room, "before")
	s := a.open("c-1", "").hello()
	b.post(room, "while parked")
	b.post(other, "while parked, elsewhere")
	require.Contains(t, a.beat("c-1", 0).body, fmt.Sprintf(`"cursor":%d}`, before), "the cursor does not move")
	require.Equal(t, 200, a.subscribe("c-1", room, "").status)
	require.Equal(t, changed(room), s.next())
	require.Equal(t, "while parked", s.body())

	g.do("POST", a.path("/connection/unsubscribe"), a.key, `{"connection_id":"c-1","room_id":"`+room+`"}`)
	require.Equal(t, changed(), s.next())
	_, at := b.post(other, "parked again")
	require.Equal(t, 200, a.subscribe("c-1", other, "").status)
	require.Equal(t, changed(other), s.next())
	require.Equal(t, "parked again", s.body())
	eventually(t, "the cursor moves again", func() bool {
		var cursor core.Position
		_, err := fmt.Sscanf(a.beat("c-1", 0).body, `{"ok":true,"rooms":["`+other+`"],"cursor":%d}`, &cursor)
		return err == nil && cursor >= at
	})
}

// TestSpawnedSessionGetsWhatItWasStartedFor: a spawner passes sequence-1 of the message, and exactly it comes first.
func TestSpawnedSessionGetsWhatItWasStartedFor(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	b.post(room, "older")
	id, pos := b.post(room, "@alice come")
	b.post(room, "newer")
	s := a.open("c-1", fmt.Sprintf("&start_from=%d&rooms=%s", pos-1, room)).hello()
	require.Equal(t, message(room, pos, true, b, id, "@alice come"), s.next())
	require.Equal(t, "newer", s.body())
	late := a.open("c-2", fmt.Sprintf("&start_from=%d", pos-1)).hello()
	require.Equal(t, 200, a.subscribe("c-2", room, `,"takeover":true`).status)
	require.Equal(t, changed(room), late.next())
	require.Equal(t, message(room, pos, true, b, id, "@alice come"), late.next(), "also when it claims its room after the open")
}

// TestRoomsAreClaimedBeforeCatchUp: a room listed in the open must not lose what was said before the open.
func TestRoomsAreClaimedBeforeCatchUp(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	start := g.node.Applied()
	for i := range 300 {
		b.post(room, fmt.Sprint(i))
	}
	holder := a.open("c-0", "&rooms="+room).hello()
	s := a.open("c-1", fmt.Sprintf("&start_from=%d&rooms=%s", start, room)).hello()
	for i := range 300 {
		require.Equal(t, fmt.Sprint(i), s.body())
	}
	require.Equal(t, changed(), holder.next(), "rooms= takes over")
}

// TestWatcherGoesDarkWhereASessionIs: an all-scope connection covers what no live sibling has claimed, says so in no
// frame, and never gets what was said while it was dark.
func TestWatcherGoesDarkWhereASessionIs(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, other := a.room("", a, b), a.room("", a, b)
	watcher := a.open("w", "&scope=all&spawn_capable=true").hello()
	b.post(room, "watched")
	require.Equal(t, "watched", watcher.body())
	require.EqualValues(t, "dormant", g.node.Presence(a.id, room), "covering a room is no session")

	session := a.open("s", "&rooms="+room).hello()
	require.EqualValues(t, "live", g.node.Presence(a.id, room))
	b.post(room, "for the session")
	require.Equal(t, "for the session", session.body())
	b.post(other, "still watched")
	require.Equal(t, "still watched", watcher.body(), "no frame about a room that is merely covered")

	require.Equal(t, 200, g.do("POST", a.path("/connection/unsubscribe"), a.key, `{"connection_id":"s","room_id":"`+room+`"}`).status)
	require.Equal(t, changed(), session.next())
	b.post(room, "watched again")
	require.Equal(t, "watched again", watcher.body(), "coverage comes back for later events only")
}

// TestUnsubscribeAfterSwitching: clients give up their old room after they claimed the new one.
func TestUnsubscribeAfterSwitching(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	old, fresh := a.room("", a, b), a.room("", a, b)
	s := a.open("c-1", "&rooms="+old).hello()
	a.must("c-1", "connect_to_room", `{"room_id":"`+fresh+`"}`)
	require.Equal(t, changed(fresh), s.next())
	r := g.do("POST", a.path("/connection/unsubscribe"), a.key, `{"connection_id":"c-1","room_id":"`+old+`"}`)
	require.Equal(t, `{"ok":true,"rooms":["`+fresh+`"]}`, r.body)
	b.post(old, "to the old room")
	b.post(fresh, "to the new room")
	require.Equal(t, "to the new room", s.body())
}

// TestFirstConnectLosesNothing plays what the reference client does when it enters its first room: it reopens the same
// id at head without a cursor, and what is said in between must not be lost.
func TestFirstConnectLosesNothing(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	s := a.open("c-1", "&start_from=head").hello()
	s.close()
	a.must("c-1", "connect_to_room", `{"room_id":"`+room+`"}`)
	b.post(room, "in between")
	s = a.open("c-1", "&start_from=head&rooms="+room).hello()
	require.Equal(t, "in between", s.body())
}

// TestClaimsUnderLoad: while a room goes back and forth between two connections, each stream shows events in order, each
// once, and only while the claims it last announced hold the room. Since a connection without its room parks, the one
// that has it in the end has missed nothing.
func TestClaimsUnderLoad(t *testing.T) {
	const rounds = 60
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	taps := []*tap{a.open("c-0", "").hello(), a.open("c-1", "").hello()}
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		for i := range rounds * 5 {
			if _, _, err := g.node.PostMessage(t.Context(), room, core.PostMessage{Sender: b.id, Text: fmt.Sprint(i)}, nil); err != nil {
				t.Error(err)
			}
		}
	}()
	counts := make([]int, len(taps))
	var readers sync.WaitGroup
	for i, s := range taps {
		readers.Go(func() {
			last, held := 0.0, false
			for frame := range s.frames {
				switch kind, data := event(t, frame); kind {
				case "subscription_changed":
					held = len(data["rooms"].([]any)) > 0
				case "message":
					if !held || data["sequence"].(float64) <= last {
						t.Errorf("out of place: %s", frame)
					}
					last = data["sequence"].(float64)
					counts[i]++
				}
			}
		})
	}
	for i := range rounds {
		a.must(fmt.Sprintf("c-%d", i%2), "connect_to_room", `{"room_id":"`+room+`"}`)
	}
	<-posted
	_, last := b.post(room, "the end")
	eventually(t, "the holder comes to the end", func() bool {
		var cursor core.Position
		_, err := fmt.Sscanf(a.beat("c-1", 0).body, `{"ok":true,"rooms":["`+room+`"],"cursor":%d}`, &cursor)
		return err == nil && cursor >= last
	})
	g.front.Drain()
	readers.Wait()
	require.Equal(t, rounds*5+1, counts[1])
}

// TestSwitchingUnderLoad: while a session goes from room to room and a watcher covers the others, each message comes to
// exactly one of the two, also when it is accepted at the moment of the switch.
func TestSwitchingUnderLoad(t *testing.T) {
	const rounds, each = 100, 3
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	rooms := []string{a.room("", a, b), a.room("", a, b), a.room("", a, b)}
	watcher, session := a.open("watcher", "&scope=all").hello(), a.open("session", "&rooms="+rooms[0]).hello()
	var mu sync.Mutex
	got := map[string]int{}
	var readers sync.WaitGroup
	for _, s := range []*tap{watcher, session} {
		readers.Go(func() {
			for frame := range s.frames {
				if kind, data := event(t, frame); kind == "message" {
					mu.Lock()
					got[data["payload"].(map[string]any)["body"].(string)]++
					mu.Unlock()
				}
			}
		})
	}
	for round := range rounds {
		var busy sync.WaitGroup
		for n, room := range rooms {
			busy.Go(func() {
				for i := range each {
					post := core.PostMessage{Sender: b.id, Text: fmt.Sprint(round, "/", n, "/", i)}
					if _, _, err := g.node.PostMessage(t.Context(), room, post, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		a.must("session", "connect_to_room", `{"room_id":"`+rooms[(round+1)%len(rooms)]+`","include_general_instructions":false}`)
		busy.Wait()
		a.comesTo("session", g.node.Applied())
		a.comesTo("watcher", g.node.Applied())
	}
	g.front.Drain()
	readers.Wait()
	for body, times := range got {
		require.Equal(t, 1, times, "%s came to both", body)
	}
	require.True(t, len(got) == rounds*len(rooms)*each, "of %d, %d came to neither", rounds*len(rooms)*each, rounds*len(rooms)*each-len(got))
}

// comesTo waits until a connection's stream has shown what came up to a position.
func (a *agent) comesTo(conn string, at core.Position) {
	a.g.t.Helper()
	eventually(a.g.t, conn+" has shown what came before", func() bool {
		_, text, _ := strings.Cut(a.beat(conn, 0).body, `"cursor":`)
		cursor, err := strconv.ParseUint(strings.TrimSuffix(text, "}"), 10, 64)
		return err == nil && core.Position(cursor) >= at
	})
}

// TestRoomsPassedThrough: a session that goes through rooms faster than its stream turns still shows what came to each of them
// meanwhile, and nothing else of it; a watcher that covers the others shows the rest. A sibling that comes from a third room
// and takes the last one over shows nothing of before, so whoever had it does.
func TestRoomsPassedThrough(t *testing.T) {
	const rounds = 30
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	rooms := []string{a.room("", a, b), a.room("", a, b), a.room("", a, b)}
	own := a.room("", a, b)
	taps := map[string]*tap{
		"watcher": a.open("watcher", "&scope=all").hello(), "session": a.open("session", "&rooms="+rooms[0]).hello(),
		"sibling": a.open("sibling", "&rooms="+own).hello(),
	}
	want := map[string][]string{}
	claim := func(conn, room string) {
		t.Helper()
		_, err := g.node.Subscribe(t.Context(), a.id, conn, room, true)
		require.NoError(t, err)
	}
	for round := range rounds {
		for step := range 2 * len(rooms) {
			claim("session", rooms[step%len(rooms)])
			for n, room := range rooms {
				body, to := fmt.Sprint(round, "/", step, "/", n), "watcher"
				if n == step%len(rooms) {
					to = "session"
				}
				want[to] = append(want[to], body)
				_, _, err := g.node.PostMessage(t.Context(), room, core.PostMessage{Sender: b.id, Text: body}, nil)
				require.NoError(t, err)
			}
		}
		claim("sibling", rooms[2])
		body := fmt.Sprint(round, "/taken over")
		want["sibling"] = append(want["sibling"], body)
		_, at := b.post(rooms[2], body)
		a.comesTo("sibling", at)
		a.comesTo("watcher", at)
		claim("sibling", own)
	}
	claim("session", rooms[0])
	a.comesTo("session", g.node.Applied())
	g.front.Drain()
	for name, s := range taps {
		var got []string
		for frame := range s.frames {
			if kind, data := event(t, frame); kind == "message" {
				got = append(got, data["payload"].(map[string]any)["body"].(string))
			}
		}
		require.Equal(t, want[name], got, name)
	}
}
