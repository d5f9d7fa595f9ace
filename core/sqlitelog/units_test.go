package sqlitelog_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// TestHistorySplitsNoUnit appends units of many sizes so that they lie across every page of history, and asserts that a
// tail which reads them from the file gets each whole.
func TestHistorySplitsNoUnit(t *testing.T) {
	log, err := sqlitelog.Open(t.TempDir(), sqlitelog.Options{RecentEvents: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	units := map[core.Position]core.Position{}
	var head core.Position
	for i, size := range []int{1, 511, 2, 512, 513, 3, 700, 1, 1, 2_000, 509, 5, 1_025, 7} {
		events := make([]core.Event, size)
		for j := range events {
			events[j] = core.Event{Kind: core.MessagePosted, Version: uint64(j + 1), Body: []byte(`{}`)}
		}
		p, err := log.Append(t.Context(), core.RoomStream(string(rune('a'+i))), 0, events)
		require.NoError(t, err)
		units[p[0]] = p[len(p)-1]
		head = p[len(p)-1]
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := core.Position(1)
	for batch, err := range log.Tail(ctx, 0) {
		require.NoError(t, err)
		last := batch[len(batch)-1].Position
		for _, rec := range batch {
			require.Equal(t, next, rec.Position)
			next++
			if end, begins := units[rec.Position]; begins {
				require.LessOrEqual(t, end, last, "a unit of %d events is split", end-rec.Position+1)
			}
		}
		if last == head {
			return
		}
	}
}
