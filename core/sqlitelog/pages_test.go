package sqlitelog_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// TestPagesOfLargeRecordsAreShort fills a stream with small and large records, so that pages end by count and by weight,
// and asserts that reading misses none in either direction and that a page does not hold all of them.
func TestPagesOfLargeRecordsAreShort(t *testing.T) {
	log, err := sqlitelog.Open(t.TempDir(), sqlitelog.Options{RecentEvents: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	stream := core.RoomStream("r")
	large := append(append([]byte(`"`), bytes.Repeat([]byte("x"), 1<<20)...), '"')
	var last core.Position
	var positions []core.Position
	add := func(count int, content []byte) {
		for range count {
			p, err := log.Append(t.Context(), stream, last, []core.Event{{
				Kind: core.DocumentCreated, Version: uint64(last + 1), Body: []byte(`{}`), Content: content,
			}})
			require.NoError(t, err)
			last = p[0]
			positions = append(positions, last)
		}
	}
	add(40, large)
	add(200, []byte(`"small"`))
	add(2, large)

	read := func(after core.Position) (got []core.Position) {
		for rec, err := range log.Read(t.Context(), stream, after) {
			require.NoError(t, err)
			got = append(got, rec.Position)
		}
		return got
	}
	for _, after := range []int{0, 7, 39, 40, 241, 242} {
		require.Len(t, read(core.Position(after)), len(positions)-after)
	}
	require.Equal(t, positions, read(0))
	i := len(positions)
	for rec, err := range log.ReadBack(t.Context(), stream, 0) {
		require.NoError(t, err)
		i--
		require.Equal(t, positions[i], rec.Position)
	}
	require.Zero(t, i)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := positions[0]
	for batch, err := range log.Tail(ctx, 0) {
		require.NoError(t, err)
		weight := 0
		for _, rec := range batch {
			require.Equal(t, next, rec.Position)
			next++
			weight += len(rec.Content)
		}
		require.Less(t, weight, 40<<20, "a run of one stream that weighs as much is split")
		if next > last {
			break
		}
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, err := range log.Read(t.Context(), stream, 0) {
		require.NoError(t, err)
		break
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), "the first page alone would hold 32 MiB")
}
