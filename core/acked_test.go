package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestAcksOfTurnsAreWrittenOnce: the highest counts, from the first turn on, and what is known already is not written again.
func TestAcksOfTurnsAreWrittenOnce(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 20)
	require.Empty(t, n.AckedTurns(room))
	for i, step := range []struct {
		turn, known int
		writes      bool
	}{{0, 0, true}, {0, 0, false}, {2, 2, true}, {2, 2, false}, {1, 2, false}, {0, 2, false}} {
		before := n.Applied()
		require.NoError(t, n.Ack(t.Context(), alice.ID, room, step.turn))
		require.Equal(t, step.writes, n.Applied() > before, "step %d", i)
		require.Equal(t, map[string]int{alice.ID: step.known}, n.AckedTurns(room), "step %d", i)
	}
	again := openNode(t, log, core.Options{NodeID: "again"})
	require.Equal(t, map[string]int{alice.ID: 2}, again.AckedTurns(room))
}
