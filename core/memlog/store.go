package memlog

import (
	"slices"
	"sync"
	"time"

	"stele/core"
)

// logPrefix stands before the identity of a log.
const logPrefix = "log_"

// Sizes of chunks, in events. The first ones are small, so that a store with little in it costs little.
const (
	firstChunk   = 64
	largestChunk = 1024
)

// Store holds what was written. It is safe for concurrent use.
type Store struct {
	id   string
	drop bool

	peers registry

	// mu guards everything below. It is held for memory accesses only.
	mu      sync.RWMutex
	chunks  []chunk
	streams map[core.Stream]*index
	head    core.Position
	tails   map[*waiter]struct{}
}

// chunk is a run of records that follow each other.
type chunk struct {
	first   core.Position
	records []core.Recorded
}

// index lists the positions of one stream, rising.
type index struct {
	positions []core.Position
	// erased is up to where the stream was erased already.
	erased core.Position
}

func (x *index) last() core.Position {
	if x == nil || len(x.positions) == 0 {
		return 0
	}
	return x.positions[len(x.positions)-1]
}

// waiter is what a tail sleeps on: one slot, so that waking it twice is waking it once.
type waiter struct{ wake chan struct{} }

// NewStore makes an empty store with an identity of its own.
func NewStore(o Options) *Store {
	return &Store{
		id:      o.IDs.New(logPrefix, o.now()),
		drop:    o.DropPayload,
		streams: make(map[core.Stream]*index),
		tails:   make(map[*waiter]struct{}),
	}
}

// Open attaches a log to the store.
func (s *Store) Open() *Log {
	return &Log{store: s, closed: make(chan struct{})}
}

// append writes one atomic unit if the stream ends at last.
func (s *Store) append(stream core.Stream, last core.Position, events []core.Event) (core.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.streams[stream]
	if found := x.last(); found != last {
		return 0, &core.ConflictError{Stream: stream, Expected: last, Last: found}
	}
	if x == nil {
		x = &index{}
		s.streams[stream] = x
	}
	c := s.room(len(events))
	first := s.head + 1
	for i, e := range events {
		e.At = time.UnixMilli(e.At.UnixMilli()).UTC()
		pos := first + core.Position(i)
		c.records = append(c.records, core.Recorded{Event: e, Position: pos, Stream: stream})
		x.positions = append(x.positions, pos)
	}
	s.head += core.Position(len(events))
	for w := range s.tails {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	return first, nil
}

// room returns the chunk that the next n records go to, whole.
func (s *Store) room(n int) *chunk {
	size := firstChunk
	if k := len(s.chunks); k > 0 {
		c := &s.chunks[k-1]
		if cap(c.records)-len(c.records) >= n {
			return c
		}
		size = min(2*cap(c.records), largestChunk)
	}
	s.chunks = append(s.chunks, chunk{first: s.head + 1, records: make([]core.Recorded, 0, max(size, n))})
	return &s.chunks[len(s.chunks)-1]
}

// chunkOf returns the index of the chunk that holds a position, which must exist.
func (s *Store) chunkOf(pos core.Position) int {
	i, found := slices.BinarySearchFunc(s.chunks, pos, func(c chunk, pos core.Position) int {
		switch {
		case c.first < pos:
			return -1
		case c.first > pos:
			return 1
		}
		return 0
	})
	if found {
		return i
	}
	return i - 1
}

// after returns a view of what follows a position, up to the end of its chunk; nil when nothing does.
func (s *Store) after(pos core.Position) []core.Recorded {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if pos >= s.head {
		return nil
	}
	c := s.chunks[s.chunkOf(pos+1)]
	return slices.Clip(c.records[pos+1-c.first:])
}

func (s *Store) record(pos core.Position) core.Recorded {
	c := s.chunks[s.chunkOf(pos)]
	r := c.records[pos-c.first]
	if s.drop {
		r.Payload = nil
	}
	return r
}

// erase destroys the content of a stream up to a position.
func (s *Store) erase(stream core.Stream, upTo core.Position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.streams[stream]
	if x == nil || upTo <= x.erased {
		return
	}
	copied := -1
	for _, pos := range x.positions[x.countUpTo(x.erased):x.countUpTo(upTo)] {
		i := s.chunkOf(pos)
		c := &s.chunks[i]
		if i != copied {
			c.records = append(make([]core.Recorded, 0, cap(c.records)), c.records...)
			copied = i
		}
		r := &c.records[pos-c.first]
		if len(r.Content) > 0 || len(r.Receipt) > 0 {
			r.Content, r.Receipt, r.Payload, r.Erased = nil, nil, nil, true
		}
	}
	x.erased = min(upTo, x.last())
}

// countUpTo returns how many positions of the stream are at or before one.
func (x *index) countUpTo(pos core.Position) int {
	n, found := slices.BinarySearch(x.positions, pos)
	if found {
		n++
	}
	return n
}

func (s *Store) join() *waiter {
	w := &waiter{wake: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tails[w] = struct{}{}
	return w
}

func (s *Store) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tails, w)
}
