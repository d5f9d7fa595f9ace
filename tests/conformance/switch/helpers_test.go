package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sortedRooms is a list of rooms as the wire has it.
func sortedRooms(rooms ...string) []any {
	slices.Sort(rooms)
	out := []any{}
	for _, r := range rooms {
		out = append(out, r)
	}
	return out
}

// anys makes a list comparable with one from JSON.
func anys[T any](values ...T) []any {
	out := []any{}
	for _, v := range values {
		out = append(out, v)
	}
	return out
}

// ttl is the life of a connection without a beat.
const ttl = 6 * time.Second

// waitFor waits until something holds that nothing tells of.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, patience, 50*time.Millisecond, what)
}

// later waits for time itself to pass, as leases need it.
func later(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
		require.Fail(t, "the test has ended")
	}
}
