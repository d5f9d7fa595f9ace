package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func open(t *testing.T, n *core.Node, agent core.Agent, id, scope string, rooms ...string) core.Connection {
	t.Helper()
	o, err := n.OpenConnection(t.Context(), agent.ID, core.OpenRequest{
		ID: id, Scope: scope, Filter: core.FilterAll, FromHead: true, Rooms: rooms,
	})
	require.NoError(t, err)
	t.Cleanup(n.AttachStream(agent.ID, o.Connection))
	return o.Connection
}

func TestLeaseLapsesWithoutBeatsAndFreesItsClaims(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Millisecond})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	c := open(t, n, alice, "c-1", core.ScopeSingle, room)
	for range 5 {
		now.Advance(5 * time.Second)
		_, _, err := n.Beat(t.Context(), alice.ID, "c-1", 0)
		require.NoError(t, err)
	}
	now.Advance(6 * time.Second)
	require.False(t, n.Alive(alice.ID, c))
	_, _, err := n.Beat(t.Context(), alice.ID, "c-1", 0)
	var gone *core.NoConnectionError
	require.ErrorAs(t, err, &gone)
	_, cause, ok := n.ConnectionState(alice.ID, "c-1", 1)
	require.False(t, ok)
	require.Equal(t, core.CauseLapsed, cause)

	// Reopened after it lapsed, it has no claims, and nobody is evicted when another takes its room.
	again := open(t, n, alice, "c-1", core.ScopeSingle)
	require.Equal(t, 2, again.Generation)
	require.Empty(t, again.Rooms)
}

func TestDeadHolderIsNoClaimant(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	open(t, n, alice, "old", core.ScopeSingle, room)
	now.Advance(6 * time.Second)
	open(t, n, alice, "new", core.ScopeSingle)
	got, err := n.Subscribe(t.Context(), alice.ID, "new", room, false)
	require.NoError(t, err)
	require.Empty(t, got.Evicted)
	require.Empty(t, n.LiveSiblings(alice.ID, "new"))
}

// TestConnectionsRememberTheirStays: of what came while a connection had a room, it counts as the holder of that one, also when it
// has gone on through others; of all else it is known by what it holds now.
func TestConnectionsRememberTheirStays(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	rooms := []string{openRoom(t, n, alice), openRoom(t, n, alice), openRoom(t, n, alice)}
	open(t, n, alice, "watcher", core.ScopeAll)
	open(t, n, alice, "session", core.ScopeSingle)
	held := func(at core.Position) (out []int) {
		t.Helper()
		all := n.LiveSiblings(alice.ID, "watcher")
		require.Len(t, all, 1)
		for i, room := range rooms {
			if all[0].HeldAt(room, at) {
				out = append(out, i)
			}
		}
		return out
	}
	claim := func(i int) core.Position {
		t.Helper()
		_, err := n.Subscribe(t.Context(), alice.ID, "session", rooms[i], true)
		require.NoError(t, err)
		return n.Applied()
	}
	first := claim(0)
	require.Equal(t, []int{0}, held(first-1), "a session that had no room shows what came before as well")
	second, third := claim(1), claim(2)
	for at, want := range map[core.Position]int{first: 2, first + 1: 0, second: 0, second + 1: 1, third: 1, third + 1: 2} {
		require.Equal(t, []int{want}, held(at), "%d of %d, %d, %d", at, first, second, third)
	}
	_, err := n.Unsubscribe(t.Context(), alice.ID, "session", rooms[2])
	require.NoError(t, err)
	left := n.Applied()
	require.Equal(t, []int{2}, held(left))
	require.Empty(t, held(left+1))
	claim(1)
	claim(0)
	require.Equal(t, []int{1}, held(left+1), "what it missed without a room is the next one's")
	for range 100 {
		claim(0)
		claim(1)
	}
	require.Equal(t, []int{1}, held(left), "the oldest are forgotten")
	reopened := open(t, n, alice, "session", core.ScopeSingle)
	require.Equal(t, rooms[1:2], reopened.Rooms)
	require.Equal(t, []int{1}, held(n.Applied()-1), "a stream that is opened again shows what it missed")
	require.Empty(t, n.LiveSiblings(alice.ID, "watcher")[0].Stays)
}

func TestReopenKeepsClaimsAndCursor(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	open(t, n, alice, "c-1", core.ScopeSingle)
	started := n.Applied()
	_, err := n.Subscribe(t.Context(), alice.ID, "c-1", room, true)
	require.NoError(t, err)
	post(t, n, room, bob, "between the claim and the reopening")
	o, err := n.OpenConnection(t.Context(), alice.ID, core.OpenRequest{
		ID: "c-1", Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true, Rooms: []string{room},
	})
	require.NoError(t, err)
	require.Equal(t, []string{room}, o.Connection.Rooms)
	require.Equal(t, 2, o.Connection.Generation)
	require.LessOrEqual(t, o.Cursor, started, "a live connection goes on from where it was")
}

func TestReopenGoesBackToWhatTheClientSurelyHas(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	c := open(t, n, alice, "c-1", core.ScopeSingle, room)
	reopened := func() core.Position {
		o, err := n.OpenConnection(t.Context(), alice.ID, core.OpenRequest{
			ID: "c-1", Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true,
		})
		require.NoError(t, err)
		n.AttachStream(alice.ID, o.Connection)
		c = o.Connection
		return o.Cursor
	}
	write := func() core.Position {
		post(t, n, room, bob, "x")
		n.Moved(alice.ID, c, n.Applied())
		return n.Applied()
	}
	begun := n.Applied()
	write()
	require.Less(t, reopened(), begun, "what was just written may not have arrived")
	settled := write()
	for range 3 {
		now.Advance(time.Second)
		n.Moved(alice.ID, c, settled)
	}
	require.Equal(t, settled, reopened())
	reported := write()
	_, _, err := n.Beat(t.Context(), alice.ID, "c-1", reported)
	require.NoError(t, err)
	require.Equal(t, reported, reopened())
}

func TestBeatNeverMovesACursorBeyondTheHead(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	open(t, n, alice, "c-1", core.ScopeAll)
	_, cursor, err := n.Beat(t.Context(), alice.ID, "c-1", 1<<50)
	require.NoError(t, err)
	require.LessOrEqual(t, cursor, n.Applied())
	_, back, err := n.Beat(t.Context(), alice.ID, "c-1", 0)
	require.NoError(t, err)
	require.Equal(t, cursor, back)
}

func TestConnectionLimitsAndOwners(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	for i := range core.MaxConnections {
		open(t, n, alice, string(rune('A'+i)), core.ScopeAll)
	}
	_, err := n.OpenConnection(t.Context(), alice.ID, core.OpenRequest{ID: "one more", Scope: core.ScopeAll})
	var tooMany *core.TooManyConnectionsError
	require.ErrorAs(t, err, &tooMany)
	open(t, n, alice, "A", core.ScopeAll)
	_, err = n.OpenConnection(t.Context(), bob.ID, core.OpenRequest{ID: "A", Scope: core.ScopeAll})
	var taken *core.ConnectionTakenError
	require.ErrorAs(t, err, &taken)
	room := openRoom(t, n, bob)
	_, err = n.OpenConnection(t.Context(), alice.ID, core.OpenRequest{ID: "A", Scope: core.ScopeAll, Rooms: []string{room}})
	require.ErrorIs(t, err, core.ErrNotMember)
	_, cause, ok := n.ConnectionState(alice.ID, "A", 2)
	require.False(t, ok)
	require.Equal(t, core.CauseInvalidRoom, cause)
}

func TestConnectionSurvivesARestartWithinItsLease(t *testing.T) {
	log, now := memlog.New(), newClock()
	n, err := core.Open(t.Context(), log, core.Options{Now: now.Now})
	require.NoError(t, err)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	open(t, n, alice, "c-1", core.ScopeSingle, room)
	require.NoError(t, n.Close(t.Context()))

	again := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Millisecond})
	now.Advance(5 * time.Second)
	c, err := again.Connection(t.Context(), alice.ID, "c-1")
	require.NoError(t, err)
	require.Equal(t, []string{room}, c.Rooms)
	now.Advance(time.Second)
	require.Eventually(t, func() bool {
		_, _, ok := again.ConnectionState(alice.ID, "c-1", 1)
		return !ok
	}, patience, time.Millisecond)
}

func TestRetainedWindow(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, RetainEvents: 100, RetainAge: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	quiet, err := n.Retained(t.Context(), bob.ID, 0)
	require.NoError(t, err)
	require.Zero(t, quiet)
	for range 250 {
		post(t, n, room, alice, "x")
	}
	dropped, err := n.Retained(t.Context(), bob.ID, 0)
	require.NoError(t, err)
	require.Equal(t, n.Applied()-100, dropped)
	for cursor, want := range map[core.Position]core.Position{
		dropped: 0, dropped + 1: 0, dropped - 1: dropped, n.Applied(): 0, n.Applied() + 5: 0,
	} {
		got, err := n.Retained(t.Context(), bob.ID, cursor)
		require.NoError(t, err)
		require.Equal(t, want, got, "cursor %d", cursor)
	}
	head := n.Applied()
	now.Advance(2 * time.Hour)
	post(t, n, room, alice, "fresh")
	got, err := n.Retained(t.Context(), bob.ID, dropped)
	require.NoError(t, err)
	require.Equal(t, head, got, "age drops what count would keep")
}
