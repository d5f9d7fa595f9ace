package sqlitelog_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/core"
	"stele/core/logtest"
	"stele/core/sqlitelog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string, o sqlitelog.Options) *sqlitelog.Log {
	t.Helper()
	l, err := sqlitelog.Open(dir, o)
	require.NoError(t, err)
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
