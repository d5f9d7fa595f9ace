package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

func assume(t testing.TB, n *core.Node, room string, a core.Agent, role, connection string) error {
	t.Helper()
	taken, err := n.AssumeRole(t.Context(), room, core.AssumeRole{Agent: a.ID, Role: role, Connection: connection})
	if err == nil {
		require.Equal(t, role, taken.Role)
	}
	return err
}

// holders lists who holds a role of a room live, by handle.
func holders(t testing.TB, n *core.Node, room, role string) []string {
	t.Helper()
	out := []string{}
	for _, l := range n.LeasesIn(t.Context(), room) {
		if l.Role == role {
			a, _ := n.Agent(l.Agent)
			out = append(out, a.Handle)
		}
	}
	return out
}

// roleWorld is a room with an exclusive role "judge" and a shared one, "clerk", in which time passes by hand.
type roleWorld struct {
	n                 *core.Node
	now               *testclock.Clock
	alice, bob, carol core.Agent
	room, other       string
}

func newRoleWorld(t *testing.T) *roleWorld {
	t.Helper()
	w := &roleWorld{now: newClock()}
	w.n = openNode(t, memlog.New(), core.Options{Now: w.now.Now, SweepEvery: time.Hour})
	w.alice, w.bob, w.carol = register(t, w.n, "alice"), register(t, w.n, "bob"), register(t, w.n, "carol")
	w.room = openRoom(t, w.n, w.alice, w.bob, w.carol)
	w.other = openRoom(t, w.n, w.alice, w.bob, w.carol)
	define(t, w.n, w.room, w.alice, "judge", true)
	define(t, w.n, w.room, w.alice, "clerk", false)
	define(t, w.n, w.other, w.alice, "guard", true)
	return w
}

// addressed tells whom a message that mentions a role of the room speaks to.
func (w *roleWorld) addressed(t *testing.T, role string) []string {
	t.Helper()
	posted := post(t, w.n, w.room, w.carol, "to @"+role+".")
	e, _, err := w.n.HistoryOf(w.room).Message(t.Context(), posted.Message)
	require.NoError(t, err)
	out := []string{}
	for _, id := range e.Payload.(*core.MessagePostedEvent).Addressed {
		a, _ := w.n.Agent(id)
		out = append(out, a.Handle)
	}
	return out
}

func TestAssumeRoleRefusals(t *testing.T) {
	w := newRoleWorld(t)
	open(t, w.n, w.alice, "c-alice", core.ScopeSingle, w.room)
	open(t, w.n, w.bob, "c-bob", core.ScopeSingle, w.room)
	stranger := register(t, w.n, "stranger")
	open(t, w.n, stranger, "c-stranger", core.ScopeSingle)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-alice"))
	before := w.n.Applied()

	var gone *core.NoConnectionError
	require.ErrorAs(t, assume(t, w.n, w.room, w.bob, "clerk", "c-none"), &gone)
	require.ErrorAs(t, assume(t, w.n, w.room, w.bob, "clerk", "c-alice"), &gone, "another agent's connection")
	require.ErrorIs(t, assume(t, w.n, "room_none", w.bob, "clerk", "c-bob"), core.ErrNoRoom)
	require.ErrorIs(t, assume(t, w.n, w.room, stranger, "clerk", "c-stranger"), core.ErrNotMember)
	refused(t, assume(t, w.n, w.room, w.bob, "Clerk", "c-bob"), "role", `no role "Clerk"`)

	var held *core.RoleHeldError
	require.ErrorAs(t, assume(t, w.n, w.room, w.bob, "judge", "c-bob"), &held)
	require.Equal(t, core.RoleHeldError{Role: "judge", Holder: w.alice.ID, HolderName: "alice"}, *held)
	var holds *core.HoldsRoleError
	require.ErrorAs(t, assume(t, w.n, w.room, w.alice, "clerk", "c-alice"), &holds)
	require.Equal(t, core.HoldsRoleError{Role: "judge", Room: w.room}, *holds)
	require.ErrorAs(t, assume(t, w.n, w.other, w.alice, "guard", "c-alice"), &holds, "one role in whatever room")
	require.Equal(t, core.HoldsRoleError{Role: "judge", Room: w.room}, *holds)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-alice"), "what one holds one may take")
	require.Equal(t, before, w.n.Applied(), "none of that changed anything")
}

func TestSharedRoleHasManyHolders(t *testing.T) {
	w := newRoleWorld(t)
	for _, a := range []core.Agent{w.alice, w.bob} {
		open(t, w.n, a, "c-"+a.Handle, core.ScopeSingle, w.room)
		require.NoError(t, assume(t, w.n, w.room, a, "clerk", "c-"+a.Handle))
	}
	require.ElementsMatch(t, []string{"alice", "bob"}, holders(t, w.n, w.room, "clerk"))
	require.ElementsMatch(t, []string{"alice", "bob"}, w.addressed(t, "clerk"))
	require.NoError(t, w.n.ReleaseRole(t.Context(), w.alice.ID))
	require.Equal(t, []string{"bob"}, holders(t, w.n, w.room, "clerk"))
	require.Equal(t, []string{"bob"}, w.addressed(t, "clerk"))

	// A role that becomes exclusive stays with those who hold it, and takes nobody new.
	require.NoError(t, assume(t, w.n, w.room, w.alice, "clerk", "c-alice"))
	yes := true
	require.NoError(t, w.n.EditRole(t.Context(), w.room, core.EditRole{Actor: w.alice.ID, Name: "clerk", Exclusive: &yes}, nil))
	require.ElementsMatch(t, []string{"alice", "bob"}, holders(t, w.n, w.room, "clerk"))
	require.NoError(t, assume(t, w.n, w.room, w.bob, "clerk", "c-bob"))
	open(t, w.n, w.carol, "c-carol", core.ScopeSingle, w.room)
	var held *core.RoleHeldError
	require.ErrorAs(t, assume(t, w.n, w.room, w.carol, "clerk", "c-carol"), &held)
}

func TestReleaseRole(t *testing.T) {
	w := newRoleWorld(t)
	require.NoError(t, w.n.ReleaseRole(t.Context(), w.alice.ID), "none is held")
	open(t, w.n, w.alice, "c-1", core.ScopeSingle, w.room)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-1"))
	// The session went to another room and the role stays; it is released from wherever the agent is.
	_, err := w.n.Subscribe(t.Context(), w.alice.ID, "c-1", w.other, true)
	require.NoError(t, err)
	l, ok := w.n.LiveLease(t.Context(), w.alice.ID)
	require.True(t, ok)
	require.Equal(t, core.Lease{Agent: w.alice.ID, Room: w.room, Role: "judge", Connection: "c-1", Claims: []string{w.other}}, l)
	require.NoError(t, w.n.ReleaseRole(t.Context(), w.alice.ID))
	_, ok = w.n.LiveLease(t.Context(), w.alice.ID)
	require.False(t, ok)
	before := w.n.Applied()
	require.NoError(t, w.n.ReleaseRole(t.Context(), w.alice.ID))
	require.Equal(t, before, w.n.Applied())
	require.NoError(t, assume(t, w.n, w.other, w.alice, "guard", "c-1"))
	require.Empty(t, holders(t, w.n, w.room, "judge"))
}

// TestLeaseSurvivesAReconnect: a brief drop does not cost an agent its role.
func TestLeaseSurvivesAReconnect(t *testing.T) {
	w := newRoleWorld(t)
	open(t, w.n, w.alice, "c-1", core.ScopeSingle, w.room)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-1"))
	for range 4 {
		w.now.Advance(5 * time.Second)
		open(t, w.n, w.alice, "c-1", core.ScopeSingle, w.room)
	}
	require.Equal(t, []string{"alice"}, holders(t, w.n, w.room, "judge"))
	require.Equal(t, []string{"alice"}, w.addressed(t, "judge"))
	before := w.n.Applied()
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-1"))
	require.Equal(t, before, w.n.Applied())
}

// TestWhatEndsALease: whatever ends it, nobody is reached by the role, nobody is shown with it, others can take it, and
// it does not come back when the connection does.
func TestWhatEndsALease(t *testing.T) {
	for what, end := range map[string]func(t *testing.T, w *roleWorld){
		"lapse": func(_ *testing.T, w *roleWorld) { w.now.Advance(6 * time.Second) },
		"lapse that a call noticed": func(t *testing.T, w *roleWorld) {
			w.now.Advance(6 * time.Second)
			_, err := w.n.Connection(t.Context(), w.alice.ID, "c-alice")
			require.Error(t, err)
		},
		"eviction for an invalid room": func(t *testing.T, w *roleWorld) {
			secret := openRoom(t, w.n, w.bob)
			_, err := w.n.OpenConnection(t.Context(), w.alice.ID, core.OpenRequest{
				ID: "c-alice", Scope: core.ScopeSingle, Filter: core.FilterAll, Rooms: []string{secret},
			})
			require.ErrorIs(t, err, core.ErrNotMember)
		},
		"deletion of the role": func(t *testing.T, w *roleWorld) {
			require.NoError(t, w.n.DeleteRole(t.Context(), w.room, core.DeleteRole{Actor: w.bob.ID, Name: "judge"}, nil))
			define(t, w.n, w.room, w.bob, "judge", true)
		},
		"leaving the room": func(t *testing.T, w *roleWorld) {
			require.NoError(t, w.n.LeaveRoom(t.Context(), w.room, core.LeaveRoom{Agent: w.alice.ID}))
			require.NoError(t, w.n.JoinRoom(t.Context(), w.room, core.JoinRoom{Member: member(w.alice)}))
		},
		"release": func(t *testing.T, w *roleWorld) { require.NoError(t, w.n.ReleaseRole(t.Context(), w.alice.ID)) },
	} {
		t.Run(what, func(t *testing.T) {
			w := newRoleWorld(t)
			open(t, w.n, w.alice, "c-alice", core.ScopeSingle, w.room)
			require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-alice"))
			end(t, w)
			_, ok := w.n.LiveLease(t.Context(), w.alice.ID)
			require.False(t, ok)
			require.Empty(t, holders(t, w.n, w.room, "judge"))
			require.Empty(t, w.addressed(t, "judge"), "a stale hold routes to nobody")
			if what == "deletion of the role" || what == "leaving the room" || what == "release" {
				require.NoError(t, w.n.ViewRoom(t.Context(), w.room, func(r *core.Room) { require.Empty(t, r.Leases) }))
			}

			open(t, w.n, w.alice, "c-alice", core.ScopeSingle, w.room)
			_, ok = w.n.LiveLease(t.Context(), w.alice.ID)
			require.False(t, ok, "it does not come back with the connection")
			open(t, w.n, w.bob, "c-bob", core.ScopeSingle, w.room)
			require.NoError(t, assume(t, w.n, w.room, w.bob, "judge", "c-bob"))
			require.Equal(t, []string{"bob"}, holders(t, w.n, w.room, "judge"))
			var held *core.RoleHeldError
			require.ErrorAs(t, assume(t, w.n, w.room, w.alice, "judge", "c-alice"), &held)
			require.NoError(t, assume(t, w.n, w.room, w.alice, "clerk", "c-alice"), "what ended does not count as held")
		})
	}
}

// TestLeaseIsBoundToTheConnectionThatTookIt: another session of the agent does not keep it alive, unless it takes it over.
func TestLeaseIsBoundToTheConnectionThatTookIt(t *testing.T) {
	w := newRoleWorld(t)
	open(t, w.n, w.alice, "c-1", core.ScopeSingle, w.room)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-1"))
	w.now.Advance(4 * time.Second)
	open(t, w.n, w.alice, "c-2", core.ScopeSingle)
	w.now.Advance(2 * time.Second)
	_, ok := w.n.LiveLease(t.Context(), w.alice.ID)
	require.False(t, ok)

	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-2"))
	w.now.Advance(3 * time.Second)
	open(t, w.n, w.alice, "c-3", core.ScopeSingle)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-3"))
	w.now.Advance(3 * time.Second)
	l, ok := w.n.LiveLease(t.Context(), w.alice.ID)
	require.True(t, ok, "taken again, it is bound to the newer connection")
	require.Equal(t, "c-3", l.Connection)
}

// TestCleaningUpAnOldHoldLeavesTheNewOne: who takes a role from a hold that is over does not end what its agent holds
// elsewhere by now.
func TestCleaningUpAnOldHoldLeavesTheNewOne(t *testing.T) {
	w := newRoleWorld(t)
	open(t, w.n, w.alice, "c-1", core.ScopeSingle, w.room)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c-1"))
	w.now.Advance(4 * time.Second)
	open(t, w.n, w.alice, "c-2", core.ScopeSingle, w.other)
	w.now.Advance(2 * time.Second)
	require.NoError(t, assume(t, w.n, w.other, w.alice, "guard", "c-2"))
	open(t, w.n, w.bob, "c-bob", core.ScopeSingle, w.room)
	require.NoError(t, assume(t, w.n, w.room, w.bob, "judge", "c-bob"))
	require.Equal(t, []string{"bob"}, holders(t, w.n, w.room, "judge"))
	require.Equal(t, []string{"alice"}, holders(t, w.n, w.other, "guard"))
	require.NoError(t, w.n.DeleteRole(t.Context(), w.room, core.DeleteRole{Actor: w.bob.ID, Name: "judge"}, nil))
	require.Equal(t, []string{"alice"}, holders(t, w.n, w.other, "guard"))
}

// TestAForgottenConnectionDoesNotReviveItsLease: when a connection ended so long ago that its generations are counted
// anew, an old hold is not taken for a present one.
func TestAForgottenConnectionDoesNotReviveItsLease(t *testing.T) {
	w := newRoleWorld(t)
	open(t, w.n, w.alice, "c", core.ScopeSingle, w.room)
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c"))
	for i := range 70 {
		w.now.Advance(6 * time.Second)
		open(t, w.n, w.alice, fmt.Sprint("other-", i), core.ScopeSingle)
	}
	w.now.Advance(6 * time.Second)
	require.Equal(t, 1, open(t, w.n, w.alice, "c", core.ScopeSingle, w.room).Generation)
	require.Empty(t, holders(t, w.n, w.room, "judge"))
	require.NoError(t, assume(t, w.n, w.room, w.alice, "judge", "c"))
	require.Equal(t, []string{"alice"}, holders(t, w.n, w.room, "judge"))
}

// TestRestartGivesNoRoleBackThatWasTaken: a node that starts anew gives every connection a lease of grace, also one whose
// role somebody took meanwhile.
func TestRestartGivesNoRoleBackThatWasTaken(t *testing.T) {
	for _, snapshots := range []core.Snapshots{nil, memlog.NewSnapshots()} {
		log, now := memlog.New(), newClock()
		o := core.Options{Now: now.Now, SweepEvery: time.Hour, Snapshots: snapshots}
		n, err := core.Open(t.Context(), log, o)
		require.NoError(t, err)
		alice, bob := register(t, n, "alice"), register(t, n, "bob")
		room := openRoom(t, n, alice, bob)
		define(t, n, room, alice, "judge", true)
		define(t, n, room, alice, "clerk", false)
		open(t, n, alice, "c-alice", core.ScopeSingle, room)
		require.NoError(t, assume(t, n, room, alice, "judge", "c-alice"))
		now.Advance(6 * time.Second)
		open(t, n, bob, "c-bob", core.ScopeSingle, room)
		require.NoError(t, assume(t, n, room, bob, "judge", "c-bob"))
		require.NoError(t, n.Close(t.Context()))

		again := openNode(t, log, o)
		require.Equal(t, []string{"bob"}, holders(t, again, room, "judge"), "a hold outlives a restart, and only one does")
		var held *core.RoleHeldError
		require.ErrorAs(t, assume(t, again, room, alice, "judge", "c-alice"), &held)
		require.NoError(t, assume(t, again, room, alice, "clerk", "c-alice"))
		now.Advance(6 * time.Second)
		require.Empty(t, again.LeasesIn(t.Context(), room))
	}
}
