package core

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// delivered is a reader of a node without a log, and what it took.
func delivered() (*Reader, []*Entry) {
	n := &Node{opts: Options{}.withDefaults()}
	r := n.newReader("", 0)
	r.Serve("agt_1", "switch", "c-1")
	entries := make([]*Entry, 64)
	for i := range entries {
		entries[i] = &Entry{Recorded: Recorded{Event: Event{Kind: MessagePosted, At: time.Now()}, Position: Position(i + 1)}}
	}
	return r, entries
}

// TestNotingTrafficAllocatesNothing: whatever is measured, it is on the way of every event.
func TestNotingTrafficAllocatesNothing(t *testing.T) {
	r, entries := delivered()
	require.Zero(t, testing.AllocsPerRun(100, func() { r.took(entries) }))
	require.NotZero(t, r.node.Latency().Deliveries)
	batch := make([]Recorded, len(entries))
	for i, e := range entries {
		batch[i] = e.Recorded
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { r.node.traffic.note(batch) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { r.moveTo(7) }))
}

// BenchmarkTook is what a delivery costs beside its delivery, for readers that take one event or many at a time.
func BenchmarkTook(b *testing.B) {
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprintf("entries=%d", size), func(b *testing.B) {
			r, entries := delivered()
			b.ReportAllocs()
			for b.Loop() {
				r.took(entries[:size])
			}
		})
	}
}
