package switchfront_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStormsAreSlowed: two processes with one connection id evict each other for ever and reopen within milliseconds.
// After a few takeovers the answer to the next is delayed.
func TestStormsAreSlowed(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{})
	var mu sync.Mutex
	var slept []time.Duration
	g.front.SetStormClock(clock.Now, func(_ context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		slept = append(slept, d)
		return nil
	})
	a, b := g.register("alice"), g.register("bob")
	for range 5 {
		a.open("c-1", "").hello()
	}
	require.Empty(t, slept, "a client that reopens a few times is not slowed")
	a.open("c-1", "").hello()
	a.open("c-1", "").hello()
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, slept)
	b.open("c-2", "").hello()
	a.open("c-3", "").hello()
	require.Len(t, slept, 2, "only the id in question is slowed")
	for range 8 {
		a.open("c-1", "").hello()
	}
	refused, err := a.tryOpen("c-1", "")
	require.NoError(t, err)
	require.Equal(t, 409, refused.status)
	require.Contains(t, refused.refusal, "c-1")
	require.NotContains(t, refused.refusal, "is not open")
	require.Len(t, slept, 10, "no open waits for longer than ten seconds")
	clock.Advance(20 * time.Second)
	a.open("c-1", "").hello()
	require.Len(t, slept, 10, "and none once the id has come to rest")
}

// TestStormEndsWithItsClient: an open that waits takes no turn with it when its client gives up.
func TestStormEndsWithItsClient(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{})
	gone := errors.New("client has gone")
	var slept []time.Duration
	g.front.SetStormClock(clock.Now, func(_ context.Context, d time.Duration) error {
		slept = append(slept, d)
		return gone
	})
	a := g.register("alice")
	for range 5 {
		a.open("c-1", "").hello()
	}
	for range 3 {
		s, err := a.tryOpen("c-1", "")
		require.NoError(t, err)
		require.Equal(t, 500, s.status)
	}
	require.Equal(t, []time.Duration{time.Second, time.Second, time.Second}, slept)
}

// TestStormGuardForgets: ids that have been quiet take no memory.
func TestStormGuardForgets(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{})
	g.front.SetStormClock(clock.Now, func(context.Context, time.Duration) error { return nil })
	for round := range 40 {
		a := g.register(fmt.Sprintf("agent-%d", round))
		var taps []*tap
		for i := range 16 {
			id := fmt.Sprintf("c-%d-%d", round, i)
			a.open(id, "").hello()
			taps = append(taps, a.open(id, "").hello())
		}
		for _, s := range taps {
			s.close()
		}
		clock.Advance(10 * time.Second)
		for i := range 16 {
			eventually(t, "streams end", func() bool {
				return g.do("POST", a.path("/connection/beat"), a.key, fmt.Sprintf(`{"connection_id":"c-%d-%d"}`, round, i)).status != 200
			})
		}
		require.LessOrEqual(t, g.front.StormEntries(), 300)
	}
}
