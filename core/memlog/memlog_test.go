package memlog_test

import (
	"testing"

	"go.uber.org/goleak"

	"stele/core"
	"stele/core/logtest"
	"stele/core/memlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLog(t *testing.T) {
	logtest.Run(t, func(*testing.T) core.Log { return memlog.New() })
}

func TestReopen(t *testing.T) {
	logtest.RunReopen(t, func(*testing.T) func() core.Log {
		store := memlog.NewStore(memlog.Options{})
		return func() core.Log { return store.Open() }
	})
}

func TestReopenWithoutPayload(t *testing.T) {
	logtest.RunReopen(t, func(*testing.T) func() core.Log {
		store := memlog.NewStore(memlog.Options{DropPayload: true})
		return func() core.Log { return store.Open() }
	})
}

func TestPeers(t *testing.T) {
	logtest.RunPeers(t, func(*testing.T) (a, b core.Peers) {
		store := memlog.NewStore(memlog.Options{})
		return store.Open(), store.Open()
	})
}

func TestSnapshots(t *testing.T) {
	logtest.RunSnapshots(t, func(*testing.T) core.Snapshots { return memlog.NewSnapshots() })
}
