package areyouaifront_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/core"
)

// faultyLog takes no appends while it is full, and finds that somebody else wrote first as often as it is told to.
type faultyLog struct {
	core.Log
	full      atomic.Bool
	conflicts atomic.Int64
}

func (l *faultyLog) Append(ctx context.Context, s core.Stream, last core.Position, events []core.Event) ([]core.Position, error) {
	if l.full.Load() {
		return nil, core.ErrFull
	}
	if l.conflicts.Add(-1) >= 0 {
		return nil, &core.ConflictError{Stream: s, Expected: last, Last: last}
	}
	return l.Log.Append(ctx, s, last, events)
}

// newFaulty returns a gate that accepts one message of an agent and in a room, and its log.
func newFaulty(t *testing.T) (*gate, *faultyLog) {
	first := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{MessagesPerAgent: 1, MessagesPerRoom: 1}})
	log := &faultyLog{Log: first.log}
	faulty := *first
	faulty.log = log
	return faulty.beside("faulty"), log
}

// TestLogThatTakesNothing: a failing append is a 503 in the protocol's shape, reading goes on, and what was not written
// is not counted as accepted.
func TestLogThatTakesNothing(t *testing.T) {
	g, log := newFaulty(t)
	r := g.room()
	body := r.message(r.a, "hello")
	log.full.Store(true)
	for range 3 {
		got := g.post(r.path("/messages"), r.a.token, body)
		require.Equal(t, 503, got.status)
		require.Equal(t, "internal_error", got.code())
	}
	require.Equal(t, 503, g.post("/v1/listings", r.a.token, `{"topic":"t"}`).status)
	require.Equal(t, 503, g.post("/v1/agent/register", "", `{"name":"n"}`).status)
	require.Equal(t, 200, g.get(r.path("/state"), r.a.token).status)
	require.Equal(t, 200, g.get(r.path("/events/history"), r.a.token).status)
	log.full.Store(false)
	require.Equal(t, 201, g.post(r.path("/messages"), r.a.token, body).status)
	require.Equal(t, "rate_limited", r.post(r.b, r.message(r.b, "hello")).code())
}

// TestDecidedAgainCountsOnce: a message that is decided again because somebody else's write came first takes one place.
func TestDecidedAgainCountsOnce(t *testing.T) {
	g, log := newFaulty(t)
	r := g.room()
	body := r.message(r.a, "hello")
	log.conflicts.Store(3)
	require.Equal(t, 201, r.post(r.a, body).status)
	require.EqualValues(t, 3, g.node.Conflicts())
}
