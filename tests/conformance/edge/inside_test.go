package conformance

import (
	"context"
	"errors"
	"iter"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"stele/adapters"
	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

// inside serves a gateway within the test's process, whose clock stands still until it is moved.
func inside(t *testing.T, o edgefront.Options) (*server, *testclock.Clock) {
	t.Helper()
	c := testclock.At(time.Date(2026, time.April, 2, 10, 0, 0, 0, time.UTC))
	return serve(t, memlog.New(), c, o, zaptest.NewLogger(t, zaptest.Level(zap.ErrorLevel))), c
}

// serve serves a gateway on a log, which it closes.
func serve(t *testing.T, log core.Log, c *testclock.Clock, o edgefront.Options, logger *zap.Logger) *server {
	t.Helper()
	node, err := core.Open(context.Background(), log, core.Options{Now: c.Now})
	require.NoError(t, err)
	gateway := adapters.New(node, adapters.Options{Logger: logger, Edge: o})
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

var errUnreadable = errors.New("the log cannot be read")

// unreadable is a log of which nothing can be read any more from a moment on.
type unreadable struct {
	*memlog.Log
	now atomic.Bool
}

func (u *unreadable) Read(ctx context.Context, stream core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	if u.now.Load() {
		return func(yield func(core.Recorded, error) bool) { yield(core.Recorded{}, errUnreadable) }
	}
	return u.Log.Read(ctx, stream, after)
}

// broken serves a gateway whose log cannot be read any more after a call of what it returns.
func broken(t *testing.T) (*server, func()) {
	t.Helper()
	log := &unreadable{Log: memlog.New()}
	s := serve(t, log, testclock.At(time.Now()), patient(), zap.NewNop())
	return s, func() { log.now.Store(true) }
}
