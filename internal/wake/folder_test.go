package wake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFilesArePrivate(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.server.ready("room_1", 0)
		require.NoError(t, SaveConfig(w.options(nil), false))
		l := w.start(nil)
		settle(time.Second)
		files := 0
		require.NoError(t, filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
			require.NoError(t, err)
			info, err := d.Info()
			require.NoError(t, err)
			if d.IsDir() {
				require.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), path)
				return nil
			}
			files++
			require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
			return nil
		}))
		require.Equal(t, 6, files, "config, session, state, lock, one wake, one token")
		l.end()
	})
}

// TestWriteIsOnTheDiskBeforeItReturns: the file is synced, then takes its place, then the directory is synced.
func TestWriteIsOnTheDiskBeforeItReturns(t *testing.T) {
	f := newFolder(t.TempDir())
	var trace []string
	f.sync = func(file *os.File) error {
		info, err := file.Stat()
		require.NoError(t, err)
		_, missing := os.Stat(f.path("a.json"))
		switch {
		case info.IsDir():
			trace = append(trace, "directory")
		default:
			require.ErrorIs(t, missing, fs.ErrNotExist, "content first, name second")
			trace = append(trace, "file")
		}
		return nil
	}
	f.step = func(string) error { trace = append(trace, "step"); return nil }
	require.NoError(t, f.write("a.json", State{}))
	require.Equal(t, []string{"step", "file", "directory", "step"}, trace)
	trace = nil
	require.NoError(t, f.remove("a.json"))
	require.Equal(t, []string{"step", "directory", "step"}, trace)
}

func TestFailedWriteLeavesTheOldContent(t *testing.T) {
	f := newFolder(t.TempDir())
	require.NoError(t, f.write("a.json", State{AgentID: "old"}))
	f.sync = func(*os.File) error { return errors.New("disk full") }
	var disk *diskError
	require.ErrorAs(t, f.write("a.json", State{AgentID: "new"}), &disk)
	var st State
	require.NoError(t, f.read("a.json", &st))
	require.Equal(t, "old", st.AgentID)
	entries, err := os.ReadDir(f.root)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no half-written file stays")
}

func TestDiskThatFailsEndsTheSidecarBeforeTheAck(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.connectOnce()
		client, done := w.net.client()
		defer done()
		dir := w.folder()
		dir.step = func(name string) error {
			if strings.HasPrefix(name, wakesDir) {
				return &diskError{errors.New("no space left on device")}
			}
			return nil
		}
		s, err := open(w.options(client), dir)
		require.NoError(t, err)
		id := w.server.ready("room_1", 0)
		err = s.Run(t.Context())
		require.ErrorContains(t, err, "no space left")
		require.NoError(t, s.Close())
		require.False(t, w.server.acked(id))
		require.Empty(t, w.hook.calls())
	})
}

func TestIdsNeverLeaveTheirDirectory(t *testing.T) {
	for _, id := range []string{
		"", ".", "..", "../x", "a/b", `a\b`, "/etc/passwd", "a\x00b", "ünïcode", strings.Repeat("a", 129), ".tmp-x", "x.json",
	} {
		name := fileOf(tokensDir, id)
		require.Equal(t, tokensDir, filepath.Dir(name), "%q", id)
		require.Regexp(t, `^tokens/sha256\.[0-9a-f]{64}\.json$`, filepath.ToSlash(name), "%q", id)
	}
	require.Equal(t, filepath.Join(tokensDir, "room_a-B_9.json"), fileOf(tokensDir, "room_a-B_9"))
	require.NotEqual(t, fileOf(tokensDir, "a/b"), fileOf(tokensDir, "a/c"))
}

func TestStrangeRoomIdsWork(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		id := w.server.ready("room~1.x", 0)
		settle(time.Second)
		require.True(t, w.server.acked(id))
		require.Len(t, w.hook.calls(), 1)
		require.FileExists(t, w.hook.calls()[0].TokenPath)
		l.end()
		l = w.start(nil)
		settle(time.Minute)
		require.Len(t, w.hook.calls(), 1)
		l.end()
	})
}

func TestOldTempFilesAreCleared(t *testing.T) {
	f := newFolder(t.TempDir())
	require.NoError(t, f.make(wakesDir, tokensDir))
	old, young := f.path(wakesDir+"/.tmp-old"), f.path(".tmp-young")
	for _, p := range []string{old, young} {
		require.NoError(t, os.WriteFile(p, nil, 0o600))
	}
	require.NoError(t, os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)))
	require.NoError(t, f.seize(time.Now()))
	require.NoFileExists(t, old)
	require.FileExists(t, young)
	require.NoError(t, f.release())
}

func TestFinishedTurnsAreBounded(t *testing.T) {
	f := newFolder(t.TempDir())
	f.sync = func(*os.File) error { return nil }
	require.NoError(t, f.make(wakesDir))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	q, _, err := openQueue(f, func() time.Time { now = now.Add(time.Second); return now })
	require.NoError(t, err)
	q.keep = 3
	for i := range 5 {
		w := &Wake{RoomID: fmt.Sprint("room_", i), ActorID: "a"}
		require.NoError(t, q.add(w))
		_, err := q.update(w, func(w *Wake) { w.Stage = StageDone })
		require.NoError(t, err)
	}
	waiting := &Wake{RoomID: "room_waiting", ActorID: "a"}
	require.NoError(t, q.add(waiting))
	require.NoError(t, q.trim())
	require.True(t, q.has("room_waiting"))
	names, err := f.list(wakesDir)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"wakes/room_2.json", "wakes/room_3.json", "wakes/room_4.json", "wakes/room_waiting.json"}, names)
}
