package logtest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// RunSnapshots checks [core.Snapshots]. open makes a new, empty one; the suite closes it.
func RunSnapshots(t *testing.T, open func(t *testing.T) core.Snapshots) {
	start := func(t *testing.T) core.Snapshots {
		s := open(t)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	t.Run("newest wins", func(t *testing.T) {
		s := start(t)
		for n := 1; n <= 3; n++ {
			require.NoError(t, s.Save(t.Context(), "room/1", snapshot(n)))
			got, err := s.Load(t.Context(), "room/1")
			require.NoError(t, err)
			require.Equal(t, snapshot(n), got)
		}
	})
	t.Run("missing", func(t *testing.T) {
		s := start(t)
		require.NoError(t, s.Save(t.Context(), "room/1", snapshot(1)))
		_, err := s.Load(t.Context(), "room/2")
		require.ErrorIs(t, err, core.ErrNoSnapshot)
	})
	t.Run("delete", func(t *testing.T) {
		s := start(t)
		require.NoError(t, s.Save(t.Context(), "room/1", snapshot(1)))
		require.NoError(t, s.Save(t.Context(), "room/2", snapshot(2)))
		for range 2 {
			require.NoError(t, s.Delete(t.Context(), "room/1"))
			_, err := s.Load(t.Context(), "room/1")
			require.ErrorIs(t, err, core.ErrNoSnapshot)
		}
		got, err := s.Load(t.Context(), "room/2")
		require.NoError(t, err)
		require.Equal(t, snapshot(2), got)
	})
	t.Run("bytes are not shared", func(t *testing.T) {
		s := start(t)
		given := snapshot(1)
		require.NoError(t, s.Save(t.Context(), "x", given))
		clear(given.Data)
		for range 2 {
			got, err := s.Load(t.Context(), "x")
			require.NoError(t, err)
			require.Equal(t, snapshot(1), got)
			clear(got.Data)
		}
	})
	t.Run("large", func(t *testing.T) { testLargeSnapshot(t, start(t)) })
	t.Run("concurrent", func(t *testing.T) { testConcurrentSnapshots(t, start(t)) })
	t.Run("context and close", func(t *testing.T) {
		s := start(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, s.Save(ctx, "x", snapshot(1)), context.Canceled)
		require.ErrorIs(t, s.Delete(ctx, "x"), context.Canceled)
		_, err := s.Load(ctx, "x")
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, s.Close())
		require.ErrorIs(t, s.Save(t.Context(), "x", snapshot(1)), core.ErrClosed)
		_, err = s.Load(t.Context(), "x")
		require.ErrorIs(t, err, core.ErrClosed)
	})
}

// snapshot makes one that can be told from the others by n.
func snapshot(n int) core.Snapshot {
	return core.Snapshot{Log: "log_1", Format: n, At: core.Position(n), Data: fmt.Appendf(nil, `{"n":%d}`, n)}
}

func testLargeSnapshot(t *testing.T, s core.Snapshots) {
	large := snapshot(1)
	large.Data = make([]byte, 5<<20)
	for i := range large.Data {
		large.Data[i] = byte(i * 7)
	}
	require.NoError(t, s.Save(t.Context(), "x", large))
	got, err := s.Load(t.Context(), "x")
	require.NoError(t, err)
	require.Equal(t, large, got)
}

func testConcurrentSnapshots(t *testing.T, s core.Snapshots) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := fmt.Sprint("room/", i%3)
			for n := 1; n <= 20; n++ {
				if err := s.Save(t.Context(), name, snapshot(n)); err != nil {
					t.Errorf("save: %v", err)
				}
				got, err := s.Load(t.Context(), name)
				if err != nil || string(got.Data) != fmt.Sprintf(`{"n":%d}`, got.Format) {
					t.Errorf("load: %+v, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}
