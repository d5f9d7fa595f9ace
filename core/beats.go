package core

import (
	"container/list"
	"sync"
	"time"
)

// beats is the node's table of heartbeats: which of the connections whose stream lives here were heard of, and when. It
// is not logged; after a restart every connection gets one lease of grace. All leases are equally long, so the order of
// the last beats is the order of lapsing, and a sweep touches only what has lapsed.
type beats struct {
	// now is the clock as it is read. Rounded, as the node's is, it would lack the monotonic reading, and leases would age by
	// how somebody sets the clock, or while the machine sleeps.
	now func() time.Time
	ttl time.Duration
	// pulse tells whether the process runs: real time, whatever the node takes for now.
	pulse func() time.Time

	mu sync.Mutex
	// pulsed is when the table was looked at last, and stood how long in all the process has stood still.
	pulsed time.Time
	stood  time.Duration

	byKey map[beatKey]*list.Element
	order *list.List
	// looked counts the entries that sweeps have looked at.
	looked int
}

type beatKey struct{ agent, id string }

type beat struct {
	beatKey
	generation int
	// last is when it was heard of, and stood what had been stood still by then.
	last  time.Time
	stood time.Duration
	// attached is the generation whose stream is attached, 0 for none.
	attached int
	// cursor is how far the stream has written; sure is how far the client is taken to have read, and checked is a place
	// on the way there, with the time at which it was written.
	cursor, sure, checked Position
	checkedAt             time.Time
	// movedAt is when the cursor moved last.
	movedAt time.Time
}

// settle is how long after a write the client is taken to have read it, while its stream is still attached. What a
// client that went away had not read is still in the sockets between.
const settle = time.Second

// advance moves what is sure.
func (e *beat) advance(now time.Time) {
	if e.attached != e.generation {
		return
	}
	if now.Sub(e.movedAt) >= settle {
		// A quiet stream has no next write that would confirm its last one.
		e.sure, e.checked, e.checkedAt = max(e.sure, e.cursor), e.cursor, now
		return
	}
	if now.Sub(e.checkedAt) >= settle {
		e.sure = max(e.sure, e.checked)
		e.checked, e.checkedAt = e.cursor, now
	}
}

func newBeats(now func() time.Time, ttl time.Duration) *beats {
	return &beats{now: now, ttl: ttl, pulse: time.Now, byKey: map[beatKey]*list.Element{}, order: list.New()}
}

// A process that does not run hears no beats, so its leases do not age meanwhile (docs/decisions/0032). It stood still
// when nobody looked at the table for longer than stillAfter, which is when the protocol's sweep takes the server for
// stalled; somebody looks every pulseEvery.
const (
	stillAfter = 3 * time.Second
	pulseEvery = time.Second
)

// lock begins every look at the table.
func (b *beats) lock() {
	b.mu.Lock()
	at := b.pulse()
	if still := at.Sub(b.pulsed); still > stillAfter && !b.pulsed.IsZero() {
		b.stood += still
	}
	b.pulsed = at
}

// look notices whether the process stood still.
func (b *beats) look() {
	b.lock()
	defer b.mu.Unlock()
}

// heard notes a sign of life; b.mu is held.
func (b *beats) heard(e *beat) { e.last, e.stood = b.now(), b.stood }

// age is how much of its lease a connection has used up; b.mu is held.
func (b *beats) age(e *beat) time.Duration { return b.now().Sub(e.last) - (b.stood - e.stood) }

// runPulse looks at the table so often that a standstill of the process is noticed, and nothing else is taken for one.
func (n *Node) runPulse() {
	ticker := time.NewTicker(pulseEvery)
	defer ticker.Stop()
	for {
		n.beats.look()
		select {
		case <-ticker.C:
		case <-n.ctx.Done():
			return
		}
	}
}

// opened begins a lease, or ends the one held here when the stream moved to another node.
func (b *beats) opened(agent string, e *ConnectionOpenedEvent, self string) {
	b.lock()
	defer b.mu.Unlock()
	key := beatKey{agent, e.ID}
	if e.Node != self {
		b.remove(key)
		return
	}
	el, ok := b.byKey[key]
	if !ok {
		el = b.order.PushBack(&beat{beatKey: key})
		b.byKey[key] = el
	}
	entry := el.Value.(*beat)
	entry.generation = e.Generation
	b.heard(entry)
	entry.cursor, entry.sure, entry.checked, entry.checkedAt = e.Cursor, e.Cursor, e.Cursor, b.now()
	b.order.MoveToBack(el)
}

// adopt gives a connection that was open before a restart one lease of grace.
func (b *beats) adopt(agent string, c *Connection) {
	b.lock()
	defer b.mu.Unlock()
	key := beatKey{agent, c.ID}
	if _, ok := b.byKey[key]; !ok {
		entry := &beat{beatKey: key, generation: c.Generation, cursor: c.Cursor, sure: c.Cursor}
		b.heard(entry)
		b.byKey[key] = b.order.PushBack(entry)
	}
}

func (b *beats) closed(key beatKey, generation int) {
	b.lock()
	defer b.mu.Unlock()
	if el, ok := b.byKey[key]; ok && el.Value.(*beat).generation <= generation {
		b.remove(key)
	}
}

func (b *beats) remove(key beatKey) {
	if el, ok := b.byKey[key]; ok {
		b.order.Remove(el)
		delete(b.byKey, key)
	}
}

// get returns the entry of a connection whose lease has not lapsed; b.mu is held.
func (b *beats) get(key beatKey) *beat {
	el, ok := b.byKey[key]
	if !ok {
		return nil
	}
	entry := el.Value.(*beat)
	if b.age(entry) >= b.ttl {
		return nil
	}
	return entry
}

// beatResult is what a beat found.
type beatResult int

const (
	beatGone beatResult = iota
	beatNoStream
	beatOK
)

// beat renews a lease. A reported cursor only moves forward and never beyond head. A refused beat renews nothing.
func (b *beats) beat(key beatKey, cursor, head Position) (beatResult, Position) {
	b.lock()
	defer b.mu.Unlock()
	entry := b.get(key)
	if entry == nil {
		return beatGone, 0
	}
	if entry.attached != entry.generation {
		return beatNoStream, 0
	}
	b.heard(entry)
	reported := min(cursor, head)
	entry.cursor, entry.sure = max(entry.cursor, reported), max(entry.sure, reported)
	b.order.MoveToBack(b.byKey[key])
	return beatOK, entry.cursor
}

func (b *beats) alive(key beatKey) bool {
	b.lock()
	defer b.mu.Unlock()
	return b.get(key) != nil
}

func (b *beats) left(key beatKey) time.Duration {
	b.lock()
	defer b.mu.Unlock()
	el, ok := b.byKey[key]
	if !ok {
		return 0
	}
	return b.ttl - b.age(el.Value.(*beat))
}

// read returns how far the client of a live connection has surely read.
func (b *beats) read(key beatKey) (Position, bool) {
	b.lock()
	defer b.mu.Unlock()
	if entry := b.get(key); entry != nil {
		entry.advance(b.now())
		return entry.sure, true
	}
	return 0, false
}

// attach notes that the stream of a generation serves the connection, detach that it ended; a newer stream's attachment
// is never undone by an older one.
func (b *beats) attach(key beatKey, generation int) {
	b.update(key, func(e *beat) {
		if generation == e.generation {
			e.attached = generation
		}
	})
}

func (b *beats) detach(key beatKey, generation int) {
	b.update(key, func(e *beat) {
		if e.attached == generation {
			e.advance(b.now())
			e.attached = 0
		}
	})
}

// moved notes how far a stream has written.
func (b *beats) moved(key beatKey, generation int, cursor Position) {
	b.update(key, func(e *beat) {
		if e.attached == generation {
			e.advance(b.now())
			if cursor > e.cursor {
				e.cursor, e.movedAt = cursor, b.now()
			}
		}
	})
}

func (b *beats) update(key beatKey, fn func(*beat)) {
	b.lock()
	defer b.mu.Unlock()
	if el, ok := b.byKey[key]; ok {
		fn(el.Value.(*beat))
	}
}

// lapsed returns the connections whose lease is over, without touching the others.
func (b *beats) lapsed() []beat {
	b.lock()
	defer b.mu.Unlock()
	var out []beat
	for el := b.order.Front(); el != nil; el = el.Next() {
		entry := el.Value.(*beat)
		b.looked++
		if b.age(entry) < b.ttl {
			break
		}
		out = append(out, *entry)
	}
	return out
}
