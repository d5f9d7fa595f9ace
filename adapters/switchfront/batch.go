package switchfront

import "stele/core"

// batch is what a stream needs while it is at work: what it read and what it is going to write. It is lent for one turn,
// so idle streams hold none.
type batch struct {
	entries []*core.Entry
	out     []byte
}

// keepBytes is the capacity above which a batch's buffer is given up.
const keepBytes = 256 << 10

// reset forgets the contents, so that a batch that is not in use keeps no event in memory.
func (b *batch) reset() *batch {
	clear(b.entries[:cap(b.entries)])
	b.entries = b.entries[:0]
	if b.out = b.out[:0]; cap(b.out) > keepBytes {
		b.out = nil
	}
	return b
}

// Bounds of one turn. A stream whose client reads nothing holds one turn's worth of frames, so the number of events
// adapts to their size.
const (
	minBatch   = 8
	firstBatch = 64
	maxBatch   = 256
	batchBytes = 1 << 20
)

// batchSize chooses how many events a turn reads. The zero value begins with firstBatch.
type batchSize struct{ next int }

func (s *batchSize) limit() int {
	if s.next == 0 {
		return firstBatch
	}
	return s.next
}

// learn adapts to a turn of that many events which made that many bytes.
func (s *batchSize) learn(events, bytes int) {
	if events == 0 {
		return
	}
	s.next = min(max(batchBytes*events/max(bytes, 1), minBatch), maxBatch)
}
