package sqlitelog_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"stele/core"
	"stele/core/sqlitelog"
)

// A log whose process was killed on a full disk opens there again: what waits in the write-ahead log may not fit into the
// file, but it can be read. Appends fail until there is room.
func TestOpensOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); errors.Is(err, unix.EPERM) {
		t.Skip("mounting a small file system is not permitted")
	} else {
		require.NoError(t, err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, 0)) })
	l := open(t, dir, sqlitelog.Options{})
	var accepted int
	var full error
	for i := 1; full == nil; i++ {
		last, err := l.Last(t.Context(), "s")
		require.NoError(t, err)
		if _, full = l.Append(t.Context(), "s", last, []core.Event{said(i, "word")}); full == nil {
			accepted = i
		}
	}
	require.ErrorIs(t, full, core.ErrFull)
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

	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=16m"))
	say(t, l, "s", "word")
	require.NoError(t, l.Close())
}
