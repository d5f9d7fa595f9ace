package sqlitelog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"stele/core"
	"stele/core/sqlitelog"
)

// A log whose process was killed on a full disk opens there again: what waits in the write-ahead log may not fit into the
// file, but it can be read. Appends fail until there is room.
func TestOpensOnAFullDisk(t *testing.T) {
	dir := smallDisk(t)
	l := open(t, dir, sqlitelog.Options{})
	accepted := fill(t, l)
	// Closing would try to move the write-ahead log into the file, as opening does: the next one meets what a kill leaves.
	require.NoError(t, l.Close())

	l = open(t, dir, sqlitelog.Options{})
	got, err := content(t, l, "s")
	require.NoError(t, err)
	require.Len(t, got, accepted)
	last, err := l.Last(t.Context(), "s")
	require.NoError(t, err)
	_, err = l.Append(t.Context(), "s", last, []core.Event{said(accepted+1, "word")})
	require.ErrorIs(t, err, core.ErrFull)

	grow(t, dir)
	say(t, l, "s", "word")
	require.NoError(t, l.Close())
}

// What an erase left in the write-ahead log of a full disk is not taken for gone by whoever opens the log there: erasing the
// same again, as is done after a kill, must not be told that all is done.
func TestEraseIsNotDoneOnAFullDisk(t *testing.T) {
	dir := smallDisk(t)
	l := open(t, dir, sqlitelog.Options{})
	const secret = "they meet at the old mill"
	var last core.Position
	for range 20 {
		last = say(t, l, "s", secret+strings.Repeat(" word", 2000))
	}
	filler, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	var free unix.Statfs_t
	require.NoError(t, unix.Statfs(dir, &free))
	require.NoError(t, unix.Fallocate(int(filler.Fd()), 0, 0, int64(free.Bavail)*free.Bsize-128<<10))
	require.NoError(t, filler.Close())
	require.ErrorIs(t, l.Erase(t.Context(), "s", 2), core.ErrFull, "there is room for the write-ahead log alone")
	require.NoError(t, l.Close())

	l = open(t, dir, sqlitelog.Options{})
	require.ErrorIs(t, l.Erase(t.Context(), "s", 2), core.ErrFull)
	grow(t, dir)
	require.NoError(t, l.Erase(t.Context(), "s", last))
	require.Zero(t, traces(t, dir, secret))
	require.NoError(t, l.Close())
}

// smallDisk is a directory on a disk of 2 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); errors.Is(err, unix.EPERM) {
		t.Skip("mounting a small file system is not permitted")
	} else {
		require.NoError(t, err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, 0)) })
	return dir
}

func grow(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=16m"))
}
