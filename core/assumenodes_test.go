package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestExclusiveRoleRacesBetweenNodesHaveOneWinner: of many agents that take an exclusive role on two nodes at once, one
// gets it, and both nodes name the same.
func TestExclusiveRoleRacesBetweenNodesHaveOneWinner(t *testing.T) {
	a, b := twoNodes(t)
	nodes := []*core.Node{a, b}
	var agents []core.Agent
	for i := range 8 {
		agents = append(agents, register(t, a, fmt.Sprint("bot-", i)))
	}
	room := openRoom(t, a, agents...)
	define(t, a, room, agents[0], "judge", true)
	settled(t, b, a.Applied())
	for i, agent := range agents {
		open(t, nodes[i%2], agent, "c-"+agent.Handle, core.ScopeSingle, room)
	}
	for round := range 50 {
		var mu sync.Mutex
		var winners []string
		var wg sync.WaitGroup
		for i, agent := range agents {
			n := nodes[(i+round)%2]
			wg.Go(func() {
				_, err := n.AssumeRole(t.Context(), room, core.AssumeRole{Agent: agent.ID, Role: "judge", Connection: "c-" + agent.Handle})
				var held *core.RoleHeldError
				switch {
				case err == nil:
					mu.Lock()
					defer mu.Unlock()
					winners = append(winners, agent.Handle)
				case !errors.As(err, &held):
					t.Errorf("loser got %v", err)
				}
			})
		}
		wg.Wait()
		require.Len(t, winners, 1, "round %d", round)
		for _, n := range nodes {
			require.NoError(t, n.CatchUp(t.Context()))
			require.Equal(t, winners, holders(t, n, room, "judge"))
		}
		winner, _ := a.AgentByHandle(winners[0])
		require.NoError(t, nodes[round%2].ReleaseRole(t.Context(), winner.ID))
	}
}

// TestTwoNodesCannotGiveAnAgentTwoRoles: at one moment they may, and the later one in the log counts, on both.
func TestTwoNodesCannotGiveAnAgentTwoRoles(t *testing.T) {
	a, b := twoNodes(t)
	alice, bob := register(t, a, "alice"), register(t, a, "bob")
	one, two := openRoom(t, a, alice, bob), openRoom(t, a, alice, bob)
	define(t, a, one, alice, "judge", true)
	define(t, a, two, alice, "guard", true)
	settled(t, b, a.Applied())
	open(t, a, alice, "c-1", core.ScopeSingle)
	open(t, b, bob, "c-bob", core.ScopeSingle)
	for range 30 {
		var wg sync.WaitGroup
		won := make([]bool, 2)
		for i, n := range []*core.Node{a, b} {
			wg.Go(func() {
				_, err := n.AssumeRole(t.Context(), []string{one, two}[i], core.AssumeRole{
					Agent: alice.ID, Role: []string{"judge", "guard"}[i], Connection: "c-1",
				})
				var holds *core.HoldsRoleError
				if won[i] = err == nil; !won[i] && !errors.As(err, &holds) {
					t.Errorf("loser got %v", err)
				}
			})
		}
		wg.Wait()
		require.True(t, won[0] || won[1])
		require.NoError(t, a.CatchUp(t.Context()))
		require.NoError(t, b.CatchUp(t.Context()))
		held, ok := a.LiveLease(t.Context(), alice.ID)
		require.True(t, ok)
		onB, ok := b.LiveLease(t.Context(), alice.ID)
		require.True(t, ok)
		require.Equal(t, held, onB)
		require.Equal(t, 1, len(a.LeasesIn(t.Context(), one))+len(a.LeasesIn(t.Context(), two)))

		// What she does not hold any more is free.
		free, role := one, "judge"
		if held.Room == one {
			free, role = two, "guard"
		}
		require.NoError(t, assume(t, b, free, bob, role, "c-bob"))
		require.NoError(t, a.ReleaseRole(t.Context(), bob.ID))
		require.NoError(t, b.ReleaseRole(t.Context(), alice.ID))
	}
}

// TestAHolderNobodyLookedAtCountsAsLive: somebody takes the role on another node after this one looked and before it
// wrote.
func TestAHolderNobodyLookedAtCountsAsLive(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	log := &overtaken{Log: store.Open()}
	a := openNode(t, log, core.Options{NodeID: "a"})
	b := openNode(t, store.Open(), core.Options{NodeID: "b"})
	alice, bob := register(t, a, "alice"), register(t, a, "bob")
	room := openRoom(t, a, alice, bob)
	define(t, a, room, alice, "judge", true)
	settled(t, b, a.Applied())
	open(t, a, alice, "c-alice", core.ScopeSingle, room)
	open(t, b, bob, "c-bob", core.ScopeSingle, room)
	settled(t, a, b.Applied())
	log.write = func() { require.NoError(t, assume(t, b, room, bob, "judge", "c-bob")) }
	log.once = sync.Once{}
	var held *core.RoleHeldError
	require.ErrorAs(t, assume(t, a, room, alice, "judge", "c-alice"), &held)
	require.Equal(t, bob.ID, held.Holder)
	require.EqualValues(t, 1, a.Conflicts())
}

// TestAConnectionThatEndsWhileItTakesARole: the hold is over as it begins, also when the connection is open again by then.
func TestAConnectionThatEndsWhileItTakesARole(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		store := memlog.NewStore(memlog.Options{})
		log := &overtaken{Log: store.Open()}
		n := openNode(t, log, core.Options{NodeID: "a"})
		b := openNode(t, store.Open(), core.Options{NodeID: "b"})
		alice, bob := register(t, n, "alice"), register(t, n, "bob")
		room, secret := openRoom(t, n, alice), openRoom(t, n, bob)
		define(t, n, room, alice, "judge", true)
		open(t, n, alice, "c", core.ScopeSingle, room)
		settled(t, b, n.Applied())
		log.write = func() {
			_, err := b.OpenConnection(t.Context(), alice.ID, core.OpenRequest{
				ID: "c", Scope: core.ScopeSingle, Filter: core.FilterAll, Rooms: []string{secret},
			})
			require.ErrorIs(t, err, core.ErrNotMember)
			if reopened {
				open(t, b, alice, "c", core.ScopeSingle, room)
			}
		}
		log.once = sync.Once{}
		require.NoError(t, assume(t, n, room, alice, "judge", "c"), "it lived when it was looked at")
		require.NoError(t, b.CatchUp(t.Context()))
		require.Empty(t, b.LeasesIn(t.Context(), room), "on the node that has the stream by now")
		require.Empty(t, n.LeasesIn(t.Context(), room))
		open(t, n, alice, "c", core.ScopeSingle, room)
		require.Empty(t, n.LeasesIn(t.Context(), room))
		require.NoError(t, assume(t, n, room, alice, "judge", "c"))
		require.Equal(t, []string{"alice"}, holders(t, n, room, "judge"))
	}
}

// TestAHoldThatTheLookUpsDoNotKnowYetIsLive: a room is a step ahead of the look-ups. A hold that only the room knows was
// just taken, and is not one that the look-ups forgot.
func TestAHoldThatTheLookUpsDoNotKnowYetIsLive(t *testing.T) {
	// What the log hands on together is not the test's to say; most of the time it is what the test needs.
	for range 50 {
		if tookBetweenRoomAndLookUps(t) {
			return
		}
	}
	t.Fatal("the room was never ahead of the look-ups")
}

// tookBetweenRoomAndLookUps lets bob take a role at a moment when the room knows that alice holds it and the look-ups do
// not; false when there was no such moment.
func tookBetweenRoomAndLookUps(t *testing.T) bool {
	log := struct{ core.Log }{memlog.New()}
	n := openNode(t, log, core.Options{})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room, first, second := openRoom(t, n, alice, bob), openRoom(t, n, alice), openRoom(t, n, alice)
	define(t, n, room, alice, "judge", true)
	open(t, n, alice, "c-alice", core.ScopeSingle, room)
	open(t, n, bob, "c-bob", core.ScopeSingle, room)

	var wg sync.WaitGroup
	defer wg.Wait()
	// Whoever looks at a room holds up what is applied to it, and with that everything behind.
	look := func(room string) (leave func()) {
		seen, left := make(chan struct{}), make(chan struct{})
		wg.Go(func() {
			_ = n.ViewRoom(context.Background(), room, func(*core.Room) { close(seen); <-left })
		})
		<-seen
		return sync.OnceFunc(func() { close(left) })
	}
	head := func() core.Position { h, _ := log.Head(context.Background()); return h }
	appended := func(do func() error) <-chan error {
		before, done := head(), make(chan error, 1)
		wg.Go(func() { done <- do() })
		require.Eventually(t, func() bool { return head() > before }, patience, time.Millisecond)
		return done
	}
	take := func(a core.Agent) func() error {
		return func() error {
			_, err := n.AssumeRole(context.Background(), room, core.AssumeRole{Agent: a.ID, Role: "judge", Connection: "c-" + a.Handle})
			return err
		}
	}
	say := func(room string) func() error {
		return func() error {
			_, _, err := n.PostMessage(context.Background(), room, core.PostMessage{Sender: alice.ID, Text: "x"}, nil)
			return err
		}
	}
	leaveFirst, leaveSecond := look(first), look(second)
	defer leaveFirst()
	defer leaveSecond()
	appended(say(first))
	hers := appended(take(alice))
	appended(say(second))
	leaveFirst()
	require.Eventually(t, func() bool {
		var known bool
		_ = n.ViewRoom(t.Context(), room, func(r *core.Room) { _, known = r.Leases[alice.ID] })
		return known
	}, patience, time.Millisecond)
	if _, known := n.LiveLease(t.Context(), alice.ID); known {
		return false
	}

	before, his := head(), make(chan error, 1)
	wg.Go(func() { his <- take(bob)() })
	for end := time.Now().Add(patience / 100); head() == before && time.Now().Before(end); {
		runtime.Gosched() // Nothing tells that he waits; that he does not, the log would.
	}
	leaveSecond()
	require.NoError(t, <-hers)
	var held *core.RoleHeldError
	require.ErrorAs(t, <-his, &held)
	require.Equal(t, []string{"alice"}, holders(t, n, room, "judge"))
	return true
}
