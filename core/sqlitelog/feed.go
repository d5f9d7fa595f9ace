package sqlitelog

import (
	"slices"
	"sync"

	"stele/core"
)

// feed hands committed events from the writer to the tails. It keeps the most recent commits, up to a bound, and knows
// nothing of how fast anybody reads: a tail asks for what follows its position and is told when that is no longer here.
type feed struct {
	maxEvents, maxBytes int

	// mu is held for memory accesses only.
	mu      sync.Mutex
	commits []commit // oldest first
	events  int
	bytes   int
	// floor is the last position that has left the feed; head the last one committed.
	floor, head core.Position
	tails       map[*waiter]struct{}
}

// commit is what one transaction wrote, never changed after it was published.
type commit struct {
	records []core.Recorded
	bytes   int
}

func (c commit) last() core.Position { return c.records[len(c.records)-1].Position }

// waiter is what a tail sleeps on: one slot, so that waking it twice is waking it once.
type waiter struct{ wake chan struct{} }

func newFeed(head core.Position, o Options) *feed {
	return &feed{
		maxEvents: o.RecentEvents, maxBytes: o.RecentBytes,
		floor: head, head: head,
		tails: make(map[*waiter]struct{}),
	}
}

// publish adds a commit and wakes the tails. The newest commit is kept whatever its size, for the tails that wait for it.
func (f *feed) publish(records []core.Recorded) {
	c := commit{records: records}
	for i := range records {
		c.bytes += size(&records[i])
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commits = append(f.commits, c)
	f.events += len(records)
	f.bytes += c.bytes
	f.head = c.last()
	for len(f.commits) > 1 && (f.events > f.maxEvents || f.bytes > f.maxBytes) {
		f.drop()
	}
	for w := range f.tails {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// drop lets go of the oldest commit.
func (f *feed) drop() {
	oldest := f.commits[0]
	f.commits[0] = commit{}
	f.commits = f.commits[1:]
	f.events -= len(oldest.records)
	f.bytes -= oldest.bytes
	f.floor = oldest.last()
}

// forget lets go of everything, so that tails read it from the file as it is now.
func (f *feed) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.commits) > 0 {
		f.drop()
	}
}

// after returns the first commit that follows a position, without what of it does not. There is none when the position
// is at the head; behind says that it has left the feed and must be read from the file.
func (f *feed) after(pos core.Position) (records []core.Recorded, behind bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if pos >= f.head {
		return nil, false
	}
	if pos < f.floor {
		return nil, true
	}
	i, _ := slices.BinarySearchFunc(f.commits, pos, func(c commit, pos core.Position) int {
		if c.last() <= pos {
			return -1
		}
		return 1
	})
	records = f.commits[i].records
	if first := records[0].Position; first <= pos {
		records = records[pos+1-first:]
	}
	return slices.Clip(records), false
}

func (f *feed) last() core.Position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head
}

func (f *feed) join() *waiter {
	w := &waiter{wake: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tails[w] = struct{}{}
	return w
}

func (f *feed) leave(w *waiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tails, w)
}
