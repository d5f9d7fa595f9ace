package conformance

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

// inside serves a gateway within the test's process, whose clock stands still until it is moved. Streams see whether their
// session holds every tenth of a second of real time, and its housekeeping runs as often.
func inside(t *testing.T, purge core.PurgePolicy, o areyouaifront.Options) (*server, *testclock.Clock) {
	t.Helper()
	c := testclock.At(time.Date(2026, time.April, 2, 10, 0, 0, 0, time.UTC))
	return serve(t, memlog.New(), c, purge, o), c
}

// serve serves a gateway on a log, which it closes.
func serve(t *testing.T, log core.Log, c *testclock.Clock, purge core.PurgePolicy, o areyouaifront.Options) *server {
	t.Helper()
	node, err := core.Open(context.Background(), log, core.Options{Now: c.Now, SweepEvery: 100 * time.Millisecond, Purge: purge})
	require.NoError(t, err)
	if o.Limits == nil {
		o.Limits = &areyouaifront.Limits{}
	}
	o.Reauth = 100 * time.Millisecond
	gateway := adapters.New(node, adapters.Options{Logger: zaptest.NewLogger(t, zaptest.Level(zap.ErrorLevel)), Areyouai: o})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- gateway.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, node.Close(context.Background()))
		require.NoError(t, log.Close())
	})
	return &server{url: "http://" + ln.Addr().String()}
}

// full is a log that takes nothing any more from a moment on.
type full struct {
	*memlog.Log
	now atomic.Bool
}

func (f *full) Append(ctx context.Context, stream core.Stream, last core.Position, events []core.Event) ([]core.Position, error) {
	if f.now.Load() {
		return nil, core.ErrFull
	}
	return f.Log.Append(ctx, stream, last, events)
}

// broken serves a gateway whose log is full after a call of what it returns.
func broken(t *testing.T) (*server, func()) {
	t.Helper()
	log := &full{Log: memlog.New()}
	s := serve(t, log, testclock.At(time.Now()), core.PurgePolicy{}, areyouaifront.Options{})
	return s, func() { log.now.Store(true) }
}
