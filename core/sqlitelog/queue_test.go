package sqlitelog_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// awaitQueue waits until so many requests are queued.
func awaitQueue(t *testing.T, l *sqlitelog.Log, n int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for l.Waiting() < n {
		require.True(t, time.Now().Before(deadline), "%d of %d requests queued", l.Waiting(), n)
		runtime.Gosched()
	}
}

func holdWriteLock(t *testing.T, dir string) (letGo func()) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "log.db"))
	require.NoError(t, err)
	c, err := db.Conn(t.Context())
	require.NoError(t, err)
	_, err = c.ExecContext(t.Context(), `BEGIN IMMEDIATE`)
	require.NoError(t, err)
	return func() {
		_, err := c.ExecContext(t.Context(), `ROLLBACK`)
		require.NoError(t, err)
		require.NoError(t, c.Close())
		require.NoError(t, db.Close())
	}
}

// Appends to one stream that wait together are one transaction in which each sees the one before it.
func TestChainInOneBatch(t *testing.T) {
	l := open(t, t.TempDir(), sqlitelog.Options{})
	first := say(t, l, "s", "0")
	const chain = 6
	results := make([]error, chain)
	release := l.Hold()
	var wg sync.WaitGroup
	for i := range chain {
		wg.Go(func() {
			last := first + core.Position(i)
			_, results[i] = l.Append(t.Context(), "s", last, []core.Event{said(i+2, fmt.Sprint(i+1))})
		})
		awaitQueue(t, l, i+1)
	}
	release()
	wg.Wait()
	for _, err := range results {
		require.NoError(t, err)
	}
	batches := 0
	for batch, err := range l.Tail(t.Context(), first) {
		require.NoError(t, err)
		batches++
		if batch[len(batch)-1].Position == first+chain {
			break
		}
	}
	require.Equal(t, 1, batches, "one transaction, one batch")
}

// Of those that wait together with the same expectation the first one wins, and the losers are told what it wrote.
func TestLosersInOneBatch(t *testing.T) {
	l := open(t, t.TempDir(), sqlitelog.Options{})
	results := make([]error, 5)
	release := l.Hold()
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { _, results[i] = l.Append(t.Context(), "s", 0, []core.Event{said(1, "a"), said(2, "b")}) })
		awaitQueue(t, l, i+1)
	}
	release()
	wg.Wait()
	require.NoError(t, results[0])
	for _, err := range results[1:] {
		var conflict *core.ConflictError
		require.ErrorAs(t, err, &conflict)
		require.EqualValues(t, 2, conflict.Last)
	}
}

// A full queue makes appends wait outside; a context ends that waiting, and then nothing was written.
func TestBackpressure(t *testing.T) {
	l := open(t, t.TempDir(), sqlitelog.Options{QueueSize: 2})
	release := l.Hold()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if _, err := l.Append(t.Context(), core.RoomStream(fmt.Sprint(i)), 0, []core.Event{said(1, "in")}); err != nil {
				t.Errorf("queued append: %v", err)
			}
		})
	}
	awaitQueue(t, l, 2)
	ctx, cancel := context.WithCancel(t.Context())
	wg.Go(func() {
		if _, err := l.Append(ctx, "outside", 0, []core.Event{said(1, "out")}); err != context.Canceled {
			t.Errorf("append outside: %v", err)
		}
	})
	cancel()
	release()
	wg.Wait()
	require.Zero(t, l.Waiting())
	last, err := l.Last(t.Context(), "outside")
	require.NoError(t, err)
	require.Zero(t, last)
}

// A caller that stops waiting does not stop its append.
func TestCancelledWhileQueued(t *testing.T) {
	l := open(t, t.TempDir(), sqlitelog.Options{})
	release := l.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := l.Append(ctx, "s", 0, []core.Event{said(1, "written")}); err != context.Canceled {
			t.Errorf("append: %v", err)
		}
	})
	awaitQueue(t, l, 1)
	cancel()
	wg.Wait()
	release()
	for batch, err := range l.Tail(t.Context(), 0) {
		require.NoError(t, err)
		require.Len(t, batch, 1)
		break
	}
}

// Close writes what is queued.
func TestCloseWritesTheQueue(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, sqlitelog.Options{})
	release := l.Hold()
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			if _, err := l.Append(t.Context(), core.RoomStream(fmt.Sprint(i)), 0, []core.Event{said(1, "in")}); err != nil {
				t.Errorf("queued append: %v", err)
			}
		})
	}
	awaitQueue(t, l, 5)
	wg.Go(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	release()
	wg.Wait()
	head, err := open(t, dir, sqlitelog.Options{}).Head(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 5, head)
}

// What the log keeps in memory is bounded, whoever reads and whatever is written.
func TestBounded(t *testing.T) {
	o := sqlitelog.Options{RecentEvents: 50, RecentBytes: 20_000, Streams: 10}
	l := open(t, t.TempDir(), o)
	for i := range 300 {
		say(t, l, core.RoomStream(fmt.Sprint(i)), "hello")
		events, bytes := l.Kept()
		require.LessOrEqual(t, events, o.RecentEvents)
		require.LessOrEqual(t, bytes, o.RecentBytes)
	}
	require.LessOrEqual(t, l.Remembered(), o.Streams)
	_, err := l.Append(t.Context(), core.RoomStream("0"), 0, []core.Event{said(2, "x")})
	require.ErrorIs(t, err, core.ErrConflict, "a forgotten stream is looked up again")
}
