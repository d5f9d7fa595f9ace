package sqlitelog_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// fill appends to a stream until there is no room, and counts what was accepted.
func fill(t *testing.T, l core.Log) (accepted int) {
	t.Helper()
	for i := 1; ; i++ {
		last, err := l.Last(t.Context(), "s")
		require.NoError(t, err)
		if _, err = l.Append(t.Context(), "s", last, []core.Event{said(i, "word")}); err != nil {
			require.ErrorIs(t, err, core.ErrFull)
			return accepted
		}
		accepted = i
	}
}

// When there is no room the append fails, whatever is there can be read, and when there is room again writing goes on.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, sqlitelog.Options{MaxPages: 40})
	require.NoError(t, l.Writable())
	accepted := fill(t, l)
	require.ErrorIs(t, l.Writable(), core.ErrFull)
	require.Greater(t, accepted, 50)

	got, err := content(t, l, "s")
	require.NoError(t, err)
	require.Len(t, got, accepted)
	seen := 0
	for batch, err := range l.Tail(t.Context(), 0) {
		require.NoError(t, err)
		if seen += len(batch); seen == accepted {
			break
		}
	}

	_, err = l.Append(t.Context(), "s", 0, []core.Event{said(1, "word")})
	require.ErrorIs(t, err, core.ErrConflict, "a lost swap is still told as one")
	require.ErrorIs(t, l.Writable(), core.ErrFull, "and does not mean that there is room")

	require.NoError(t, l.Exec(`PRAGMA max_page_count = 100000`))
	say(t, l, "s", "word")
	require.NoError(t, l.Writable())
	got, err = content(t, l, "s")
	require.NoError(t, err)
	require.Len(t, got, accepted+1)
	require.NoError(t, l.Close())

	got, err = content(t, open(t, dir, sqlitelog.Options{}), "s")
	require.NoError(t, err)
	require.Len(t, got, accepted+1)
}

// An append that is too large for the room that is left does not take the others of its batch with it.
func TestFullForOne(t *testing.T) {
	l := open(t, t.TempDir(), sqlitelog.Options{MaxPages: 200})
	large := said(1, string(bytes.Repeat([]byte("x"), 1<<20)))
	results := make([]error, 9)
	release := l.Hold()
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			e := said(1, "small")
			if i == 4 {
				e = large
			}
			_, results[i] = l.Append(t.Context(), core.RoomStream(fmt.Sprint(i)), 0, []core.Event{e})
		})
	}
	awaitQueue(t, l, len(results))
	release()
	wg.Wait()
	for i, err := range results {
		if i == 4 {
			require.ErrorIs(t, err, core.ErrFull)
		} else {
			require.NoError(t, err)
		}
	}
	head, err := l.Head(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, len(results)-1, head, "positions have no gap where the large one failed")
}

// A write error that says nothing about room makes the log read-only, and it says so.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, sqlitelog.Options{})
	pos := say(t, l, "s", "before")
	require.NoError(t, l.Exec(`PRAGMA query_only = ON`))
	for range 2 {
		_, err := l.Append(t.Context(), "s", pos, []core.Event{said(2, "refused")})
		require.ErrorIs(t, err, core.ErrReadOnly)
		require.ErrorIs(t, l.Writable(), core.ErrReadOnly)
	}
	require.ErrorIs(t, l.Erase(t.Context(), "s", pos), core.ErrReadOnly)
	require.NoError(t, l.Exec(`PRAGMA query_only = OFF`))
	_, err := l.Append(t.Context(), "s", pos, []core.Event{said(2, "refused")})
	require.ErrorIs(t, err, core.ErrReadOnly, "what an unknown error left behind is for the next opening to find out")
	got, err := content(t, l, "s")
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, l.Close())
	say(t, open(t, dir, sqlitelog.Options{}), "s", "after")
}

// Somebody with a database shell who holds the write lock makes appends fail until they let go.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, sqlitelog.Options{})
	require.NoError(t, l.Exec(`PRAGMA busy_timeout = 1`))
	letGo := holdWriteLock(t, dir)
	_, err := l.Append(t.Context(), "s", 0, []core.Event{said(1, "refused")})
	require.ErrorIs(t, err, core.ErrReadOnly)
	letGo()
	say(t, l, "s", "accepted")
	require.NoError(t, l.Writable())
}
