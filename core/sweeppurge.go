package core

import (
	"context"
	"errors"
	"maps"
	"time"

	"go.uber.org/zap"
)

const (
	// purgeSweep is the pace at which closed rooms are looked at, and purgeBatch how many are purged at most each time
	// (areyouai: a sweep every 15 s over at most 200 rooms).
	purgeSweep = 15 * time.Second
	purgeBatch = 200
)

// closedRooms are the rooms that closed with content that is to be destroyed one day, and when.
func (x *index) closedRooms() map[string]time.Time {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return maps.Clone(x.closed)
}

// unerased lists purged rooms of which this node does not know that their content is gone.
func (x *index) unerased() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]string, 0, len(x.toErase))
	for room := range x.toErase {
		out = append(out, room)
	}
	return out
}

// sweepPurges purges the closed rooms whose time has come, then erases the content of those that are purged: also of those
// that were purged before the process ended half-way.
func (n *Node) sweepPurges() {
	now, purged := n.now(), 0
	for room, closed := range n.index.closedRooms() {
		if _, due := n.opts.Purge.due(closed, now, n.ActiveViewers(room) > 0); !due || purged == purgeBatch {
			continue
		}
		if _, err := n.Purge(n.ctx, room); err != nil {
			if n.ctx.Err() == nil && !unwritable(err) {
				n.zap.Warn("room was not purged", zap.String("room", room), zap.Error(err))
			}
			continue
		}
		purged++
	}
	n.erasePurged()
}

// erasePurged destroys the content of purged rooms wherever it lies.
func (n *Node) erasePurged() {
	rooms := n.index.unerased()
	erased := rooms[:0]
	for _, room := range rooms {
		err := n.eraseRoom(n.ctx, room)
		if err == nil {
			erased = append(erased, room)
			continue
		}
		if n.ctx.Err() != nil {
			return
		}
		n.zap.Warn("content of a purged room was not destroyed; it is tried again", zap.String("room", room), zap.Error(err))
	}
	if len(erased) == 0 {
		return
	}
	// What the index holds of them, in its snapshot too, is only what stays.
	n.index.forgetErased(erased)
	if err := n.saveIndex(n.ctx); err != nil && n.ctx.Err() == nil {
		n.zap.Warn("snapshot of the index failed", zap.Error(err))
	}
}

// eraseRoom destroys a purged room's attachments, its log's content, what is cached of it, and the snapshot in which it
// stood. Repeating it changes nothing.
func (n *Node) eraseRoom(ctx context.Context, room string) error {
	c, err := n.roomCell(ctx, room)
	if err != nil {
		return err
	}
	defer c.unpin()
	c.mu.RLock()
	purged, head := c.live.State == StatePurged, c.head
	c.mu.RUnlock()
	if !purged {
		return nil
	}
	// The attachments first: their names stand in what is erased next.
	if n.opts.Media != nil {
		var errs []error
		for _, id := range n.index.mediaOf(room) {
			errs = append(errs, n.opts.Media.Delete(ctx, id))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	if err := n.log.Erase(ctx, c.stream, head); err != nil {
		return err
	}
	n.dropCached(c)
	if n.opts.Snapshots == nil {
		return nil
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	return n.opts.Snapshots.Delete(ctx, "room/"+room)
}

// dropCached forgets the entries of a stream that were read before its content was erased.
func (n *Node) dropCached(c *cell[*Room]) {
	c.mu.Lock()
	clear(c.receipts)
	c.mu.Unlock()
	n.blocks.forget(c.stream)
	if t := n.hub.lookup(c.stream); t != nil {
		t.forget()
	}
}

// mediaOf lists the attachments of a room's messages.
func (x *index) mediaOf(room string) (ids []string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for id, place := range x.s.Media {
		if place.Room == room {
			ids = append(ids, id)
		}
	}
	return ids
}

// forgetErased drops what the index kept for rooms whose content is gone.
func (x *index) forgetErased(rooms []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	gone := map[string]bool{}
	for _, room := range rooms {
		gone[room] = true
		delete(x.toErase, room)
		if sum := x.s.Rooms[room]; sum != nil {
			sum.Erased = true
		}
	}
	maps.DeleteFunc(x.s.Media, func(_ string, p mediaPlace) bool { return gone[p.Room] })
	maps.DeleteFunc(x.s.Keys, func(_, room string) bool { return gone[room] })
}

// forget drops a stream's cached pieces of history.
func (c *blocks) forget(stream Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for el := c.order.Front(); el != nil; {
		next := el.Next()
		if b := el.Value.(*block); b.stream == stream {
			c.drop(b.blockKey)
		}
		el = next
	}
}

// forget drops what the topic keeps at hand; its readers go on from the log.
func (t *topic) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.ring.newest(); t.ring.filled {
		t.hub.ringBytes.Add(-int64(t.ring.bytes))
		t.ring = ring{filled: true, from: n}
	}
}
