package core_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

// typingNow lists who writes, sorted.
func typingNow(r *core.TypingReader) []string {
	who, _ := r.Now()
	return slices.Sorted(maps.Keys(who))
}

func woken(r *core.TypingReader) bool {
	select {
	case <-r.Wake():
		return true
	default:
		return false
	}
}

func TestTypingRefusals(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	a, b, c := register(t, n, "ada"), register(t, n, "bob"), register(t, n, "eve")
	room := turnsRoom(t, n, a, b, 10)
	start := func(room string, who core.Agent) error {
		_, err := n.StartTyping(t.Context(), room, who.ID, time.Second)
		require.Equal(t, err, n.MayType(t.Context(), room, who.ID))
		return err
	}
	var notYours *core.NotYourTurnError
	var notActive *core.RoomNotActiveError
	require.NoError(t, start(room, a))
	require.ErrorAs(t, start(room, b), &notYours)
	require.ErrorIs(t, start(room, c), core.ErrNotMember)
	require.ErrorIs(t, start("room_none", a), core.ErrNoRoom)
	closeRoom(t, n, room, a)
	require.ErrorAs(t, start(room, a), &notActive)
	cleared, err := n.StopTyping(a.ID, room)
	require.NoError(t, err, "a stop succeeds in any state")
	require.False(t, cleared, "the end of the room ended it")
	_, err = n.StopTyping(c.ID, room)
	require.ErrorIs(t, err, core.ErrNotMember)
	_, err = n.StopTyping(a.ID, "room_none")
	require.ErrorIs(t, err, core.ErrNoRoom)
	open, _, _ := watchedRoom(t, n)
	require.ErrorIs(t, start(open, a), core.ErrNotMember)
}

// TestTypingEnds: by a stop, by the end of its time, by a message, by leaving, and by the end of the room. Whoever follows
// the room is woken for all but the end of its time, of which it knows.
func TestTypingEnds(t *testing.T) {
	const ttl = 7 * time.Second
	for name, end := range map[string]func(t *testing.T, n *core.Node, now *testclock.Clock, room string, a, b core.Agent){
		"stop": func(t *testing.T, n *core.Node, _ *testclock.Clock, room string, a, _ core.Agent) {
			cleared, err := n.StopTyping(a.ID, room)
			require.NoError(t, err)
			require.True(t, cleared)
			cleared, err = n.StopTyping(a.ID, room)
			require.NoError(t, err)
			require.False(t, cleared)
		},
		"message": func(t *testing.T, n *core.Node, _ *testclock.Clock, room string, a, _ core.Agent) {
			post(t, n, room, a, "said")
		},
		"leave": func(t *testing.T, n *core.Node, _ *testclock.Clock, room string, a, _ core.Agent) {
			require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: a.ID}))
		},
		"close": func(t *testing.T, n *core.Node, _ *testclock.Clock, room string, _, b core.Agent) {
			closeRoom(t, n, room, b)
		},
		"time": func(_ *testing.T, _ *core.Node, now *testclock.Clock, _ string, _, _ core.Agent) { now.Advance(ttl) },
	} {
		t.Run(name, func(t *testing.T) {
			log, now := memlog.New(), newClock()
			n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour})
			a, b := register(t, n, "ada"), register(t, n, "bob")
			room := openRoom(t, n, a, b)
			r := n.NewTypingReader(room)
			defer r.Close()
			require.Empty(t, typingNow(r))
			before := n.Applied()
			first, err := n.StartTyping(t.Context(), room, a.ID, ttl)
			require.NoError(t, err)
			require.Equal(t, core.Typing{Agent: a.ID, Since: now.Now(), At: now.Now(), Until: now.Now().Add(ttl)}, first)
			require.True(t, woken(r))
			require.Equal(t, []string{a.ID}, typingNow(r))
			now.Advance(time.Second)
			renewed, err := n.StartTyping(t.Context(), room, a.ID, ttl)
			require.NoError(t, err)
			require.Equal(t, core.Typing{Agent: a.ID, Since: first.Since, At: now.Now(), Until: now.Now().Add(ttl)}, renewed)
			_, until := r.Now()
			require.Equal(t, renewed.Until, until)
			require.True(t, woken(r))
			require.Equal(t, before, n.Applied(), "nothing is logged")

			end(t, n, now, room, a, b)
			require.Empty(t, typingNow(r))
			require.Equal(t, name != "time", woken(r))
		})
	}
}

// TestTypingReaderIsWokenByTheEnd: of the room, also when nobody writes, and of a viewer.
func TestTypingReaderIsWokenByTheEnd(t *testing.T) {
	n := newNode(t)
	room, viewer, owner := watchedRoom(t, n)
	r := n.NewTypingReader(room)
	defer r.Close()
	require.False(t, woken(r))
	require.NoError(t, n.LeaveViewers(t.Context(), room, viewer))
	require.True(t, woken(r))
	closeRoom(t, n, room, owner)
	require.True(t, woken(r))
	r.Close()
	require.NoError(t, n.LeaveViewers(t.Context(), room, viewer))
	require.False(t, woken(r))
}
