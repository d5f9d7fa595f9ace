package sqlitelog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/logtest"
	"stele/core/sqlitelog"
)

func openSnapshots(t *testing.T, dir string) *sqlitelog.Snapshots {
	t.Helper()
	s, err := sqlitelog.OpenSnapshots(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestSnapshots(t *testing.T) {
	logtest.RunSnapshots(t, func(t *testing.T) core.Snapshots { return openSnapshots(t, t.TempDir()) })
}

var snapshot = core.Snapshot{Log: "log_1", Format: 3, At: 77, Data: []byte("folded state of the room")}

// savedSnapshot makes a closed file with one snapshot in it.
func savedSnapshot(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	s := openSnapshots(t, dir)
	require.NoError(t, s.Save(t.Context(), "room/1", snapshot))
	require.NoError(t, s.Close())
	return dir, filepath.Join(dir, "snapshots.db")
}

func TestSnapshotsStay(t *testing.T) {
	dir, _ := savedSnapshot(t)
	got, err := openSnapshots(t, dir).Load(t.Context(), "room/1")
	require.NoError(t, err)
	require.Equal(t, snapshot, got)
}

// Whatever happened to the file, the start goes on, without the snapshot, and the next one is kept.
func TestDamagedSnapshots(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(t *testing.T, path string)
		aside  bool
	}{
		"deleted":      {func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }, false},
		"emptied":      {func(t *testing.T, path string) { write(t, path, nil) }, false},
		"garbage":      {func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("junk"), 5000)) }, true},
		"newer":        {func(t *testing.T, path string) { tamper(t, path, `PRAGMA user_version = 9`) }, true},
		"foreign":      {func(t *testing.T, path string) { tamper(t, path, `PRAGMA application_id = 9`) }, true},
		"no table":     {func(t *testing.T, path string) { tamper(t, path, `DROP TABLE snapshots`) }, true},
		"flipped byte": {func(t *testing.T, path string) { replaceIn(t, path, "folded state", "folded_state") }, false},
		"flipped at":   {func(t *testing.T, path string) { tamper(t, path, `UPDATE snapshots SET at = 78`) }, false},
		"of another": {func(t *testing.T, path string) {
			tamper(t, path, `UPDATE snapshots SET name = 'room/1' || ''`, `UPDATE snapshots SET log = 'x'`)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := savedSnapshot(t)
			c.damage(t, path)
			s := openSnapshots(t, dir)
			_, err := s.Load(t.Context(), "room/1")
			require.ErrorIs(t, err, core.ErrNoSnapshot)
			require.NoError(t, s.Save(t.Context(), "room/1", snapshot))
			got, err := s.Load(t.Context(), "room/1")
			require.NoError(t, err)
			require.Equal(t, snapshot, got)
			_, err = os.Stat(path + ".damaged")
			require.Equal(t, c.aside, err == nil, "set aside: %v", err)
		})
	}
}

// Damage that shows only when a page is read, while the program runs.
func TestSnapshotsDamagedLater(t *testing.T) {
	dir, path := savedSnapshot(t)
	b := read(t, path)
	const page = 4096
	at := bytes.Index(b, []byte("folded state")) / page * page
	require.Positive(t, at)
	clear(b[at : at+64])
	write(t, path, b)
	s := openSnapshots(t, dir)
	_, err := s.Load(t.Context(), "room/1")
	require.ErrorIs(t, err, core.ErrNoSnapshot)
	require.NoError(t, s.Save(t.Context(), "room/1", snapshot))
	require.FileExists(t, path+".damaged")
}

func replaceIn(t *testing.T, path, old, new string) {
	t.Helper()
	b := read(t, path)
	require.Contains(t, string(b), old)
	write(t, path, bytes.Replace(b, []byte(old), []byte(new), 1))
}
