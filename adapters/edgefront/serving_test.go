package edgefront_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestASocketIsSeenToServe: operators see where it is, and how fast events come to it.
func TestASocketIsSeenToServe(t *testing.T) {
	g := newGateway(t, patient())
	ada, bob := g.register("ada"), g.register("bob")
	room := g.room("ops", nil, ada, bob)
	g.post(room, bob, "before")
	l := g.attach("/agents/ada/"+room, bob.key)
	require.Zero(t, g.node.Latency(), "what it begins with is no delivery")
	g.post(room, ada, "hello")
	l.until("hello")
	require.Equal(t, 1, g.node.Latency().Deliveries)
	readers, err := g.node.ReadersOf(t.Context(), bob.ID)
	require.NoError(t, err)
	require.Len(t, readers, 1)
	require.Equal(t, []string{"edge", room}, []string{readers[0].Door, readers[0].Room})
	require.Zero(t, readers[0].Behind)
	require.NoError(t, l.conn.CloseNow())
	require.Eventually(t, func() bool {
		readers, err := g.node.ReadersOf(t.Context(), bob.ID)
		return err == nil && len(readers) == 0
	}, patience, time.Millisecond)
}
