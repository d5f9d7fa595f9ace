package sqlitelog_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"stele/core"
	"stele/core/sqlitelog"
)

// tamper runs statements on a file as somebody with a database shell would.
func tamper(t *testing.T, path string, queries ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	for _, q := range queries {
		_, err := db.Exec(q)
		require.NoError(t, err, q)
	}
	require.NoError(t, db.Close())
}

// ask returns what a query finds in a file, for somebody with a database shell.
func ask(t *testing.T, path, query string) (v any) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	require.NoError(t, db.QueryRow(query).Scan(&v))
	require.NoError(t, db.Close())
	return v
}

// closedLog makes a log with a few events and returns the path of its file.
func closedLog(t *testing.T, said ...string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	l := open(t, dir, sqlitelog.Options{})
	for _, text := range said {
		say(t, l, "s", text)
	}
	require.NoError(t, l.Close())
	return dir, filepath.Join(dir, "log.db")
}

func TestNewerFormat(t *testing.T) {
	dir, path := closedLog(t, "hello")
	tamper(t, path, `PRAGMA user_version = 7`)
	_, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.ErrorIs(t, err, core.ErrNewerFormat)
	require.NotErrorIs(t, err, core.ErrCorrupt)
	require.ErrorContains(t, err, "format 7, this program knows up to 2")

	tamper(t, path, `PRAGMA user_version = 1`)
	require.NoError(t, open(t, dir, sqlitelog.Options{}).Close(), "the lock was given back")
}

// A log that was never replaced is one that older programs read; its first renewal shuts them out.
func TestFormatOfLives(t *testing.T) {
	dir, path := closedLog(t, "hello")
	require.EqualValues(t, 1, ask(t, path, `PRAGMA user_version`))
	require.EqualValues(t, 0, ask(t, path, `SELECT count(*) FROM meta WHERE key = 'lives'`))
	_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.NoError(t, err)
	require.EqualValues(t, 2, ask(t, path, `PRAGMA user_version`))
	require.Equal(t, "1", ask(t, path, `SELECT value FROM meta WHERE key = 'lives'`))
	_, err = sqlitelog.NewIdentity(dir, sqlitelog.Options{})
	require.NoError(t, err)
	require.Equal(t, "1 1", ask(t, path, `SELECT value FROM meta WHERE key = 'lives'`))
}

// A list of lives that cannot be is damage.
func TestDamagedLives(t *testing.T) {
	for name, query := range map[string]string{
		"not a number":       `UPDATE meta SET value = 'one' WHERE key = 'lives'`,
		"negative":           `UPDATE meta SET value = '-1' WHERE key = 'lives'`,
		"falling":            `UPDATE meta SET value = '3 2' WHERE key = 'lives'`,
		"beyond the life":    fmt.Sprintf(`UPDATE meta SET value = '%d' WHERE key = 'lives'`, core.FirstOf(1)),
		"lost":               `DELETE FROM meta WHERE key = 'lives'`,
		"not even text":      `UPDATE meta SET value = x'00' WHERE key = 'lives'`,
		"an event beyond it": fmt.Sprintf(`UPDATE events SET position = %d WHERE position = %d`, core.FirstOf(7), core.FirstOf(1)),
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := closedLog(t, "hello")
			_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
			require.NoError(t, err)
			l := open(t, dir, sqlitelog.Options{})
			say(t, l, "s", "again")
			require.NoError(t, l.Close())
			tamper(t, path, query)
			_, err = sqlitelog.Open(dir, sqlitelog.Options{})
			require.ErrorIs(t, err, core.ErrCorrupt)
		})
	}
}

// Whatever is not a log is refused and stays as it is.
func TestForeignFile(t *testing.T) {
	for name, make := range map[string]func(path string){
		"garbage":     func(path string) { write(t, path, bytes.Repeat([]byte("no database\n"), 1000)) },
		"text":        func(path string) { write(t, path, []byte("hello")) },
		"a database":  func(path string) { tamper(t, path, `CREATE TABLE accounts (name TEXT)`) },
		"another app": func(path string) { tamper(t, path, `PRAGMA application_id = 77`) },
		"a log without events": func(path string) {
			_, log := closedLog(t, "hello")
			tamper(t, log, `DROP TABLE events`, `VACUUM`)
			write(t, path, read(t, log))
		},
		"a truncated log": func(path string) {
			_, log := closedLog(t, "hello")
			write(t, path, read(t, log)[:5000])
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "log.db")
			make(path)
			before := read(t, path)
			_, err := sqlitelog.Open(dir, sqlitelog.Options{})
			var corrupt *core.CorruptError
			require.ErrorAs(t, err, &corrupt)
			require.ErrorIs(t, err, core.ErrCorrupt)
			require.Equal(t, path, corrupt.File)
			require.Zero(t, corrupt.First)
			require.Equal(t, before, read(t, path))
		})
	}
}

// A process killed while it created the log may leave a file that is empty, or empty but for its header.
func TestHalfCreated(t *testing.T) {
	for name, make := range map[string]func(path string){
		"empty":  func(path string) { write(t, path, nil) },
		"header": func(path string) { tamper(t, path, `PRAGMA journal_mode = WAL`, `VACUUM`) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			make(filepath.Join(dir, "log.db"))
			say(t, open(t, dir, sqlitelog.Options{}), "s", "hello")
		})
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	l := open(t, dir, sqlitelog.Options{})
	say(t, l, "s", "hello")
	s, err := sqlitelog.OpenSnapshots(dir)
	require.NoError(t, err)
	require.NoError(t, s.Save(t.Context(), "x", core.Snapshot{}))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(entries), 5)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s is open to others: %s", e.Name(), info.Mode())
	}
	require.NoError(t, s.Close())
}

// The path may hold what means something in a URI.
func TestStrangePath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?mode=memory&c=%41#d")
	l := open(t, dir, sqlitelog.Options{})
	say(t, l, "s", "hello")
	require.NoError(t, l.Close())
	require.FileExists(t, filepath.Join(dir, "log.db"))
	got, err := content(t, open(t, dir, sqlitelog.Options{}), "s")
	require.NoError(t, err)
	require.Equal(t, []string{fmt.Sprintf(`{"text":%q}`, "hello")}, got)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, b, 0o600))
}
