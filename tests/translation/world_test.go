package translation_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
	"stele/tests/translation"
)

const (
	// patience is how long anything may take that must happen.
	patience = time.Minute
	// retryPause is between two attempts of a test's own loops.
	retryPause = 5 * time.Millisecond
)

// world is one gateway and what all conversations on it share.
type world struct {
	ctx     context.Context
	gateway *gateway
	// frail is over connections that are cut, steady over whole ones.
	frail, steady *http.Client
	// host makes rooms, invites and says the last word. It takes part in nothing.
	host   *agentswitch.Client
	filter translation.Filter

	// steps counts what participants did; stepped tells now and then that it rose.
	steps   atomic.Int64
	stepped chan struct{}
	// restarts counts how often the gateway ended, over all that talked at the same time: each third time in order.
	restarts int
	tally    tally

	mu     sync.Mutex
	faults []string
}

func newWorld(ctx context.Context, t *testing.T, n *network) *world {
	t.Helper()
	w := &world{
		ctx: ctx, filter: translation.NewFilter(), gateway: startGateway(t, n), frail: n.client(true), steady: n.client(false), stepped: make(chan struct{}, 1),
	}
	anyone, err := agentswitch.NewClient(agentswitch.Options{BaseURL: "http://" + host, HTTPClient: w.steady})
	require.NoError(t, err)
	id, key, err := w.register(anyone, onSwitch, "host")
	require.NoError(t, err)
	w.host = anyone.WithAgent(id, key)
	return w
}

func (w *world) end(t *testing.T) {
	t.Helper()
	w.frail.CloseIdleConnections()
	w.steady.CloseIdleConnections()
	w.gateway.end(t)
	require.Empty(t, w.faults)
}

func (w *world) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// step counts.
func (w *world) step() {
	w.steps.Add(1)
	select {
	case w.stepped <- struct{}{}:
	default:
	}
}

// disturb restarts the gateway each time that so many steps were done, until ctx ends.
func (w *world) disturb(ctx context.Context, at []int64) {
	slices.Sort(at)
	for _, steps := range at {
		for w.steps.Load() < steps {
			select {
			case <-w.stepped:
			case <-ctx.Done():
				return
			}
		}
		what := "kill"
		if w.restarts%3 == 2 {
			what = "restart in order"
		}
		if err := w.gateway.restart(what != "kill"); err != nil {
			w.fault("%s of the gateway: %v", what, err)
			return
		}
		w.restarts++
		w.tally.count(what)
	}
}

// persist does something that may be done twice until it succeeds.
func (w *world) persist(what string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil {
			return
		}
		if pause(ctx, retryPause) != nil {
			w.fault("%s: %v", what, err)
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tally says how much of what happened, so that a run that tested nothing shows.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) count(what string) { t.add(what, 1) }

func (t *tally) add(what string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[what] += n
}
