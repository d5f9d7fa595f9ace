package switchfront_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
	"stele/core"
)

// TestRestingStreamsEndAtOnce: streams that nothing else would wake for an hour end when the front is drained, and when
// the node stops.
func TestRestingStreamsEndAtOnce(t *testing.T) {
	for name, end := range map[string]func(g *gateway){
		"drain":         func(g *gateway) { g.front.Drain() },
		"end of a node": func(g *gateway) { require.NoError(g.t, g.node.Close(context.Background())) },
	} {
		t.Run(name, func(t *testing.T) {
			const streams = 30
			g := newGateway(t, setup{node: core.Options{LeaseTTL: time.Hour}, front: switchfront.Options{KeepAlive: never}})
			members := []*agent{g.register("sender")}
			for i := range streams {
				members = append(members, g.register(fmt.Sprintf("reader-%d", i)))
			}
			room := members[0].room("", members...)
			var taps []*tap
			for _, m := range members[1:] {
				taps = append(taps, m.open("c-"+m.name, "&rooms="+room).hello())
			}
			members[0].post(room, "hello")
			for _, s := range taps {
				require.Equal(t, "hello", s.body())
			}
			end(g)
			for _, s := range taps {
				s.ended()
			}
		})
	}
}
