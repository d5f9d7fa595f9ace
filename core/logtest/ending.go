package logtest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func isConflict(err error) bool { return errors.Is(err, core.ErrConflict) }

// testContext checks that contexts end what they were given to.
func testContext(t *testing.T, open Open) {
	f := start(t, open)
	f.fill("s", 10)
	head := f.head()
	gone, cancel := context.WithCancel(f.ctx)
	cancel()

	t.Run("append", func(t *testing.T) {
		_, err := f.log.Append(gone, "s", head, events("s", 11, 1))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, head, f.head(), "a context that had ended wrote something")
	})
	t.Run("read", func(t *testing.T) {
		requireEndsWith(t, f.log.Read(gone, "s", 0), context.Canceled)
		requireEndsWith(t, f.log.ReadBack(gone, "s", 0), context.Canceled)
	})
	t.Run("last, head, erase", func(t *testing.T) {
		_, err := f.log.Last(gone, "s")
		require.ErrorIs(t, err, context.Canceled)
		_, err = f.log.Head(gone)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, f.log.Erase(gone, "s", head), context.Canceled)
	})
	t.Run("tail, before it starts", func(t *testing.T) {
		for batch, err := range f.log.Tail(gone, 0) {
			t.Fatalf("a tail whose context had ended yielded %d events, error %v", len(batch), err)
		}
	})
	t.Run("tail, while it waits", func(t *testing.T) {
		ctx, cancel := context.WithCancel(f.ctx)
		defer cancel()
		for batch, err := range f.log.Tail(ctx, 0) {
			require.NoError(t, err)
			if batch[len(batch)-1].Position == head {
				cancel()
			}
		}
		require.Error(t, ctx.Err())
		require.NoError(t, f.ctx.Err(), "the tail did not end with its context")
	})
	t.Run("nothing was harmed", func(t *testing.T) {
		f.append("s", head, 11, 1)
		require.Len(t, f.read("s", 0), 11)
	})
}

func requireEndsWith(t *testing.T, seq func(func(core.Recorded, error) bool), target error) {
	t.Helper()
	var last error
	for _, err := range seq {
		require.NoError(t, last, "the sequence went on after an error")
		last = err
	}
	require.ErrorIs(t, last, target)
}

// testClose checks that Close ends tails, loses nothing that was accepted and refuses what comes later.
func testClose(t *testing.T, open Open) {
	t.Run("waiting tails end", func(t *testing.T) { testCloseEndsTails(t, open) })
	t.Run("later calls", func(t *testing.T) { testClosed(t, open) })
	t.Run("under appends", func(t *testing.T) { testCloseUnderAppends(t, open) })
}

func testCloseEndsTails(t *testing.T, open Open) {
	f := start(t, open)
	f.fill("s", 5)
	var tails, waiting sync.WaitGroup
	ends := make(chan error, 3)
	for range cap(ends) {
		waiting.Add(1)
		tails.Go(func() {
			seen := 0
			arrived := sync.OnceFunc(waiting.Done)
			defer arrived()
			var end error
			for batch, err := range f.log.Tail(f.ctx, 0) {
				if seen += len(batch); seen >= 5 {
					arrived()
				}
				end = err
			}
			ends <- end
		})
	}
	waiting.Wait()
	require.NoError(t, f.log.Close())
	tails.Wait()
	for range cap(ends) {
		require.ErrorIs(t, <-ends, core.ErrClosed, "a tail that Close ends says so")
	}
}

func testClosed(t *testing.T, open Open) {
	f := start(t, open)
	f.fill("s", 5)
	id := f.log.ID()
	require.NoError(t, f.log.Close())
	_, err := f.log.Append(f.ctx, "s", 0, events("s", 1, 1))
	require.ErrorIs(t, err, core.ErrClosed)
	_, err = f.log.Last(f.ctx, "s")
	require.ErrorIs(t, err, core.ErrClosed)
	_, err = f.log.Head(f.ctx)
	require.ErrorIs(t, err, core.ErrClosed)
	require.ErrorIs(t, f.log.Erase(f.ctx, "s", 1), core.ErrClosed)
	requireEndsWith(t, f.log.Read(f.ctx, "s", 0), core.ErrClosed)
	requireEndsWith(t, f.log.ReadBack(f.ctx, "s", 0), core.ErrClosed)
	for batch, err := range f.log.Tail(f.ctx, 0) {
		require.Empty(t, batch)
		require.ErrorIs(t, err, core.ErrClosed)
	}
	require.ErrorIs(t, f.log.Close(), core.ErrClosed)
	require.Equal(t, id, f.log.ID())
}

func testCloseUnderAppends(t *testing.T, open Open) {
	f := start(t, open)
	var wg sync.WaitGroup
	started := make(chan struct{}, 4)
	for _, stream := range []core.Stream{"a", "b", "c", "d"} {
		wg.Go(func() {
			var last core.Position
			for v := uint64(1); ; v++ {
				positions, err := f.log.Append(f.ctx, stream, last, events(stream, v, 1))
				if err != nil {
					if !errors.Is(err, core.ErrClosed) {
						t.Errorf("append during close: %v", err)
					}
					return
				}
				if last = positions[0]; v == 3 {
					started <- struct{}{}
				}
			}
		})
	}
	<-started
	require.NoError(t, f.log.Close())
	wg.Wait()
}
