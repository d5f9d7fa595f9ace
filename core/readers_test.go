package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestReadersOfAnAgentSayWhereTheyAre(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room, other := openRoom(t, n, alice, bob), openRoom(t, n, alice)
	all := n.NewAgentReader(bob.ID, n.Applied())
	all.Serve(bob.ID, "switch", "c-1")
	one := n.NewRoomReader(other, n.Applied())
	one.Serve(bob.ID, "edge", other)
	looking := n.NewAgentReader(bob.ID, 0)
	defer looking.Close()
	states := func() []core.ServingReader {
		got, err := n.ReadersOf(t.Context(), bob.ID)
		require.NoError(t, err)
		for i := range got {
			require.False(t, got[i].Since.IsZero())
			got[i].Since = time.Time{}
		}
		return got
	}
	behind := func() (edge, switched uint64) {
		got := states()
		require.Len(t, got, 2)
		require.Equal(t, []string{"edge", other, other}, []string{got[0].Door, got[0].Name, got[0].Room})
		require.Equal(t, []string{"switch", "c-1", ""}, []string{got[1].Door, got[1].Name, got[1].Room})
		require.Equal(t, one.Cursor(), got[0].Cursor)
		require.Equal(t, all.Cursor(), got[1].Cursor)
		return got[0].Behind, got[1].Behind
	}
	at := func(wantEdge, wantSwitch int) {
		t.Helper()
		edge, switched := behind()
		require.EqualValues(t, wantEdge, edge)
		require.EqualValues(t, wantSwitch, switched)
	}
	at(0, 0)
	for i := range 300 {
		post(t, n, room, alice, numbered(i, i+1)[0])
	}
	post(t, n, other, alice, "not bob's to see")
	at(1, 300)
	require.NoError(t, n.JoinRoom(t.Context(), other, core.JoinRoom{Member: member(bob)}))
	post(t, n, other, alice, "welcome")
	at(3, 301)
	require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: bob.ID}))
	post(t, n, room, alice, "without bob")
	at(3, 301)
	take(t, all, 301)
	take(t, one, 3)
	nothingLeft(t, all)
	nothingLeft(t, one)
	at(0, 0)
	all.Close()
	one.Close()
	one.Close()
	require.Empty(t, states())
}

func TestReadersFarBehindAreFound(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room, quiet := openRoom(t, n, alice, bob), openRoom(t, n, bob)
	open(t, n, bob, "c-parked", core.ScopeSingle)
	serve := func(r *core.Reader, name string) *core.Reader {
		r.Serve(bob.ID, "switch", name)
		t.Cleanup(r.Close)
		return r
	}
	far := serve(n.NewAgentReader(bob.ID, n.Applied()), "c-far")
	near := serve(n.NewAgentReader(bob.ID, n.Applied()), "c-near")
	serve(n.NewAgentReader(bob.ID, n.Applied()), "c-parked")
	serve(n.NewRoomReader(quiet, n.Applied()), "c-quiet")
	for i := range 30 {
		post(t, n, room, alice, numbered(i, i+1)[0])
	}
	take(t, near, 25)
	got, err := n.Laggards(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, got, 1, "neither what keeps up, nor what has nothing to read, nor what waits on purpose")
	require.Equal(t, "c-far", got[0].Name)
	require.EqualValues(t, 30, got[0].Behind)
	take(t, far, 30)
	got, err = n.Laggards(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestWhereAnAgentAttends(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	require.Empty(t, n.AttendedBy(alice.ID))
	leave := n.Attend(alice.ID, room, "edge")
	defer n.Attend(alice.ID, room, "edge")()
	defer n.Attend(alice.ID, "", "areyouai")()
	defer n.Attend(bob.ID, room, "edge")()
	require.Equal(t, []core.Attended{{Door: "areyouai", Open: 1}, {Room: room, Door: "edge", Open: 2}}, n.AttendedBy(alice.ID))
	leave()
	require.Equal(t, []core.Attended{{Door: "areyouai", Open: 1}, {Room: room, Door: "edge", Open: 1}}, n.AttendedBy(alice.ID))
}

func TestLiveLeasesAreCounted(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	open(t, n, alice, "c-1", core.ScopeAll)
	now.Advance(4 * time.Second)
	open(t, n, bob, "c-2", core.ScopeAll)
	require.Equal(t, 2, n.LeasesHere())
	now.Advance(3 * time.Second)
	require.Equal(t, 1, n.LeasesHere())
	now.Advance(4 * time.Second)
	require.Zero(t, n.LeasesHere())
}
