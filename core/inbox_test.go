package core_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

func TestTurnsAreTold(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 3)
	waits(t, n, alice, turn(room, 0, alice, "room_activated"))
	waits(t, n, bob)
	post(t, n, room, alice, "one")
	waits(t, n, alice)
	waits(t, n, bob, turn(room, 1, bob, "peer_message"))
	post(t, n, room, bob, "two")
	waits(t, n, alice, turn(room, 2, alice, "peer_message"))
	waits(t, n, bob)
	post(t, n, room, alice, "three")
	last := waits(t, n, alice, closed(room, "max_turns_reached"))[0]
	waits(t, n, bob, closed(room, "max_turns_reached"))
	require.Equal(t, core.StateClosed, last.State)
	require.Equal(t, last.At, last.ClosedAt)
	require.Zero(t, last.PurgedAt)
	require.Equal(t, last.At.Add(30*time.Minute), last.Expires())
}

// TestARoomOfTwoFromTheStart is active at once, and its first turn waits.
func TestARoomOfTwoFromTheStart(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "duel", Floor: core.FloorTurns}, Members: []core.NewMember{member(alice), member(bob)},
	}, nil)
	require.NoError(t, err)
	waits(t, n, alice, turn(made.Room, 0, alice, "room_activated"))
	waits(t, n, bob)
}

// TestClosingWithdraws: from the moment a room is closed no turn of it waits for anybody, whoever closes it and why.
func TestClosingWithdraws(t *testing.T) {
	for name, tc := range map[string]struct {
		end    func(*testing.T, *core.Node, *testclock.Clock, string, core.Agent)
		reason string
	}{
		"close": {func(t *testing.T, n *core.Node, _ *testclock.Clock, room string, bob core.Agent) {
			_, _, err := n.CloseRoom(t.Context(), room, core.CloseRoom{Actor: bob.ID}, nil)
			require.NoError(t, err)
		}, "manual_close"},
		"leave": {func(t *testing.T, n *core.Node, _ *testclock.Clock, room string, bob core.Agent) {
			require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: bob.ID}))
		}, "manual_close"},
		"time": {func(t *testing.T, n *core.Node, now *testclock.Clock, room string, _ core.Agent) {
			now.Advance(10*time.Minute + time.Millisecond)
			_, err := n.Expire(t.Context(), room)
			require.NoError(t, err)
		}, "ttl_expired"},
		"time that nobody noticed": {func(_ *testing.T, _ *core.Node, now *testclock.Clock, _ string, _ core.Agent) {
			now.Advance(10*time.Minute + time.Millisecond)
		}, "ttl_expired"},
	} {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
			alice, bob := register(t, n, "alice"), register(t, n, "bob")
			made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
				Facts: core.RoomFacts{Name: "duel", Floor: core.FloorTurns}, TTL: 10 * time.Minute,
				Members: []core.NewMember{member(alice), member(bob)},
			}, nil)
			require.NoError(t, err)
			waits(t, n, alice, turn(made.Room, 0, alice, "room_activated"))
			tc.end(t, n, now, made.Room, bob)
			waits(t, n, alice, closed(made.Room, tc.reason))
			waits(t, n, bob, closed(made.Room, tc.reason))
		})
	}
}

// TestPurgeIsTold beside the end that was told before and not acknowledged.
func TestPurgeIsTold(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{
		Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute, Retention: time.Hour},
	})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 1)
	post(t, n, room, alice, "only")
	require.NoError(t, n.Evaluate(t.Context(), room))
	waits(t, n, bob, closed(room, "max_turns_reached"))
	now.Advance(time.Minute)
	require.NoError(t, n.Evaluate(t.Context(), room))
	got := waits(t, n, bob, closed(room, "max_turns_reached"),
		summarised{Kind: core.RoomWasPurged, Room: room, Reason: "grace_elapsed"})
	require.Equal(t, core.StatePurged, got[1].State)
	require.Equal(t, got[0].At, got[1].ClosedAt)
	require.Equal(t, got[1].At, got[1].PurgedAt)
	head := n.Applied()
	require.NoError(t, n.Evaluate(t.Context(), room))
	require.Equal(t, head, n.Applied())
}

func TestEvaluateClosesWhatIsOverdue(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "duel", Floor: core.FloorTurns}, TTL: time.Minute,
		Members: []core.NewMember{member(alice), member(bob)},
	}, nil)
	require.NoError(t, err)
	require.NoError(t, n.Evaluate(t.Context(), made.Room))
	now.Advance(2 * time.Minute)
	require.NoError(t, n.Evaluate(t.Context(), made.Room))
	sum, _ := n.Room(made.Room)
	require.Equal(t, core.StateClosed, sum.State)
	require.NoError(t, n.Evaluate(t.Context(), "room_none"), "of a room that is not there nothing is due")
}

// TestOpenFloorWakesTheAddressed: everybody may speak there, so only being spoken to makes a turn; one at a time in a
// room, and none once the agent has spoken.
func TestOpenFloorWakesTheAddressed(t *testing.T) {
	n := newNode(t)
	alice, bob, cara := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "cara")
	room := openRoom(t, n, alice, bob, cara)
	post(t, n, room, alice, "hello all of you")
	waits(t, n, bob)
	post(t, n, room, alice, "@bob and @cara?")
	first := waits(t, n, bob, turn(room, 2, bob, "peer_message"))[0]
	waits(t, n, cara, turn(room, 2, cara, "peer_message"))
	waits(t, n, alice)
	post(t, n, room, cara, "@bob too")
	waits(t, n, cara)
	second := waits(t, n, bob, turn(room, 3, bob, "peer_message"))[0]
	require.NotEqual(t, first.ID(bob.ID), second.ID(bob.ID))
	post(t, n, room, alice, "by the way")
	waits(t, n, bob, turn(room, 3, bob, "peer_message"))
	require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: bob.ID}))
	waits(t, n, bob)
}

func TestReaderHandsOutOnce(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	before := turnsRoom(t, n, alice, bob, 20)
	r := n.NewInboxReader(alice.ID)
	defer r.Close()
	ctx := t.Context()
	require.Equal(t, []summarised{turn(before, 0, alice, "room_activated")}, summarise(r.Next(ctx)))
	require.Empty(t, r.Next(ctx))
	after := turnsRoom(t, n, alice, bob, 20)
	await(t, r)
	require.Equal(t, []summarised{turn(after, 0, alice, "room_activated")}, summarise(r.Next(ctx)))

	// Another reader begins with all that waits.
	other := n.NewInboxReader(alice.ID)
	defer other.Close()
	require.Len(t, other.Next(ctx), 2)

	// What is withdrawn before it was handed out is never handed out.
	post(t, n, after, alice, "one")
	post(t, n, after, bob, "two")
	_, _, err := n.CloseRoom(ctx, after, core.CloseRoom{Actor: alice.ID}, nil)
	require.NoError(t, err)
	await(t, r)
	require.Equal(t, []summarised{closed(after, "manual_close")}, summarise(r.Next(ctx)))
}

func await(t testing.TB, r *core.InboxReader) {
	t.Helper()
	select {
	case <-r.Wake():
	case <-time.After(patience):
		t.Fatal("the reader was not woken")
	}
}

func TestReaderFuncIsCalled(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	calls := make(chan struct{}, 1)
	r := n.NewInboxReaderFunc(alice.ID, func() {
		select {
		case calls <- struct{}{}:
		default:
		}
	})
	require.Nil(t, r.Wake())
	turnsRoom(t, n, alice, bob, 20)
	<-calls
	require.Len(t, r.Next(t.Context()), 1)
	for len(calls) > 0 {
		<-calls
	}
	_, err := n.RotateKey(t.Context(), alice.ID)
	require.NoError(t, err)
	<-calls
	r.Close()
	r.Close()
	turnsRoom(t, n, alice, bob, 20)
	require.Empty(t, calls, "nobody calls a reader that was closed")
}

// TestNoTurnOfAClosedRoom lets rooms close while readers take what waits: a turn that was handed out was one at that
// moment.
func TestNoTurnOfAClosedRoom(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	const rooms = 50
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				closedBefore := map[string]bool{}
				for _, sum := range n.RoomsOf(alice.ID) {
					closedBefore[sum.ID] = sum.State == core.StateClosed
				}
				seen := map[string]int{}
				for _, d := range n.Waiting(context.Background(), alice.ID) {
					if d.Kind == core.TurnReady && closedBefore[d.Room] {
						t.Errorf("a turn of room %s came after its end", d.Room)
					}
					if seen[d.Room]++; seen[d.Room] > 1 {
						t.Errorf("two deliveries of room %s wait at the same time", d.Room)
					}
				}
			}
		})
	}
	for range rooms {
		room := turnsRoom(t, n, alice, bob, 20)
		post(t, n, room, alice, "one")
		post(t, n, room, bob, "two")
		_, _, err := n.CloseRoom(t.Context(), room, core.CloseRoom{Actor: bob.ID}, nil)
		require.NoError(t, err)
	}
	close(stop)
	wg.Wait()
}

// TestNoTurnWhenItsEndCannotBeWritten: no token could be had for it either.
func TestNoTurnWhenItsEndCannotBeWritten(t *testing.T) {
	log, now := &fullLog{Log: memlog.New()}, newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "duel", Floor: core.FloorTurns}, TTL: time.Minute,
		Members: []core.NewMember{member(alice), member(bob)},
	}, nil)
	require.NoError(t, err)
	going := turnsRoom(t, n, alice, bob, 20)
	now.Advance(2 * time.Minute)
	log.full.Store(true)
	waits(t, n, alice, turn(going, 0, alice, "room_activated"))
	log.full.Store(false)
	waits(t, n, alice, turn(going, 0, alice, "room_activated"), closed(made.Room, "ttl_expired"))
}
