package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestPollerMovesOnce: of those who read from the same place one is told that it may go on, and the place is durable.
func TestPollerMovesOnce(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{})
	alice := register(t, n, "alice")
	require.Zero(t, n.PollerAt(alice.ID, "p"))
	const rivals = 8
	results := make(chan error, rivals)
	for range rivals {
		go func() { results <- n.MovePoller(t.Context(), alice.ID, "p", 0, 7) }()
	}
	won := 0
	for range rivals {
		if err := <-results; err == nil {
			won++
		} else {
			require.ErrorIs(t, err, core.ErrPollerMoved)
		}
	}
	require.Equal(t, 1, won)
	require.EqualValues(t, 7, n.PollerAt(alice.ID, "p"))
	require.NoError(t, n.MovePoller(t.Context(), alice.ID, "p", 7, 9))
	require.NoError(t, n.MovePoller(t.Context(), alice.ID, "q", 0, 3), "each poller has a place of its own")
	again := openNode(t, log, core.Options{NodeID: "again"})
	require.EqualValues(t, 9, again.PollerAt(alice.ID, "p"))
	require.EqualValues(t, 3, again.PollerAt(alice.ID, "q"))
}

// TestMemberReaderFollowsOneRoom, and only while the agent is a member of it.
func TestMemberReaderFollowsOneRoom(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room, other := openRoom(t, n, alice), openRoom(t, n, alice, bob)
	r := n.NewMemberReader(bob.ID, room, 0)
	defer r.Close()
	post(t, n, room, alice, "before")
	post(t, n, other, alice, "elsewhere")
	nothingLeft(t, r)
	third := openRoom(t, n, alice)
	for _, joined := range []string{third, room} {
		require.NoError(t, n.JoinRoom(t.Context(), joined, core.JoinRoom{Member: member(bob)}))
	}
	post(t, n, third, alice, "elsewhere")
	post(t, n, room, alice, "while")
	post(t, n, other, alice, "elsewhere")
	require.Equal(t, []string{"while"}, texts(take(t, r, 1)))
	require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: bob.ID}))
	post(t, n, room, alice, "after")
	nothingLeft(t, r)

	late := n.NewMemberReader(bob.ID, room, 0)
	defer late.Close()
	require.Equal(t, []string{"while"}, texts(take(t, late, 1)))
	nothingLeft(t, late)
}
