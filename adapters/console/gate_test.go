package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func testGate(o Options) (g *gate, advance func(time.Duration)) {
	var since atomic.Int64
	begin := time.Now()
	now := func() time.Time { return begin.Add(time.Duration(since.Load())) }
	return newGate(now, o.withDefaults()), func(d time.Duration) { since.Add(int64(d)) }
}

func fail(t *testing.T, g *gate, address, name string) {
	t.Helper()
	a, err := g.enterWithPassword(t.Context(), address, name)
	require.NoError(t, err)
	a.failed()
	a.leave()
}

func TestFailuresCountPerAddressAndPerNameForAWhile(t *testing.T) {
	g, advance := testGate(Options{SignInsPerIP: 4, SignInsPerName: 2})
	for range 2 {
		fail(t, g, "192.0.2.1", "olga")
	}
	_, err := g.enterWithPassword(t.Context(), "192.0.2.2", "olga")
	require.ErrorIs(t, err, errTooManySignIns, "whatever the address")
	for range 2 {
		fail(t, g, "192.0.2.1", "karl")
	}
	_, err = g.enterWithPassword(t.Context(), "192.0.2.1", "nora")
	require.ErrorIs(t, err, errTooManySignIns, "whatever the name")
	_, err = g.enterWithToken(t.Context(), "192.0.2.1")
	require.ErrorIs(t, err, errTooManySignIns)
	advance(signInSpan + time.Second)
	a, err := g.enterWithPassword(t.Context(), "192.0.2.1", "olga")
	require.NoError(t, err)
	a.leave()
	require.NotContains(t, g.failures, "ip 192.0.2.1", "what is over is forgotten")
}

// TestAttemptsAtTheSameMomentAreNotMore: the bound holds also for those that were let in before any of them had failed.
func TestAttemptsAtTheSameMomentAreNotMore(t *testing.T) {
	const limit = 6
	g, _ := testGate(Options{SignInsPerIP: 1000, SignInsPerName: limit})
	var tried atomic.Int64
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			a, err := g.enterWithPassword(t.Context(), fmt.Sprint("192.0.2.", i), "olga")
			if err != nil {
				return
			}
			tried.Add(1)
			a.failed()
			a.leave()
		})
	}
	all.Wait()
	require.LessOrEqual(t, tried.Load(), int64(limit))
	require.Positive(t, tried.Load())
	require.Empty(t, g.trying)
	require.Empty(t, g.places)

	g, _ = testGate(Options{SignInsPerIP: 1000, SignInsPerName: 2})
	for range 2 {
		_, err := g.enterWithPassword(t.Context(), "192.0.2.1", "olga")
		require.NoError(t, err)
	}
	_, err := g.enterWithPassword(t.Context(), "192.0.2.1", "olga")
	require.ErrorIs(t, err, errTooManySignIns, "those who are at it may all fail")
}

func TestTheGateRemembersABoundedAmount(t *testing.T) {
	g, advance := testGate(Options{})
	fail(t, g, "192.0.2.1", "the first")
	advance(time.Second)
	long := strings.Repeat("x", 10<<10)
	for i := range maxGateKeys {
		fail(t, g, fmt.Sprint("host ", i), long[i:])
	}
	require.Equal(t, g.recent.Len(), len(g.failures))
	require.LessOrEqual(t, len(g.failures), maxGateKeys)
	for key := range g.failures {
		require.Less(t, len(key), 100, "what visitors send is not kept")
	}
	require.NotContains(t, g.failures, "ip 192.0.2.1", "what failed longest ago is forgotten first")
}

func TestFewPasswordsAreHashedAtOnce(t *testing.T) {
	g, _ := testGate(Options{SignInsPerIP: 1000, SignInsPerName: 1000})
	var inside []*attempt
	for i := range hashesAtOnce {
		a, err := g.enterWithPassword(t.Context(), "192.0.2.1", fmt.Sprint("name ", i))
		require.NoError(t, err)
		inside = append(inside, a)
	}
	a, err := g.enterWithToken(t.Context(), "192.0.2.1")
	require.NoError(t, err, "a token needs no hashing, and waits for none")
	a.leave()

	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := g.enterWithPassword(ctx, "192.0.2.1", "waits")
		left <- err
	}()
	hashed := make(chan error)
	go func() { hashed <- g.hash(ctx, func() error { return errors.New("hashed beyond the bound") }) }()
	select {
	case err := <-left:
		t.Fatalf("it was let in beyond the bound: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	require.ErrorIs(t, <-left, context.Canceled, "a request that has ended waits no longer")
	require.ErrorIs(t, <-hashed, context.Canceled)

	go func() {
		a, err := g.enterWithPassword(t.Context(), "192.0.2.1", "waits")
		if err == nil {
			a.leave()
		}
		left <- err
	}()
	inside[0].leave()
	require.NoError(t, <-left)
	for _, a := range inside[1:] {
		a.leave()
	}
	require.Empty(t, g.places)
	require.Empty(t, g.trying)
}

func TestStreamsAreBounded(t *testing.T) {
	g, _ := testGate(Options{StreamsPerUser: 2, WatchersPerIP: 2, WatchersPerRoom: 3})
	leave, ok := g.openStream("usr_1")
	require.True(t, ok)
	_, ok = g.openStream("usr_1")
	require.True(t, ok)
	_, ok = g.openStream("usr_1")
	require.False(t, ok)
	_, ok = g.openStream("usr_2")
	require.True(t, ok)
	leave()
	_, ok = g.openStream("usr_1")
	require.True(t, ok)

	watch := func(address, room string) bool {
		_, ok := g.openWatch(address, room)
		return ok
	}
	require.True(t, watch("a", "r") && watch("a", "s") && !watch("a", "t"), "per address")
	require.True(t, watch("b", "r") && watch("c", "r") && !watch("d", "r"), "per room")
	require.True(t, watch("d", "s"))
}
