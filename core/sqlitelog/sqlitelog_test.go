package sqlitelog_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/core"
	"stele/core/logtest"
	"stele/core/sqlitelog"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		child(role, os.Getenv(childDir))
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, dir string, o sqlitelog.Options) *sqlitelog.Log {
	t.Helper()
	l, err := sqlitelog.Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestLog(t *testing.T) {
	logtest.Run(t, func(t *testing.T) core.Log { return open(t, t.TempDir(), sqlitelog.Options{}) })
}

// With everything as small as it can be, tails keep falling behind, streams keep being forgotten and batches are split.
func TestLogCramped(t *testing.T) {
	o := sqlitelog.Options{
		QueueSize: 1, MaxBatch: 3, Readers: 1, CacheKiB: 64, Streams: 2, RecentEvents: 16, RecentBytes: 4 << 10,
	}
	logtest.Run(t, func(t *testing.T) core.Log { return open(t, t.TempDir(), o) })
}

func TestReopen(t *testing.T) {
	logtest.RunReopen(t, func(t *testing.T) func() core.Log {
		dir := t.TempDir()
		return func() core.Log { return open(t, dir, sqlitelog.Options{}) }
	})
}

func TestReplaced(t *testing.T) {
	logtest.RunReplaced(t, func(t *testing.T) (func() core.Log, func()) {
		dir := t.TempDir()
		return func() core.Log { return open(t, dir, sqlitelog.Options{}) }, func() {
			_, err := sqlitelog.NewIdentity(dir, sqlitelog.Options{})
			require.NoError(t, err)
		}
	})
}

// No test can pull the plug, so this one checks that SQLite was told to withstand it, at the first opening and later.
func TestDurableSettings(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		l := open(t, dir, sqlitelog.Options{})
		for pragma, want := range map[string]any{
			"synchronous": int64(2), "journal_mode": "wal", "fullfsync": int64(1), "checkpoint_fullfsync": int64(1),
			"secure_delete": int64(1),
		} {
			got, err := l.Setting(pragma)
			require.NoError(t, err)
			require.Equal(t, want, got, pragma)
		}
		require.NoError(t, l.Close())
	}
}

// said makes an event with content of a recognisable text.
func said(version int, text string) core.Event {
	e := message(version)
	e.Content = fmt.Appendf(nil, `{"text":%q}`, text)
	e.Receipt = fmt.Appendf(nil, `{"key":"k","echo":%q}`, text)
	return e
}

// say appends one event with content to a stream.
func say(t *testing.T, l core.Log, stream core.Stream, text string) core.Position {
	t.Helper()
	last, err := l.Last(t.Context(), stream)
	require.NoError(t, err)
	positions, err := l.Append(t.Context(), stream, last, []core.Event{said(int(last)+1, text)})
	require.NoError(t, err)
	return positions[0]
}

// content reads what was said in a stream, with what stopped the reading.
func content(t *testing.T, l core.Log, stream core.Stream) (all []string, err error) {
	t.Helper()
	for r, err := range l.Read(t.Context(), stream, 0) {
		if err != nil {
			return all, err
		}
		all = append(all, string(r.Content))
	}
	return all, nil
}
