package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Reader follows one room, or all rooms of an agent, behind a cursor. It holds no queue: it is woken by a one-slot
// signal, or a call that says no more than one, and then takes what lies behind its cursor, from the topics' rings while it keeps up and from the log when it
// does not. A Reader belongs to one goroutine; Close may be called from any.
type Reader struct {
	node  *Node
	agent string
	// only, if set, is the one room of the agent that is followed.
	only   string
	signal chan struct{}
	// woken, if set, is called in place of a signal.
	woken  func()
	cursor Position
	// place mirrors the cursor for others; room is the one room that is followed without an agent.
	place atomic.Uint64
	room  string
	// serves is whom the reader serves, nil: nobody, see Serve; caughtUp is up to where what it takes is no news.
	serves   *service
	caughtUp Position

	// subscribing guards subs and closed. It is taken before the hub's locks, mu after them.
	subscribing sync.Mutex
	subs        map[Stream]*subscription
	closed      bool

	// late tells that the hub will wake the reader when the head moves; the hub's lateMu guards it.
	late bool

	// mu guards the list of marked subscriptions and their spans.
	mu     sync.Mutex
	marked []*subscription
	spare  []*subscription
}

// subscription ties a reader to a topic.
type subscription struct {
	reader *Reader
	topic  *topic
	room   string
	// spans are the versions that an agent's reader may see; nil for a room's reader, which sees all.
	spans []Interval
	// silent subscriptions wake the reader and yield nothing.
	silent bool
	marked atomic.Bool
}

// mark puts the subscription on its reader's list. The flag and the list change together under the reader's lock: were
// the flag set first, the reader could see itself marked, find its list empty, and pass over what it was marked for.
func (s *subscription) mark() {
	if s.silent || s.marked.Load() {
		return
	}
	r := s.reader
	r.mu.Lock()
	defer r.mu.Unlock()
	if !s.marked.Load() {
		s.marked.Store(true)
		r.marked = append(r.marked, s)
	}
}

func (s *subscription) wake() { s.reader.wake() }

// visible tells whether the version lies in a time of membership. The join itself is not in it.
func (s *subscription) visible(version uint64) bool {
	if s.spans == nil {
		return true
	}
	for _, span := range s.spans {
		if version > span.From && (span.To == 0 || version < span.To) {
			return true
		}
	}
	return false
}

// NewRoomReader follows one room strictly after a position.
func (n *Node) NewRoomReader(room string, after Position) *Reader {
	r := n.newReader("", after)
	r.room = room
	r.subscribing.Lock()
	defer r.subscribing.Unlock()
	r.subscribe(RoomStream(room), &subscription{reader: r, room: room})
	return r
}

// NewAgentReader follows every room that the agent is, was or becomes a member of, strictly after a position and only
// while it is a member. The reader is also woken when the agent's own stream changes.
func (n *Node) NewAgentReader(agent string, after Position) *Reader {
	return n.followAgent(n.newReader(agent, after))
}

// NewAgentReaderFunc is NewAgentReader for a reader that nobody waits at: instead of a signal in Wake it calls woken, also
// before it returns. Whoever applies events calls it, so woken must return at once and must not use the reader.
func (n *Node) NewAgentReaderFunc(agent string, after Position, woken func()) *Reader {
	r := n.newReader(agent, after)
	r.signal, r.woken = nil, woken
	return n.followAgent(r)
}

func (n *Node) followAgent(r *Reader) *Reader {
	agent := r.agent
	n.hub.watch(agent, r)
	r.subscribing.Lock()
	r.subscribe(AgentStream(agent), &subscription{reader: r, silent: true})
	r.subscribing.Unlock()
	for room, spans := range n.index.spans(agent) {
		for _, span := range spans {
			r.setSpan(room, span)
		}
	}
	return r
}

func (n *Node) newReader(agent string, after Position) *Reader {
	r := &Reader{
		node: n, agent: agent, signal: make(chan struct{}, 1), cursor: after, subs: map[Stream]*subscription{},
	}
	r.place.Store(uint64(after))
	return r
}

// subscribe registers for the stream's wake-ups; everything already in the log is still to be read. r.subscribing is held.
func (r *Reader) subscribe(stream Stream, sub *subscription) {
	if r.closed {
		return
	}
	r.subs[stream] = sub
	topic := r.node.hub.subscribe(stream, sub)
	topic.startAt(r.node.index.head(stream))
	sub.mark()
	r.wake()
}

// setSpan sets a time of membership: one that begins, or the end of one known before.
func (r *Reader) setSpan(room string, span Interval) {
	if r.only != "" && r.only != room {
		return
	}
	r.subscribing.Lock()
	defer r.subscribing.Unlock()
	stream := RoomStream(room)
	sub := r.subs[stream]
	if sub == nil {
		r.subscribe(stream, &subscription{reader: r, room: room, spans: []Interval{span}})
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	spans := slices.Clone(sub.spans)
	if i := slices.IndexFunc(spans, func(s Interval) bool { return s.From == span.From }); i < 0 {
		spans = append(spans, span)
	} else if spans[i].To == 0 {
		// What was learnt from the index may be newer than what the tail still has to tell.
		spans[i] = span
	}
	sub.spans = spans
}

func (r *Reader) wake() {
	if r.woken != nil {
		r.woken()
		return
	}
	wake(r.signal)
}

// Wake has one slot: it holds a signal when there may be something new.
func (r *Reader) Wake() <-chan struct{} { return r.signal }

// Cursor is the position up to which everything was read.
func (r *Reader) Cursor() Position { return r.cursor }

// Seek moves the cursor; the next Read begins strictly after it.
func (r *Reader) Seek(p Position) {
	// What was taken once is no news when it is taken again.
	r.caughtUp = max(r.caughtUp, r.cursor)
	r.moveTo(p)
	r.subscribing.Lock()
	defer r.subscribing.Unlock()
	for _, s := range r.subs {
		s.mark()
	}
}

// Close ends the reader's subscriptions. It may be called more than once.
func (r *Reader) Close() {
	if r.agent != "" {
		r.node.hub.unwatch(r.agent, r)
	}
	r.node.serving.end(r)
	r.subscribing.Lock()
	defer r.subscribing.Unlock()
	r.closed = true
	for _, s := range r.subs {
		r.node.hub.unsubscribe(s.topic, s)
	}
	clear(r.subs)
}

// readPerStream bounds how many entries of one stream a Read takes when several streams have something.
const readPerStream = 64

// Read appends to into what lies behind the cursor, oldest first, about limit entries at most, and moves the cursor past
// it and past everything up to there that this reader does not see. Nothing appended means that the cursor is at the
// node's head. Where a record is damaged, everything before it is read first; then the error says where it lies, and
// PassDamage goes on behind it.
func (r *Reader) Read(ctx context.Context, limit int, into []*Entry) ([]*Entry, error) {
	limit = max(limit, 1)
	for {
		start := len(into)
		out, done, err := r.step(ctx, limit, into)
		if err != nil || done || len(out) > start {
			r.took(out[start:])
			return out, err
		}
	}
}

// step takes one bounded bite of every marked stream. done: the cursor has reached the head.
func (r *Reader) step(ctx context.Context, limit int, into []*Entry) (out []*Entry, done bool, err error) {
	head := r.node.Applied()
	marked := r.takeMarked()
	defer r.recycle(marked)
	if head <= r.cursor {
		// What lies beyond the cursor is beyond the head as well; what does not is read.
		r.putBack(slices.DeleteFunc(marked, func(s *subscription) bool { return s.topic.newest() <= r.cursor }), head)
		return into, true, nil
	}
	start, bound := len(into), head
	if len(marked) == 1 {
		into, bound, err = r.single(ctx, marked[0], head, limit, into)
	} else {
		into, bound, err = r.merge(ctx, marked, head, min(limit, readPerStream), into)
	}
	if err != nil {
		r.putBack(marked, head)
		return into[:start], false, err
	}
	again := slices.DeleteFunc(marked, func(s *subscription) bool { return bound == head && s.topic.newest() <= bound })
	r.moveTo(bound)
	r.putBack(again, head)
	return into, bound == head, nil
}

// awaitHead has the reader woken once the head has moved beyond the one it saw. Whoever publishes an event wakes the
// readers that he finds; one that came after that and knows of the event from the index sees to it here.
func (r *Reader) awaitHead(seen Position) {
	r.node.hub.wakeLater(r)
	if r.node.Applied() > seen {
		r.wake()
	}
}

// single takes a bite of the one stream that has something, the usual case, without anything in between.
func (r *Reader) single(ctx context.Context, sub *subscription, head Position, limit int, into []*Entry) ([]*Entry, Position, error) {
	start := len(into)
	into, more, err := r.bite(ctx, sub, head, limit, into)
	if err != nil {
		return into, 0, err
	}
	bound := head
	if more {
		bound = into[len(into)-1].Position
	}
	seen := into[:start]
	for _, e := range into[start:] {
		if !e.hollow() && r.sees(sub, e.Version) {
			seen = append(seen, e)
		}
	}
	return seen, bound, nil
}

// merge takes a bite of each stream and keeps what lies before the end of the shortest one, in log order.
func (r *Reader) merge(ctx context.Context, marked []*subscription, head Position, each int, into []*Entry) ([]*Entry, Position, error) {
	start, bound := len(into), head
	bites := make([][]*Entry, len(marked))
	for i, sub := range marked {
		bite, more, err := r.bite(ctx, sub, head, each, nil)
		if damage := damageBehind(r.cursor, err); damage != nil && damage.First > r.cursor+1 {
			// What other streams have before the damage is not held up by it.
			bound = min(bound, damage.First-1)
			continue
		}
		if err != nil {
			return into, 0, err
		}
		bites[i] = bite
		if more {
			bound = min(bound, bite[len(bite)-1].Position)
		}
	}
	for i, sub := range marked {
		for _, e := range bites[i] {
			if e.Position <= bound && !e.hollow() && r.sees(sub, e.Version) {
				into = append(into, e)
			}
		}
	}
	slices.SortFunc(into[start:], func(a, b *Entry) int {
		if a.Position < b.Position {
			return -1
		}
		return 1
	})
	return into, bound, nil
}

func (r *Reader) sees(sub *subscription, version uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sub.visible(version)
}

func (r *Reader) takeMarked() []*subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	marked := r.marked
	r.marked, r.spare = r.spare, nil
	for _, s := range marked {
		s.marked.Store(false)
	}
	return marked
}

// recycle keeps the list for the next step but one.
func (r *Reader) recycle(marked []*subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(marked)
	r.spare = marked[:0]
}

// putBack marks streams that have more, and sees to it that the reader is woken for them once the head has moved beyond
// the one it saw.
func (r *Reader) putBack(subs []*subscription, seen Position) {
	for _, s := range subs {
		s.mark()
	}
	if len(subs) > 0 {
		r.awaitHead(seen)
	}
}

// bite appends entries of one stream behind the cursor, up to head.
func (r *Reader) bite(ctx context.Context, sub *subscription, head Position, limit int, into []*Entry) (out []*Entry, more bool, err error) {
	sub.topic.mu.RLock()
	out, more, ok := sub.topic.ring.after(r.cursor, head, limit, into)
	sub.topic.mu.RUnlock()
	if ok {
		return out, more, nil
	}
	if c := r.node.loadedRoom(sub.room); c != nil {
		// A block that is damaged is read piece by piece below, up to the damage.
		out, more, ok, err = r.node.fromBlocks(c, r.cursor, head, limit, into)
		if ok || err != nil && !errors.Is(err, ErrCorrupt) {
			return out, more, err
		}
	}
	start := len(into)
	for rec, err := range r.node.log.Read(ctx, sub.topic.stream, r.cursor) {
		if err != nil && len(into) > start {
			// What comes before it is good; the next bite begins with the error.
			return into, true, nil
		}
		if err != nil {
			return into, false, fmt.Errorf("read %s: %w", sub.topic.stream, err)
		}
		if rec.Position > head {
			break
		}
		if len(into)-start == limit {
			return into, true, nil
		}
		if err := rec.decode(); err != nil {
			return into, false, err
		}
		into = append(into, &Entry{Recorded: rec})
	}
	return into, false, nil
}

func (t *topic) newest() Position {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.ring.newest()
}
