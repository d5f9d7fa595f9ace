package core_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestCloseOfAnIdleNode: a node with nothing in flight ends in order, also when the caller has no time left.
func TestCloseOfAnIdleNode(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for range 20 {
		log := memlog.New()
		n, err := core.Open(t.Context(), log, core.Options{})
		require.NoError(t, err)
		require.NoError(t, n.Close(gone))
		require.NoError(t, log.Close())
	}
}
