package switchfront_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
)

// gap returns the numbers of a gap frame whose reason contains a text.
func gap(t *testing.T, frame, reason string) (from, resumed core.Position) {
	t.Helper()
	kind, data := event(t, frame)
	require.Equal(t, "gap", kind, frame)
	require.NotContains(t, frame, "id: ")
	require.Contains(t, data["reason"], reason)
	return core.Position(data["from_sequence"].(float64)), core.Position(data["resumed_at"].(float64))
}

// TestCursorAheadOfEverything: the client's cursor comes from a log that is gone.
func TestCursorAheadOfEverything(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	b.post(room, "old")
	s := a.open("c-1", "&start_from=0&rooms="+room, "Last-Event-ID: 987654")
	require.Contains(t, s.next(), `"cursor":987654`, "the stale number shows, the correction follows")
	from, resumed := gap(t, s.next(), "restarted")
	require.Equal(t, from, resumed)
	require.Equal(t, g.node.Applied(), from)
	b.post(room, "new")
	require.Equal(t, "new", s.body())
	head := g.node.Applied()
	eventually(t, "the cursor is true again", func() bool {
		return a.beat("c-1", 987654).body == fmt.Sprintf(`{"ok":true,"rooms":["%s"],"cursor":%d}`, room, head)
	})
	s.close()
	eventually(t, "the server notices that the stream is gone", func() bool { return a.beat("c-1", 0).status == 409 })
	b.post(room, "while away")
	require.Equal(t, "while away", a.open("c-1", "").hello().body(), "and so it is after a reopen")
}

// TestExpiredAtOpen: both numbers are the one before the oldest event that is kept.
func TestExpiredAtOpen(t *testing.T) {
	g := newGateway(t, setup{node: core.Options{RetainEvents: 10}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	for i := range 50 {
		b.post(room, fmt.Sprint(i))
	}
	s := a.open("c-1", "&start_from=0&rooms="+room).hello()
	from, resumed := gap(t, s.next(), "re-read")
	require.Equal(t, from, resumed)
	require.Equal(t, core.Position(0), mustRetained(t, g, a, from), "a cursor at the boundary is fine")
	for i := 40; i < 50; i++ {
		require.Equal(t, fmt.Sprint(i), s.body())
	}
	same := a.open("c-2", fmt.Sprintf("&start_from=%d&rooms=%s", from, room)).hello()
	require.Equal(t, "40", same.body(), "and yields no gap")
}

func mustRetained(t *testing.T, g *gateway, a *agent, cursor core.Position) core.Position {
	t.Helper()
	dropped, err := g.node.Retained(context.Background(), a.id, cursor)
	require.NoError(t, err)
	return dropped
}

func TestExpiredByAge(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, RetainAge: time.Hour, SweepEvery: never}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	_, old := b.post(room, "old")
	clock.Advance(2 * time.Hour)
	b.post(room, "young")
	s := a.open("c-1", "&start_from=0&rooms="+room).hello()
	_, resumed := gap(t, s.next(), "re-read")
	require.Equal(t, old, resumed)
	require.Equal(t, "young", s.body())
}

// TestExpiredWhileParked: a stream that was open all the time can fall out of what is kept too; it is told where from.
func TestExpiredWhileParked(t *testing.T) {
	g := newGateway(t, setup{node: core.Options{RetainEvents: 10}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	start := g.node.Applied()
	s := a.open("c-1", "").hello()
	for i := range 50 {
		b.post(room, fmt.Sprint(i))
	}
	require.Equal(t, 200, a.subscribe("c-1", room, "").status)
	require.Equal(t, changed(room), s.next())
	from, resumed := gap(t, s.next(), "re-read")
	require.Equal(t, start, from)
	require.Greater(t, resumed, from)
	for i := 40; i < 50; i++ {
		require.Equal(t, fmt.Sprint(i), s.body())
	}
}

// TestExpiredWhileSlow: a client that reads slowly falls out of what is kept in the middle of its stream; it is told how
// far it got and where it goes on.
func TestExpiredWhileSlow(t *testing.T) {
	const large, small, kept = 300, 2500, 50
	g := newGateway(t, setup{node: core.Options{RetainEvents: kept}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	s := a.open("c-1", "&rooms="+room).hello()
	text := strings.Repeat("x", 64<<10)
	for i := range large + small {
		if i == large {
			text = ""
		}
		b.post(room, fmt.Sprintf("%d %s", i, text))
	}
	last, next := core.Position(0), 0
	for next < large+small {
		frame := s.next()
		kind, data := event(t, frame)
		if kind == "gap" {
			from, resumed := gap(t, frame, "re-read")
			require.Equal(t, last, from, "everything up to the gap came")
			require.Greater(t, resumed, from)
			require.Less(t, next, large)
			next = large + small - kept
			continue
		}
		require.True(t, strings.HasPrefix(data["payload"].(map[string]any)["body"].(string), fmt.Sprintf("%d ", next)), frame[:200])
		last = core.Position(data["sequence"].(float64))
		next++
	}
}

// TestStartPositions: the header beats the query, negatives are the beginning, "after" is strict.
func TestStartPositions(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	_, first := b.post(room, "first")
	b.post(room, "second")
	for i, tc := range []struct{ query, header, want string }{
		{fmt.Sprintf("&start_from=%d", first), "", "second"},
		{fmt.Sprintf("&start_from=%d", first-1), "", "first"},
		{fmt.Sprintf("&start_from=%d", first-1), fmt.Sprintf("Last-Event-ID: %d", first), "second"},
		{"&start_from=head", fmt.Sprintf("Last-Event-ID: %d", first), "second"},
		{fmt.Sprintf("&start_from=%d", first), "Last-Event-ID: ", "second"},
	} {
		var headers []string
		if tc.header != "" {
			headers = append(headers, tc.header)
		}
		s := a.open(fmt.Sprintf("c-%d", i), "&rooms="+room+tc.query, headers...).hello()
		require.Equal(t, tc.want, s.body(), "%+v", tc)
	}
	s := a.open("c-begin", "&rooms="+room+"&start_from=-5").hello()
	kind, _ := event(t, s.next())
	require.Equal(t, "room_join", kind, "from the beginning of what there is")
	require.Equal(t, "first", s.body())
}

// TestRestartSkipsNothing: what was said after a restart and before a client came back must reach it.
func TestRestartSkipsNothing(t *testing.T) {
	ctx := context.Background()
	log := memlog.New()
	defer func() { require.NoError(t, log.Close()) }()
	var a, b *agent
	var room string
	var seen core.Position
	t.Run("before", func(t *testing.T) {
		g := newGateway(t, setup{log: log})
		a, b = g.register("alice"), g.register("bob")
		room = a.room("", a, b)
		s := a.open("c-1", "&rooms="+room).hello()
		_, seen = b.post(room, "seen")
		require.Equal(t, "seen", s.body())
		b.post(room, "lost on the way")
		require.NoError(t, g.node.Close(ctx))
	})
	g := newGateway(t, setup{log: log})
	a, b = a.on(g), b.on(g)
	b.post(room, "after the restart")
	r := a.beat("c-1", seen)
	require.Equal(t, 409, r.status, "the connection outlives the restart, its stream does not: %s", r.body)
	s := a.open("c-1", fmt.Sprintf("&start_from=%d", seen), fmt.Sprintf("Last-Event-ID: %d", seen))
	require.Contains(t, s.next(), `"rooms":["`+room+`"]`, "and so do its claims")
	require.Equal(t, "lost on the way", s.body())
	require.Equal(t, "after the restart", s.body())
}

// TestResumeIsExact: whatever the places at which a reader loses its stream, it gets each message once, in order.
func TestResumeIsExact(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	calm := newClock()
	g.front.SetStormClock(func() time.Time { calm.Advance(time.Hour); return calm.Now() }, nil)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		cursor := uint64(g.node.Applied())
		posted, read := 0, 0
		for range rapid.IntRange(1, 4).Draw(rt, "streams") {
			for range rapid.IntRange(0, 5).Draw(rt, "posts") {
				b.post(room, fmt.Sprintf("%d/%d", round, posted))
				posted++
			}
			conn := fmt.Sprintf("c-%d", rapid.IntRange(0, 3).Draw(rt, "id"))
			s := a.open(conn, fmt.Sprintf("&start_from=%d&scope=all&rooms=%s", cursor, room))
			for range rapid.IntRange(0, posted-read).Draw(rt, "reads") {
				frame := s.next()
				for kind, data := event(t, frame); kind != "message"; kind, data = event(t, frame) {
					require.NotEqual(t, "gap", kind, data)
					frame = s.next()
				}
				_, data := event(t, frame)
				require.Equal(t, fmt.Sprintf("%d/%d", round, read), data["payload"].(map[string]any)["body"])
				cursor = uint64(data["sequence"].(float64))
				read++
			}
			s.close()
		}
	})
}
