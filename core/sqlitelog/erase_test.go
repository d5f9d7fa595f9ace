package sqlitelog_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// traces counts how often a text stands in the files of a directory.
func traces(t *testing.T, dir, text string) (n int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		n += bytes.Count(read(t, filepath.Join(dir, e.Name())), []byte(text))
	}
	return n
}

// What was erased stands in no file any more: neither in a page, nor in a freed one, nor in the write-ahead log.
func TestEraseLeavesNoTrace(t *testing.T) {
	const secret = "the cake is a lie"
	dir := t.TempDir()
	l := open(t, dir, sqlitelog.Options{})
	for i := range 200 {
		say(t, l, "mine", strings.Repeat(secret+" ", 1+i%97))
		say(t, l, "other", fmt.Sprint("harmless ", i))
	}
	require.Greater(t, traces(t, dir, secret), 200)
	require.NoError(t, l.Erase(t.Context(), "mine", 1<<62))
	require.Zero(t, traces(t, dir, secret))

	got, err := content(t, l, "mine")
	require.NoError(t, err)
	require.Equal(t, make([]string, 200), got)
	got, err = content(t, l, "other")
	require.NoError(t, err)
	require.Len(t, got, 200)
	require.Contains(t, got[199], "harmless 199")
}

// A reader outside keeps old pages alive, and Erase says so; the next one that finds it gone clears them, even with nothing
// to erase.
func TestEraseBesideAReader(t *testing.T) {
	const secret = "the cake is a lie"
	dir := t.TempDir()
	l := open(t, dir, sqlitelog.Options{})
	require.NoError(t, l.Exec(`PRAGMA busy_timeout = 1`))
	say(t, l, "mine", secret)
	letGo := holdRead(t, dir)
	for range 2 {
		require.ErrorIs(t, l.Erase(t.Context(), "mine", 1<<62), core.ErrTraces)
		require.Positive(t, traces(t, dir, secret))
	}
	got, err := content(t, l, "mine")
	require.NoError(t, err)
	require.Equal(t, []string{""}, got)
	letGo()
	require.NoError(t, l.Erase(t.Context(), "unwritten", 1<<62))
	require.Zero(t, traces(t, dir, secret))
}

func holdRead(t *testing.T, dir string) (letGo func()) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "log.db"))
	require.NoError(t, err)
	tx, err := db.Begin()
	require.NoError(t, err)
	var n int
	require.NoError(t, tx.QueryRow(`SELECT count(*) FROM events`).Scan(&n))
	return func() {
		require.NoError(t, tx.Rollback())
		require.NoError(t, db.Close())
	}
}

// A tail that lags behind must not be served what was erased from memory.
func TestEraseReachesTheFeed(t *testing.T) {
	l := open(t, t.TempDir(), sqlitelog.Options{})
	var last core.Position
	for i := range 10 {
		last = say(t, l, "s", fmt.Sprint("secret ", i))
	}
	seen := 0
	for batch, err := range l.Tail(t.Context(), 0) {
		require.NoError(t, err)
		if seen == 0 {
			require.NoError(t, l.Erase(t.Context(), "s", last))
			seen = len(batch)
			continue
		}
		for _, r := range batch {
			require.Nil(t, r.Content)
			require.True(t, r.Erased)
			seen++
		}
		if seen == 10 {
			break
		}
	}
}
