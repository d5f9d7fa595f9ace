package core_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/mediadir"
	"stele/core/sqlitelog"
)

// folder is a data folder as the program keeps one.
type folder struct {
	log       core.Log
	snapshots *sqlitelog.Snapshots
	media     *mediadir.Store
	node      *core.Node
}

func openFolder(t testing.TB, dir string, grace time.Duration, wrap func(core.Log) core.Log) *folder {
	t.Helper()
	log, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.NoError(t, err)
	f := &folder{log: wrap(log)}
	f.snapshots, err = sqlitelog.OpenSnapshots(dir)
	require.NoError(t, err)
	f.media, err = mediadir.Open(filepath.Join(dir, "media"), mediadir.Options{})
	require.NoError(t, err)
	f.node, err = core.Open(context.Background(), f.log, core.Options{
		Snapshots: f.snapshots, Media: f.media, SweepEvery: 10 * time.Millisecond, SnapshotEvery: 10,
		Purge: core.PurgePolicy{Grace: grace, Retention: time.Hour},
	})
	require.NoError(t, err)
	return f
}

func (f *folder) close(t testing.TB) {
	t.Helper()
	require.NoError(t, errors.Join(f.node.Close(context.Background()), f.media.Close(), f.snapshots.Close(), f.log.Close()))
}

func asItIs(l core.Log) core.Log { return l }

// traces names the files of a folder in which a text stands.
func traces(t testing.TB, dir, text string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreGone(err)
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(text)) {
			files = append(files, filepath.Base(path))
		}
		return ignoreGone(err)
	}))
	return files
}

// ignoreGone: a file may be deleted while the folder is looked through.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// TestPurgeLeavesNoTrace: after a purge no file of a data folder has a text of the room, while the gateway runs and after
// it ended. What an agent reported about its own work is content of no room and stays in the log alone.
func TestPurgeLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	f := openFolder(t, dir, time.Hour, asItIs)
	room := furnish(t, f.node).room
	f.close(t)
	require.Subset(t, traces(t, dir, "marker"), []string{"log.db", "snapshots.db"})
	require.Contains(t, traces(t, dir, "report-detail"), "snapshots.db")

	f = openFolder(t, dir, time.Millisecond, asItIs)
	awaitErased(t, f.log, room)
	awaitNoTrace(t, dir)
	require.Equal(t, core.StatePurged, stateIn(t, f.node, room))
	f.close(t)
	require.Empty(t, traces(t, dir, "marker"))
	require.Equal(t, []string{"log.db"}, traces(t, dir, "report-detail"))
	require.Contains(t, traces(t, dir, "topic"), "log.db", "the bones stay")
}

func awaitNoTrace(t testing.TB, dir string) {
	t.Helper()
	var left []string
	if !assertEventually(func() bool { left = traces(t, dir, "marker"); return len(left) == 0 }) {
		t.Fatalf("texts are left in %v", left)
	}
}

func assertEventually(ok func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// purgeDir is the folder on which a second process of this test program is to work.
const purgeDir = "CORE_TEST_PURGE_DIR"

// stuckLog never comes to erase anything.
type stuckLog struct {
	core.Log
	reached chan struct{}
}

func (l *stuckLog) Erase(ctx context.Context, _ core.Stream, _ core.Position) error {
	close(l.reached)
	<-ctx.Done()
	return ctx.Err()
}

// TestPurgeChild is the process that TestKilledBeforeErase kills.
func TestPurgeChild(t *testing.T) {
	dir := os.Getenv(purgeDir)
	if dir == "" {
		t.Skip("it runs as a process of its own")
	}
	f := openFolder(t, dir, time.Hour, asItIs)
	room := furnish(t, f.node).room
	f.close(t)
	stuck := &stuckLog{reached: make(chan struct{})}
	openFolder(t, dir, time.Millisecond, func(l core.Log) core.Log { stuck.Log = l; return stuck })
	<-stuck.reached
	_, err := os.Stdout.WriteString("purged " + room + "\n")
	require.NoError(t, err)
	select {}
}

// TestKilledBeforeErase: a process that dies between the purge and the destruction leaves the latter to the next one.
func TestKilledBeforeErase(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPurgeChild$")
	cmd.Env, cmd.Stderr = append(os.Environ(), purgeDir+"="+dir), os.Stderr
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	out := bufio.NewScanner(pipe)
	var room string
	for room == "" && out.Scan() {
		if rest, ok := bytes.CutPrefix(out.Bytes(), []byte("purged ")); ok {
			room = string(rest)
		}
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.NotEmpty(t, room)
	require.NotEmpty(t, traces(t, dir, "marker"))

	f := openFolder(t, dir, time.Hour, asItIs)
	awaitErased(t, f.log, room)
	awaitNoTrace(t, dir)
	require.Equal(t, core.StatePurged, stateIn(t, f.node, room))
	f.close(t)
	require.Empty(t, traces(t, dir, "marker"))
}

// TestPurgeBesideAReader: while a backup or a database shell reads the log's file, older copies of its pages stay. They are
// destroyed once it has gone, without another purge.
func TestPurgeBesideAReader(t *testing.T) {
	dir := t.TempDir()
	f := openFolder(t, dir, time.Hour, asItIs)
	room := furnish(t, f.node).room
	f.close(t)

	reached := make(chan struct{}, 1)
	f = openFolder(t, dir, time.Millisecond, func(l core.Log) core.Log {
		return &tracesLog{Log: l, left: 2, reached: reached}
	})
	defer f.close(t)
	for range 3 {
		select {
		case <-reached:
		case <-time.After(patience):
			t.Fatal("nobody came back for what was left")
		}
	}
	awaitErased(t, f.log, room)
	awaitNoTrace(t, dir)
}

// tracesLog leaves copies of what it erased, a number of times.
type tracesLog struct {
	core.Log
	left    int
	reached chan struct{}
}

func (l *tracesLog) Erase(ctx context.Context, stream core.Stream, upTo core.Position) error {
	defer func() {
		select {
		case l.reached <- struct{}{}:
		case <-ctx.Done():
		}
	}()
	if l.left--; l.left >= 0 {
		return core.ErrTraces
	}
	return l.Log.Erase(ctx, stream, upTo)
}
