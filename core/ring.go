package core

import "sort"

const (
	// ringEntries and ringBytes bound what a topic keeps at hand; a reader that is further behind reads the log.
	ringEntries = 1024
	ringBytes   = 1 << 20
	// allRingBytes bounds the rings of all topics together: beyond it, each keeps a sixteenth.
	allRingBytes = 64 << 20
	// entryCost is what an entry takes beside its JSON.
	entryCost = 512
)

// ring keeps the newest entries of a stream.
type ring struct {
	entries []*Entry
	bytes   int
	// from is the position after which the ring holds every event of its stream; valid once something was pushed.
	from   Position
	filled bool
}

func costOf(e *Entry) int { return entryCost + 3*(len(e.Body)+len(e.Content)) }

func (r *ring) push(e *Entry) {
	if !r.filled {
		r.filled, r.from = true, e.Position-1
	}
	r.entries = append(r.entries, e)
	r.bytes += costOf(e)
	r.shrink(ringBytes)
}

// shrink drops the oldest entries until the rest fits; the newest stays.
func (r *ring) shrink(bytes int) {
	drop := 0
	for len(r.entries)-drop > 1 && (len(r.entries)-drop > ringEntries || r.bytes > bytes) {
		r.bytes -= costOf(r.entries[drop])
		r.from = r.entries[drop].Position
		r.entries[drop] = nil
		drop++
	}
	r.entries = r.entries[drop:]
}

// newest is the position of the newest event that the ring knows of, in it or before it.
func (r *ring) newest() Position {
	if len(r.entries) == 0 {
		return r.from
	}
	return r.entries[len(r.entries)-1].Position
}

// after returns up to limit entries after a position, up to and including a head; ok is false when some of them are no
// longer (or not yet) in the ring.
func (r *ring) after(p, head Position, limit int, into []*Entry) (out []*Entry, more, ok bool) {
	if !r.filled || p < r.from {
		return into, false, false
	}
	i := sort.Search(len(r.entries), func(i int) bool { return r.entries[i].Position > p })
	for ; i < len(r.entries) && r.entries[i].Position <= head; i++ {
		if limit == 0 {
			return into, true, true
		}
		into = append(into, r.entries[i])
		limit--
	}
	return into, false, true
}
