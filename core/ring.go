package core

import "sort"

const (
	// ringEntries and ringBytes bound what a topic keeps at hand; a reader that is further behind reads the log.
	ringEntries = 1024
	ringBytes   = 1 << 20
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
	drop := 0
	for len(r.entries)-drop > 1 && (len(r.entries)-drop > ringEntries || r.bytes > ringBytes) {
		r.bytes -= costOf(r.entries[drop])
		r.from = r.entries[drop].Position
		r.entries[drop] = nil
		drop++
	}
	r.entries = r.entries[drop:]
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
