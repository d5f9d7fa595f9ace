package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestSnapshotsAreOnlyACache compares a node that starts from snapshots with one that folds the whole log, and one that
// finds snapshots of another log.
func TestSnapshotsAreOnlyACache(t *testing.T) {
	log, snaps := memlog.New(), memlog.NewSnapshots()
	n, err := core.Open(t.Context(), log, core.Options{Snapshots: snaps})
	require.NoError(t, err)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	token, _, err := n.OpenSession(t.Context(), core.Credential{Agent: alice.ID})
	require.NoError(t, err)
	for i := range 300 {
		_, _, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: fmt.Sprintf("m%d", i)},
			&core.Key{Agent: alice.ID, Value: fmt.Sprint(i), BodyHash: "h"})
		require.NoError(t, err)
	}
	before := stateOf(t, n, room)
	require.NoError(t, n.Close(t.Context()))

	foreign := memlog.NewSnapshots()
	for _, name := range []string{"index", "room/" + room} {
		s, err := snaps.Load(t.Context(), name)
		require.NoError(t, err, "a snapshot of %s was stored", name)
		s.Log = "another"
		require.NoError(t, foreign.Save(t.Context(), name, s))
	}
	for name, opts := range map[string]core.Options{
		"with snapshots": {Snapshots: snaps}, "without": {}, "of another log": {Snapshots: foreign},
	} {
		t.Run(name, func(t *testing.T) {
			opts.NodeID = name
			again := openNode(t, log, opts)
			require.Equal(t, before, stateOf(t, again, room))
			require.Equal(t, alice.ID, again.Authenticate(token).Agent)
			r := again.NewAgentReader(bob.ID, 0)
			defer r.Close()
			require.Equal(t, numbered(0, 300), texts(take(t, r, 300)))
			_, placed, err := again.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "m5"},
				&core.Key{Agent: alice.ID, Value: "5", BodyHash: "h"})
			require.NoError(t, err)
			require.True(t, placed.Replayed)
		})
	}
}

func stateOf(t *testing.T, n *core.Node, room string) string {
	t.Helper()
	var b []byte
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) {
		var err error
		b, err = json.Marshal(r)
		require.NoError(t, err)
	}))
	return string(b)
}

func TestIdleRoomsLeaveMemoryAndComeBack(t *testing.T) {
	log, snaps, now := memlog.New(), memlog.NewSnapshots(), newClock()
	n := openNode(t, log, core.Options{
		Snapshots: snaps, Now: now.Now, IdleAfter: time.Minute, SweepEvery: time.Millisecond,
	})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	for i := range 200 {
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	before := stateOf(t, n, room)
	require.Equal(t, 1, n.LoadedRooms())
	require.Eventually(t, func() bool {
		now.Advance(2 * time.Minute)
		return n.LoadedRooms() == 0
	}, patience, time.Millisecond)
	_, err := snaps.Load(context.Background(), "room/"+room)
	require.NoError(t, err)
	require.Equal(t, before, stateOf(t, n, room))
	require.Equal(t, 200, post(t, n, room, alice, "back").Turn)
}
