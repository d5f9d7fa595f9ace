package core_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func twoNodes(t *testing.T) (a, b *core.Node) {
	t.Helper()
	store := memlog.NewStore(memlog.Options{})
	a = openNode(t, store.Open(), core.Options{NodeID: "a"})
	b = openNode(t, store.Open(), core.Options{NodeID: "b"})
	return a, b
}

// settled waits until the node has applied a position.
func settled(t *testing.T, n *core.Node, p core.Position) {
	t.Helper()
	require.Eventually(t, func() bool { return n.Applied() >= p }, patience, patience/10_000)
}

func TestWhatOneNodeAcceptsTheOtherDelivers(t *testing.T) {
	a, b := twoNodes(t)
	alice, bob := register(t, a, "alice"), register(t, a, "bob")
	room := openRoom(t, a, alice, bob)
	settled(t, b, a.Applied())
	onB := b.NewAgentReader(bob.ID, b.Applied())
	defer onB.Close()
	for i := range 50 {
		n := []*core.Node{a, b}[i%2]
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	require.Equal(t, numbered(0, 50), texts(take(t, onB, 50)))
	onA := a.NewAgentReader(bob.ID, onB.Cursor()-10)
	defer onA.Close()
	require.Equal(t, numbered(40, 50), texts(take(t, onA, 10)))
}

func TestTurnRacesBetweenNodesHaveOneWinner(t *testing.T) {
	a, b := twoNodes(t)
	alice, bob := register(t, a, "alice"), register(t, a, "bob")
	room := turnsRoom(t, a, alice, bob, 1_000)
	settled(t, b, a.Applied())
	for turn := range 100 {
		speaker := []core.Agent{alice, bob}[turn%2]
		var mu sync.Mutex
		wins := 0
		var wg sync.WaitGroup
		for i := range 8 {
			n := []*core.Node{a, b}[i%2]
			wg.Go(func() {
				_, _, err := n.PostMessage(t.Context(), room, core.PostMessage{
					Sender: speaker.ID, Text: "mine", Expected: &turn,
				}, nil)
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					wins++
					return
				}
				var mismatch *core.TurnMismatchError
				if !errors.As(err, &mismatch) {
					t.Errorf("loser got %v", err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, 1, wins, "turn %d", turn)
		settled(t, a, b.Applied())
		settled(t, b, a.Applied())
	}
}

// overtaken is a log on which, once, somebody else writes to a room right before an append.
type overtaken struct {
	core.Log
	once  sync.Once
	write func()
}

func (o *overtaken) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	if _, room := s.RoomID(); room && o.write != nil {
		o.once.Do(o.write)
	}
	return o.Log.Append(ctx, s, last, e)
}

func (o *overtaken) Tail(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
	return o.Log.Tail(ctx, after)
}

func TestLoserOfASwapCatchesUpAndDecidesAgain(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	log := &overtaken{Log: store.Open()}
	a := openNode(t, log, core.Options{NodeID: "a"})
	b := openNode(t, store.Open(), core.Options{NodeID: "b"})
	alice, bob := register(t, a, "alice"), register(t, a, "bob")
	room := turnsRoom(t, a, alice, bob, 10)
	settled(t, b, a.Applied())

	log.write = func() { post(t, b, room, alice, "first by b") }
	turn := 0
	_, _, err := a.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "late", Expected: &turn}, nil)
	var mismatch *core.TurnMismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, 1, mismatch.Turn)
	require.EqualValues(t, 1, a.Conflicts())

	log.once = sync.Once{}
	log.write = func() { post(t, b, room, bob, "second by b") }
	posted, _, err := a.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "mine"}, nil)
	var notMine *core.NotYourTurnError
	if err != nil {
		require.ErrorAs(t, err, &notMine)
	} else {
		require.Equal(t, 2, posted.Turn)
	}
}

func TestClaimTakenOnOneNodeIsSeenOnTheOther(t *testing.T) {
	a, b := twoNodes(t)
	alice := register(t, a, "alice")
	room := openRoom(t, a, alice)
	settled(t, b, a.Applied())
	one, err := a.OpenConnection(t.Context(), alice.ID, core.OpenRequest{
		ID: "c-1", Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true, Rooms: []string{room},
	})
	require.NoError(t, err)
	defer a.AttachStream(alice.ID, one.Connection)()
	settled(t, b, a.Applied())

	// Any node answers for the connection, and beats reach the node that has its stream.
	conn, err := b.Connection(t.Context(), alice.ID, "c-1")
	require.NoError(t, err)
	require.Equal(t, []string{room}, conn.Rooms)
	_, cursor, err := b.Beat(t.Context(), alice.ID, "c-1", 1<<40)
	require.NoError(t, err)
	require.LessOrEqual(t, cursor, a.Applied())

	two, err := b.OpenConnection(t.Context(), alice.ID, core.OpenRequest{
		ID: "c-2", Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true,
	})
	require.NoError(t, err)
	defer b.AttachStream(alice.ID, two.Connection)()
	_, err = b.Subscribe(t.Context(), alice.ID, "c-2", room, false)
	var claimed *core.RoomClaimedError
	require.ErrorAs(t, err, &claimed)
	require.Equal(t, "c-1", claimed.Holder)
	got, err := b.Subscribe(t.Context(), alice.ID, "c-2", room, true)
	require.NoError(t, err)
	require.Equal(t, "c-1", got.Evicted)
	settled(t, a, b.Applied())
	lost, _, ok := a.ConnectionState(alice.ID, "c-1", 1)
	require.True(t, ok)
	require.Empty(t, lost.Rooms)

	// The same connection opened on the other node moves there; the old stream was superseded.
	moved, err := b.OpenConnection(t.Context(), alice.ID, core.OpenRequest{
		ID: "c-1", Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true,
	})
	require.NoError(t, err)
	require.Equal(t, 2, moved.Connection.Generation)
	settled(t, a, b.Applied())
	require.False(t, a.Alive(alice.ID, one.Connection))
}
