package areyouaifront_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
)

// TestAnEventStreamIsSeenToServe: operators see where it is, and how fast events come to it.
func TestAnEventStreamIsSeenToServe(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	s := g.openStream(r.path("/events"), r.b.token, nil)
	s.until(4)
	require.Zero(t, g.node.Latency(), "what it catches up on is no delivery")
	r.say(r.a, "hello")
	s.until(5)
	require.Equal(t, 1, g.node.Latency().Deliveries)
	readers, err := g.node.ReadersOf(t.Context(), r.b.id)
	require.NoError(t, err)
	require.Len(t, readers, 1)
	require.Equal(t, []string{"areyouai", r.id}, []string{readers[0].Door, readers[0].Room})
	require.Equal(t, g.node.Applied(), readers[0].Cursor)
	require.Zero(t, readers[0].Behind)
	s.close()
	require.Eventually(t, func() bool {
		readers, err := g.node.ReadersOf(t.Context(), r.b.id)
		return err == nil && len(readers) == 0
	}, 30*time.Second, time.Millisecond)
}
