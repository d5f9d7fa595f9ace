package chaos_test

import (
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

const (
	// visits is how often clients connect and disconnect; visitors do so at the same time.
	visits   = 1000
	visitors = 8
	// warmUp fills pools and caches before anything is counted.
	warmUp = 10 * visitors
	// leakBound is what a thousand visits may leave in memory: 256 bytes each, less than any goroutine or buffer.
	leakBound = 256 << 10
	// strayGoroutines may differ by: the runtime and the HTTP server have some that come and go.
	strayGoroutines = 4
)

// TestNothingLeaks: a thousand connects and disconnects leave goroutines and memory where they were.
func TestNothingLeaks(t *testing.T) {
	for _, protocol := range []string{onSwitch, onAreyouai, onEdge} {
		t.Run(protocol, func(t *testing.T) { testNothingLeaks(t, protocol) })
	}
}

func testNothingLeaks(t *testing.T, protocol string) {
	g := startLocal(t, visitors)
	open := feedsOf(g)[protocol]
	l := g.life(t, nil)
	defer l.over()
	visit := func(visitor int) error {
		f, err := open(l, visitor)
		if err != nil {
			return err
		}
		f.close()
		if protocol == onSwitch {
			return awaitDetached(l, g.listener(visitor), strconv.Itoa(visitor))
		}
		return nil
	}
	require.NoError(t, repeat(warmUp, visit))
	goroutines := settled(l, 0)
	before := heap()
	require.NoError(t, repeat(visits, visit))
	after := settled(l, goroutines)
	left := int64(heap()) - int64(before)
	t.Logf("%d goroutines before and %d after, %d KiB more", goroutines, after, left>>10)
	require.LessOrEqual(t, after, goroutines+strayGoroutines)
	require.Less(t, left, int64(leakBound))
}

// repeat makes visits, several at a time.
func repeat(times int, visit func(visitor int) error) error {
	failed := make([]error, visitors)
	var all sync.WaitGroup
	for visitor := range visitors {
		all.Go(func() {
			for i := 0; i < times/visitors && failed[visitor] == nil; i++ {
				failed[visitor] = visit(visitor)
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// awaitDetached waits until the gateway knows that the stream of a connection has gone, which is when it refuses beats: who
// comes back before that takes the stream over, and is slowed down.
func awaitDetached(l *life, a switchAgent, connection string) error {
	client, err := a.client(l)
	if err != nil {
		return err
	}
	for {
		_, err := client.Beat(l.ctx, agentswitch.BeatRequest{ConnectionID: connection})
		var refused agentswitch.Error
		if errors.As(err, &refused) && refused.Status() == http.StatusConflict {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// settled returns the number of goroutines once it is down to want, or has not fallen for a while.
func settled(l *life, want int) int {
	least, since := runtime.NumGoroutine(), time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for least > want && time.Since(since) < time.Second {
		l.http.CloseIdleConnections()
		<-tick.C
		if n := runtime.NumGoroutine(); n < least {
			least, since = n, time.Now()
		}
	}
	return least
}
