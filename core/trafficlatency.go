package core

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// deliveriesKept is over how many deliveries the latency is told.
const deliveriesKept = 4096

// Latency is the time from the decision of an event to its being taken by a reader that serves a client, see [Reader.Serve],
// over the newest deliveries of this node, at most 4096. What a reader catches up on does not count. Times of events are
// whole milliseconds, so each may be told up to one too long.
type Latency struct {
	Deliveries int
	// Half of the deliveries took at most Median, 95 of 100 at most P95.
	Median, P95 time.Duration
}

// deliveries keeps the newest latencies in microseconds. Whoever reads takes its places with one addition and allocates
// nothing.
type deliveries struct {
	next   atomic.Uint64
	micros [deliveriesKept]atomic.Uint32
}

// took notes what a serving reader has just taken.
func (r *Reader) took(entries []*Entry) {
	if r.serves == nil || len(entries) == 0 || entries[len(entries)-1].Position <= r.caughtUp {
		return
	}
	for entries[0].Position <= r.caughtUp {
		entries = entries[1:]
	}
	now, d := r.node.opts.Now(), &r.node.deliveries
	end := d.next.Add(uint64(len(entries)))
	at := end - uint64(len(entries))
	for _, e := range entries {
		late := min(max(now.Sub(e.At).Microseconds(), 0), math.MaxUint32)
		d.micros[at%deliveriesKept].Store(uint32(late))
		at++
	}
}

// Latency tells how fast events come to those who read.
func (n *Node) Latency() Latency {
	d := &n.deliveries
	count := int(min(d.next.Load(), deliveriesKept))
	if count == 0 {
		return Latency{}
	}
	all := make([]uint32, count)
	for i := range all {
		all[i] = d.micros[i].Load()
	}
	slices.Sort(all)
	at := func(share int) time.Duration { return time.Duration(all[(count-1)*share/100]) * time.Microsecond }
	return Latency{Deliveries: count, Median: at(50), P95: at(95)}
}
