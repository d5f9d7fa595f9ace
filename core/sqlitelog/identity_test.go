package sqlitelog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

func identity(t *testing.T, dir string) (id, renewed string) {
	t.Helper()
	l := open(t, dir, sqlitelog.Options{})
	require.NoError(t, l.Close())
	return l.ID(), l.Renewed()
}

func TestIdentityStays(t *testing.T) {
	dir, _ := closedLog(t, "hello")
	moved := filepath.Join(t.TempDir(), "moved")
	id, renewed := identity(t, dir)
	require.Empty(t, renewed)
	require.Regexp(t, `^log_[0-9a-f-]{36}$`, id)

	t.Run("when the directory moves", func(t *testing.T) {
		require.NoError(t, os.Rename(dir, moved))
		again, renewed := identity(t, moved)
		require.Empty(t, renewed)
		require.Equal(t, id, again)
		dir = moved
	})
	t.Run("without the lock file", func(t *testing.T) {
		require.NoError(t, os.Remove(filepath.Join(dir, "lock")))
		again, renewed := identity(t, dir)
		require.Empty(t, renewed)
		require.Equal(t, id, again)
	})
	t.Run("with a lock file of nonsense", func(t *testing.T) {
		write(t, filepath.Join(dir, "lock"), []byte("\x00log\nhead x\npid y\n"))
		again, renewed := identity(t, dir)
		require.Empty(t, renewed)
		require.Equal(t, id, again)
	})
}

// An older state put back in place of a newer one, even written into the same file, is another log from then on.
func TestIdentityAfterRollback(t *testing.T) {
	dir, path := closedLog(t, "one", "two")
	id, _ := identity(t, dir)
	backup := read(t, path)
	l := open(t, dir, sqlitelog.Options{})
	say(t, l, "s", "three")
	require.NoError(t, l.Close())
	write(t, path, backup)

	renewedID, renewed := identity(t, dir)
	require.NotEqual(t, id, renewedID)
	require.Equal(t, "the file ends at position 2, but was at 3 before", renewed)

	again, renewed := identity(t, dir)
	require.Equal(t, renewedID, again, "once is enough")
	require.Empty(t, renewed)
}

// A copy goes its own way, so it must not pass for the original.
func TestIdentityOfACopy(t *testing.T) {
	dir, _ := closedLog(t, "one")
	id, _ := identity(t, dir)
	copied := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
	copyID, renewed := identity(t, copied)
	if renewed == "" {
		t.Skip("this file system does not tell when a file was made")
	}
	require.NotEqual(t, id, copyID)
	require.Equal(t, "the file is a copy", renewed)
	again, _ := identity(t, dir)
	require.Equal(t, id, again, "the original stays who it is")
}

func TestNewIdentity(t *testing.T) {
	dir, _ := closedLog(t, "one")
	id, _ := identity(t, dir)
	fresh, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.NoError(t, err)
	require.NotEqual(t, id, fresh)
	now, renewed := identity(t, dir)
	require.Equal(t, fresh, now)
	require.Empty(t, renewed)

	l := open(t, dir, sqlitelog.Options{})
	_, err = sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.ErrorIs(t, err, core.ErrLocked)
	require.NoError(t, l.Close())

	_, err = sqlitelog.NewIdentity(t.TempDir(), sqlitelog.Options{})
	require.ErrorIs(t, err, os.ErrNotExist, "it creates no log")
}
