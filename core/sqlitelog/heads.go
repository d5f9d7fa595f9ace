package sqlitelog

import "stele/core"

// streamHead is what the writer knows of a stream. The zero value is a stream that nothing was written to.
type streamHead struct {
	id   int64
	last core.Position
}

// heads remembers the streams that were written to lately. It has two generations: what is looked up moves to the young
// one, and when that is half the bound the old one is forgotten. So the bound holds without a list to keep in order.
type heads struct {
	limit      int
	young, old map[core.Stream]*streamHead
}

func newHeads(limit int) *heads {
	h := &heads{limit: limit}
	h.clear()
	return h
}

func (h *heads) get(stream core.Stream) (*streamHead, bool) {
	if s, ok := h.young[stream]; ok {
		return s, true
	}
	s, ok := h.old[stream]
	if ok {
		h.put(stream, s)
	}
	return s, ok
}

func (h *heads) put(stream core.Stream, s *streamHead) {
	if len(h.young) >= max(1, h.limit/2) {
		h.old, h.young = h.young, make(map[core.Stream]*streamHead)
	}
	h.young[stream] = s
}

func (h *heads) clear() {
	h.young, h.old = make(map[core.Stream]*streamHead), nil
}
