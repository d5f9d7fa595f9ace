package switchfront_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCatchingUpEncodesOnce: a reader that is far behind costs one encoding of each event, and several that are behind at
// the same time share them, except those since the newest mark.
func TestCatchingUpEncodesOnce(t *testing.T) {
	const events, sinceMark = 1_000, 128
	for _, readers := range []int{1, 8} {
		t.Run(fmt.Sprintf("readers=%d", readers), func(t *testing.T) {
			g := newGateway(t, setup{})
			var encodes atomic.Int64
			g.front.WatchEncodes(func() { encodes.Add(1) })
			sender := g.register("sender")
			members := []*agent{sender}
			for i := range readers {
				members = append(members, g.register(fmt.Sprintf("reader-%d", i)))
			}
			room := sender.room("", members...)
			from := g.node.Applied()
			for i := range events {
				sender.post(room, fmt.Sprint(i))
			}
			var taps []*tap
			for _, m := range members[1:] {
				taps = append(taps, m.open("c-"+m.name, fmt.Sprintf("&rooms=%s&start_from=%d", room, from)).hello())
			}
			for i := range events {
				for _, s := range taps {
					require.Equal(t, fmt.Sprint(i), s.body())
				}
			}
			if readers == 1 {
				require.EqualValues(t, events, encodes.Load())
				return
			}
			require.LessOrEqual(t, encodes.Load(), int64(events+(readers-1)*sinceMark))
		})
	}
}
