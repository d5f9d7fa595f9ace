package core

import (
	"container/list"
	"context"
	"fmt"
	"sync"
)

// blockBytes bounds what readers that fell behind share of the log, over all rooms.
const blockBytes = 32 << 20

// blocks caches pieces of rooms' histories for readers that are too far behind for the rings: the events between two
// neighbouring marks. Readers that catch up through the same piece read, decode and encode it once.
type blocks struct {
	mu    sync.Mutex
	byKey map[blockKey]*list.Element
	order *list.List
	bytes int
}

// blockKey names the events after version number·markEvery of a stream, markEvery of them.
type blockKey struct {
	stream Stream
	number uint64
}

type block struct {
	blockKey
	ready   chan struct{}
	entries []*Entry
	err     error
	bytes   int
}

func newBlocks() *blocks { return &blocks{byKey: map[blockKey]*list.Element{}, order: list.New()} }

// get returns a block, loaded by whoever asks first.
func (c *blocks) get(key blockKey, load func() ([]*Entry, error)) ([]*Entry, error) {
	c.mu.Lock()
	if el, ok := c.byKey[key]; ok {
		c.order.MoveToFront(el)
		c.mu.Unlock()
		b := el.Value.(*block)
		<-b.ready
		return b.entries, b.err
	}
	b := &block{blockKey: key, ready: make(chan struct{})}
	c.byKey[key] = c.order.PushFront(b)
	c.mu.Unlock()
	b.entries, b.err = load()
	close(b.ready)
	c.loaded(b)
	return b.entries, b.err
}

// loaded counts a block in and drops the least used ones beyond the bound; a failed one is forgotten.
func (c *blocks) loaded(b *block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[b.blockKey]; !ok || el.Value.(*block) != b {
		// It was dropped while it was loaded.
		return
	}
	if b.err != nil {
		c.drop(b.blockKey)
		return
	}
	for _, e := range b.entries {
		b.bytes += costOf(e)
	}
	c.bytes += b.bytes
	for el := c.order.Back(); el != nil && c.bytes > blockBytes; {
		prev := el.Prev()
		if old := el.Value.(*block); old.bytes > 0 {
			c.drop(old.blockKey)
		}
		el = prev
	}
}

func (c *blocks) drop(key blockKey) {
	if el, ok := c.byKey[key]; ok {
		c.bytes -= el.Value.(*block).bytes
		c.order.Remove(el)
		delete(c.byKey, key)
	}
}

// fromBlocks appends entries of a room in memory behind a cursor, up to head and at most limit of them, out of shared
// blocks. ok is false when the cursor lies in the newest, unfinished block.
func (n *Node) fromBlocks(c *cell[*Room], cursor, head Position, limit int, into []*Entry) (out []*Entry, more, ok bool, err error) {
	start := len(into)
	for len(into)-start < limit {
		c.mu.RLock()
		m := c.marks.before(func(m mark) bool { return m.Position <= cursor })
		version, last := c.live.Version, c.head
		c.mu.RUnlock()
		count := VersionCount(m.Version)
		if count%markEvery != 0 || count+markEvery > VersionCount(version) {
			break
		}
		key := blockKey{c.stream, count / markEvery}
		entries, err := n.blocks.get(key, func() ([]*Entry, error) { return n.loadBlock(c.stream, m.Position) })
		if err != nil {
			return into, false, false, err
		}
		for _, e := range entries {
			if e.Position > head || len(into)-start == limit {
				return into, len(into) > start, true, nil
			}
			if e.Position > cursor {
				into = append(into, e)
				cursor = e.Position
			}
		}
		more, ok = last > cursor, true
	}
	return into, more, ok, nil
}

func (n *Node) loadBlock(stream Stream, after Position) ([]*Entry, error) {
	out := make([]*Entry, 0, markEvery)
	for rec, err := range n.log.Read(n.ctx, stream, after) {
		if err != nil {
			return nil, err
		}
		if err := rec.decode(); err != nil {
			return nil, err
		}
		if out = append(out, &Entry{Recorded: rec}); len(out) == markEvery {
			return out, nil
		}
	}
	return nil, fmt.Errorf("%s has only %d events after position %d: %w", stream, len(out), after, context.Cause(n.ctx))
}
