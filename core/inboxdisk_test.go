package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// TestDeliveriesOnDisk: what waits outlives the process on the embedded log, with snapshots and without, and also when the
// content of the room that it tells of was destroyed meanwhile.
func TestDeliveriesOnDisk(t *testing.T) {
	dir, now := t.TempDir(), newClock()
	start := func(snapshots bool) (*core.Node, func()) {
		log, err := sqlitelog.Open(dir, sqlitelog.Options{})
		require.NoError(t, err)
		o := core.Options{
			Now: now.Now, SweepEvery: time.Millisecond, Purge: core.PurgePolicy{Grace: time.Minute, Retention: time.Hour},
		}
		var snaps *sqlitelog.Snapshots
		if snapshots {
			snaps, err = sqlitelog.OpenSnapshots(dir)
			require.NoError(t, err)
			o.Snapshots = snaps
		}
		n, err := core.Open(context.Background(), log, o)
		require.NoError(t, err)
		return n, func() {
			require.NoError(t, n.Close(context.Background()))
			if snaps != nil {
				require.NoError(t, snaps.Close())
			}
			require.NoError(t, log.Close())
		}
	}
	n, stop := start(true)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	going, ended := turnsRoom(t, n, alice, bob, 20), turnsRoom(t, n, alice, bob, 1)
	post(t, n, going, alice, "one")
	post(t, n, ended, alice, "only")
	now.Advance(2 * time.Minute)
	require.Eventually(t, func() bool {
		sum, _ := n.Room(ended)
		return sum.Erased
	}, patience, time.Millisecond)
	want := []summarised{
		turn(going, 1, bob, "peer_message"), closed(ended, "max_turns_reached"),
		{Kind: core.RoomWasPurged, Room: ended, Reason: "grace_elapsed"},
	}
	before := waits(t, n, bob, want...)
	for _, snapshots := range []bool{true, false} {
		stop()
		n, stop = start(snapshots)
		require.Equal(t, before, waits(t, n, bob, want...))
	}
	require.NoError(t, n.Acknowledge(t.Context(), bob.ID, before[1].ID(bob.ID)))
	stop()
	n, stop = start(false)
	defer stop()
	waits(t, n, bob, want[0], want[2])
	require.True(t, n.Acknowledged(bob.ID, before[1].ID(bob.ID)))
}
