package core

import (
	"context"
	"sync"
	"sync/atomic"
)

// folded is a state that events fold to.
type folded[S any] interface {
	Apply(rec *Recorded)
	Clone() S
	version() uint64
}

func (r *Room) version() uint64       { return r.Version }
func (a *AgentState) version() uint64 { return a.Version }
func (d *Directory) version() uint64  { return d.Version }

// cell is one stream in memory: its state as of the newest event that the tail applied, and the queue of commands that
// wait to be decided.
type cell[S folded[S]] struct {
	node   *Node
	stream Stream

	// mu guards the fields below it. Only the tail (and loading, before that) writes them.
	mu       sync.RWMutex
	live     S
	head     Position
	marks    marks
	receipts map[string]Receipt
	loading  bool
	pending  []Recorded

	// ready is closed when loading is over; loadErr says how it ended.
	ready   chan struct{}
	loadErr error

	// applied has one slot: the tail signals it after a batch that changed the state is behind the node's head.
	applied chan struct{}
	queue   queue[S]

	// saving is held while a snapshot of the state is stored, so that none from before a purge is stored after it.
	saving   sync.Mutex
	pins     atomic.Int32
	lastUsed atomic.Int64
	// saved is the version of the newest stored snapshot.
	saved atomic.Uint64
}

func newCell[S folded[S]](n *Node, stream Stream, live S, head Position) *cell[S] {
	c := &cell[S]{
		node: n, stream: stream, live: live, head: head,
		receipts: map[string]Receipt{}, ready: make(chan struct{}), applied: make(chan struct{}, 1),
	}
	c.lastUsed.Store(n.now().UnixMilli())
	return c
}

// view runs fn with the state. fn must not keep it, change it, or block.
func (c *cell[S]) view(fn func(S)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fn(c.live)
}

// apply folds records of the tail in, all at once. While the cell loads, they wait.
func (c *cell[S]) apply(run []Recorded) {
	c.mu.Lock()
	if c.loading {
		c.pending = append(c.pending, run...)
	} else {
		for i := range run {
			c.fold(&run[i])
		}
	}
	c.mu.Unlock()
	c.node.settled = append(c.node.settled, c.applied)
}

// fold applies a record that is newer than what was applied; c.mu is held.
func (c *cell[S]) fold(rec *Recorded) {
	if rec.Position <= c.head {
		return
	}
	c.live.Apply(rec)
	c.head = rec.Position
	c.marks.add(rec)
	if rec.Kind == RoomPurged {
		// The log is about to lose them too.
		clear(c.receipts)
	}
	if r, ok := receiptOf(rec); ok {
		c.receipts[r.scope()] = r
	}
}

// settle ends loading: what the tail brought meanwhile is applied now, unless loading failed: then the cell is of no use
// and gone from the node.
func (c *cell[S]) settle(err error) {
	c.mu.Lock()
	c.loading = false
	for i := range c.pending {
		if err == nil {
			c.fold(&c.pending[i])
		}
	}
	c.pending = nil
	c.loadErr = err
	c.mu.Unlock()
	close(c.ready)
}

// awaitReady waits until loading is over.
func (c *cell[S]) awaitReady(ctx context.Context) error {
	select {
	case <-c.ready:
		return c.loadErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

// awaitHead waits until the tail has applied everything up to a position of this stream, so that whoever is answered
// then finds it also behind the node's head.
func (c *cell[S]) awaitHead(ctx context.Context, p Position) error {
	for c.node.Applied() < p {
		select {
		case <-c.applied:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *cell[S]) unpin() {
	c.lastUsed.Store(c.node.now().UnixMilli())
	c.pins.Add(-1)
}

// wake puts a signal into a one-slot channel; one that is there already serves for both.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
