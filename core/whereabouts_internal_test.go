package core

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestNodesOfConnectionsAreCounted: the count that follows the events is the one that looking at every connection gives.
func TestNodesOfConnectionsAreCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := newIndex(DeliveryLife)
		for i := range rapid.IntRange(1, 40).Draw(rt, "events") {
			agent := rapid.SampledFrom([]string{"alice", "bob"}).Draw(rt, "agent")
			id := agent + rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "connection")
			var payload Payload = &ConnectionClosedEvent{ID: id, Generation: 1}
			if rapid.Bool().Draw(rt, "opens") {
				payload = &ConnectionOpenedEvent{ID: id, Generation: 1, Node: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "node")}
			}
			x.apply([]Recorded{{Stream: AgentStream(agent), Position: Position(i + 1), Event: Event{Version: uint64(i + 1), Payload: payload}}})
		}
		counted := maps.Clone(x.atNode)
		x.relink()
		if !maps.Equal(counted, x.atNode) {
			rt.Fatalf("counted %v, there are %v", counted, x.atNode)
		}
		for node, count := range x.atNode {
			if got := len(x.connectionsAt(node)); got != count {
				rt.Fatalf("node %s has %d connections, counted %d", node, got, count)
			}
		}
		if others := x.otherNodes("a"); len(others) != len(x.atNode)-min(x.atNode["a"], 1) {
			rt.Fatalf("nodes but a of %v: %v", x.atNode, others)
		}
	})
	require.Empty(t, newIndex(DeliveryLife).otherNodes("a"))
}
