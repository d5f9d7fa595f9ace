package core

import (
	"sync"
	"sync/atomic"
)

// Slot is a place for one encoding of an event. A front takes one per form in which it shows events and keeps it.
type Slot int

// maxSlots bounds how many forms there are: three fronts with a few forms each.
const maxSlots = 16

// Entry is an event as readers get it, shared by all of them. Its encodings are made once.
type Entry struct {
	Recorded
	mu    sync.Mutex
	forms [maxSlots]atomic.Pointer[[]byte]
}

// Encoded returns the form in a slot, made by encode on first use. The bytes are shared and must not be changed.
func (e *Entry) Encoded(slot Slot, encode func(*Entry) []byte) []byte {
	if b := e.forms[slot].Load(); b != nil {
		return *b
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.forms[slot].Load(); b != nil {
		return *b
	}
	b := encode(e)
	e.forms[slot].Store(&b)
	return b
}

// hub brings applied events to the readers: a topic per stream that somebody reads.
type hub struct {
	mu     sync.RWMutex
	topics map[Stream]*topic
	feeds  map[string]map[*Reader]struct{}

	// touched are topics with something new since the last flush; it belongs to the tail.
	touched []*topic
	// late are readers to be woken once the head has moved.
	lateMu sync.Mutex
	late   []*Reader
	// ringBytes is what all rings hold.
	ringBytes atomic.Int64
	slots     atomic.Int32
}

func newHub() *hub {
	return &hub{topics: map[Stream]*topic{}, feeds: map[string]map[*Reader]struct{}{}}
}

// NewSlot reserves a place for one encoding. It panics when more than the compiled-in number of forms is asked for.
func (n *Node) NewSlot() Slot {
	s := n.hub.slots.Add(1) - 1
	if s >= maxSlots {
		panic("core: too many encodings")
	}
	return Slot(s)
}

func (h *hub) lookup(s Stream) *topic {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.topics[s]
}

// subscribe adds a reader to a stream's topic, making the topic if it is the first.
func (h *hub) subscribe(s Stream, sub *subscription) *topic {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[s]
	if t == nil {
		t = newTopic(h, s)
		h.topics[s] = t
	}
	sub.topic = t
	t.mu.Lock()
	t.subs[sub] = struct{}{}
	t.silent = t.silent && sub.silent
	t.mu.Unlock()
	return t
}

// unsubscribe removes a reader; a topic without readers goes away with its ring.
func (h *hub) unsubscribe(t *topic, sub *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.mu.Lock()
	delete(t.subs, sub)
	empty := len(t.subs) == 0
	t.mu.Unlock()
	if empty && h.topics[t.stream] == t {
		delete(h.topics, t.stream)
		t.mu.Lock()
		h.ringBytes.Add(-int64(t.ring.bytes))
		t.ring = ring{}
		t.mu.Unlock()
	}
}

// markTouched tells every reader of a topic that got something which of its streams that was. It comes before the tail
// moves its head, so that a reader which sees the head knows of everything up to it.
func (h *hub) markTouched() {
	for _, t := range h.touched {
		t.each((*subscription).mark)
	}
}

// wakeTouched wakes the same readers after the head was moved.
func (h *hub) wakeTouched() {
	for i, t := range h.touched {
		t.touched = false
		t.each((*subscription).wake)
		h.touched[i] = nil
	}
	h.touched = h.touched[:0]
	h.lateMu.Lock()
	late := h.late
	h.late = nil
	for _, r := range late {
		r.late = false
	}
	h.lateMu.Unlock()
	for _, r := range late {
		r.wake()
	}
}

// watch registers an agent's reader so that rooms it joins later are added to it.
func (h *hub) watch(agent string, r *Reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	set(&h.feeds, agent, addTo(h.feeds[agent], r))
}

func addTo(s map[*Reader]struct{}, r *Reader) map[*Reader]struct{} {
	if s == nil {
		s = map[*Reader]struct{}{}
	}
	s[r] = struct{}{}
	return s
}

func (h *hub) unwatch(agent string, r *Reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.feeds[agent], r)
	if len(h.feeds[agent]) == 0 {
		delete(h.feeds, agent)
	}
}

// memberChanged tells the readers of an agent of a room that it may see from now on, or no longer. The tail calls it
// before it publishes the events.
func (h *hub) memberChanged(c memberChange) {
	h.mu.RLock()
	readers := make([]*Reader, 0, len(h.feeds[c.agent]))
	for r := range h.feeds[c.agent] {
		readers = append(readers, r)
	}
	h.mu.RUnlock()
	for _, r := range readers {
		r.setSpan(c.room, c.span)
	}
}

// wakeLater has a reader woken after the head was moved the next time: it knows of an event that the head does not cover
// yet.
func (h *hub) wakeLater(r *Reader) {
	h.lateMu.Lock()
	defer h.lateMu.Unlock()
	if !r.late {
		r.late = true
		h.late = append(h.late, r)
	}
}

// topic holds the newest events of one stream and the readers that want to be woken.
type topic struct {
	hub    *hub
	stream Stream

	mu   sync.RWMutex
	subs map[*subscription]struct{}
	ring ring
	// silent: all its readers only want to be woken, so nothing is kept for them.
	silent bool
	// touched tells that the topic is in hub.touched; it belongs to the tail.
	touched bool
}

func newTopic(h *hub, s Stream) *topic {
	return &topic{hub: h, stream: s, subs: map[*subscription]struct{}{}, silent: true}
}

// publish adds an event to the ring. Readers are woken at the next flush.
func (t *topic) publish(rec *Recorded) {
	t.mu.Lock()
	if !t.silent && len(t.subs) > 0 {
		before := t.ring.bytes
		t.ring.push(&Entry{Recorded: *rec})
		if t.hub.ringBytes.Add(int64(t.ring.bytes-before)) > allRingBytes {
			before = t.ring.bytes
			t.ring.shrink(ringBytes / 16)
			t.hub.ringBytes.Add(int64(t.ring.bytes - before))
		}
	}
	t.mu.Unlock()
	if !t.touched {
		t.touched = true
		t.hub.touched = append(t.hub.touched, t)
	}
}

func (t *topic) each(fn func(*subscription)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for sub := range t.subs {
		fn(sub)
	}
}

// startAt says that everything after a position is going to be published; it counts only before the first event.
func (t *topic) startAt(p Position) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ring.filled {
		t.ring.filled, t.ring.from = true, p
	}
}
