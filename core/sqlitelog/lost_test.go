package sqlitelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// A log that is gone is not replaced by an empty one in silence.
func TestLostFile(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(t *testing.T, path string)
		how  string
	}{
		"missing": {func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }, "missing"},
		"no byte": {func(t *testing.T, path string) { write(t, path, nil) }, "empty"},
		"empty database": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			tamper(t, path, `PRAGMA journal_mode = WAL`, `VACUUM`)
		}, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := closedLog(t, "one", "two")
			id, _ := identity(t, dir)
			backup := read(t, path)
			c.lose(t, path)
			for range 2 {
				_, err := sqlitelog.Open(dir, sqlitelog.Options{})
				var corrupt *core.CorruptError
				require.ErrorAs(t, err, &corrupt)
				require.ErrorIs(t, err, core.ErrCorrupt)
				require.Equal(t, path, corrupt.File)
				require.EqualError(t, corrupt.Cause, fmt.Sprintf("the log is gone: log.db is %s, but the directory held %s "+
					"up to position 2; restore log.db from a backup, or remove the file lock to begin anew with an empty log",
					c.how, id))
				if c.how == "missing" {
					require.NoFileExists(t, path)
				}
			}
			t.Run("restored", func(t *testing.T) {
				restored := filepath.Join(t.TempDir(), "restored")
				require.NoError(t, os.CopyFS(restored, os.DirFS(dir)))
				write(t, filepath.Join(restored, "log.db"), backup)
				got, err := content(t, open(t, restored, sqlitelog.Options{}), "s")
				require.NoError(t, err)
				require.Len(t, got, 2)
			})
			t.Run("begun anew", func(t *testing.T) {
				require.NoError(t, os.Remove(filepath.Join(dir, "lock")))
				l := open(t, dir, sqlitelog.Options{})
				require.NotEqual(t, id, l.ID())
				require.Empty(t, l.Renewed())
				require.Empty(t, l.Lives())
				require.EqualValues(t, 1, say(t, l, "s", "anew"))
			})
		})
	}
}

// The note keeps up with the writer, so a log that was killed with its first events is missed as well.
func TestLostAfterAKill(t *testing.T) {
	dir := t.TempDir()
	cmd, out := startChild(t, roleWriter, dir)
	require.True(t, out.Scan())
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.NoError(t, os.Remove(filepath.Join(dir, "log.db")))
	_, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.ErrorIs(t, err, core.ErrCorrupt)
}

// Whatever a process leaves that was killed while it made the log does not stop the next one.
func TestFirstStartCutShort(t *testing.T) {
	for name, left := range map[string]map[string]string{
		"nothing":                    {},
		"the lock":                   {"lock": ""},
		"the lock and an empty file": {"lock": "", "log.db": ""},
		"a note without events":      {"lock": "pid  1\nlog  log_x\nhead 00000000000000000000\n"},
		"a note and an empty file":   {"lock": "pid  1\nlog  log_x\nhead 00000000000000000000\n", "log.db": ""},
		"half a note":                {"lock": "pid  1\nlo", "log.db": ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range left {
				write(t, filepath.Join(dir, file), []byte(text))
			}
			l := open(t, dir, sqlitelog.Options{})
			require.Empty(t, l.Renewed())
			require.Empty(t, l.Lives())
			require.EqualValues(t, 1, say(t, l, "s", "hello"))
		})
	}
	t.Run("the whole file, but no note", func(t *testing.T) {
		dir, _ := closedLog(t)
		write(t, filepath.Join(dir, "lock"), nil)
		l := open(t, dir, sqlitelog.Options{})
		require.Empty(t, l.Renewed())
		require.EqualValues(t, 1, say(t, l, "s", "hello"))
	})
}
