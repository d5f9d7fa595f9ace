package transport

import "sync"

// keepBytes is the capacity above which a buffer is not kept: a stream that once caught up with much does not hold that
// much for ever.
const keepBytes = 256 << 10

// Buffers lends the buffers in which streams gather what they write. A stream holds one only while it writes, so idle
// streams hold none. The zero value is ready for use; it must not be copied after first use.
type Buffers struct{ pool sync.Pool }

// Get returns an empty buffer.
func (b *Buffers) Get() *[]byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		*p = (*p)[:0]
		return p
	}
	p := make([]byte, 0, 4<<10)
	return &p
}

// Put takes a buffer back; the caller must not use it or its bytes afterwards.
func (b *Buffers) Put(p *[]byte) {
	if cap(*p) <= keepBytes {
		b.pool.Put(p)
	}
}
