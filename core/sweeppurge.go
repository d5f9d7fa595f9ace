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

// runPurges is the goroutine that purges closed rooms whose time has come and destroys the content of purged ones. It is
// apart from the rest of the housekeeping, which must not wait for it. What a process left half-way is completed first.
func (n *Node) runPurges() {
	n.erasePurged()
	for {
		select {
		case <-n.purgeNow:
			n.sweepPurges()
			n.erasePurged()
		case <-n.ctx.Done():
			return
		}
	}
}

// sweepPurges purges the closed rooms whose time has come, also when nobody calls.
func (n *Node) sweepPurges() {
	now, purged := n.now(), 0
	for room, closed := range n.index.closedRooms() {
		if purged == purgeBatch || n.ctx.Err() != nil {
			return
		}
		if _, due := n.opts.Purge.due(closed, now, n.ActiveViewers(room) > 0); !due {
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
}

// erasePurged destroys the content of purged rooms wherever it lies. What fails is tried again with the next sweep; while
// somebody else reads the log's files, one room at a time is, since each holds up the log's writer for a moment.
func (n *Node) erasePurged() {
	var erased []string
	for _, room := range n.index.unerased() {
		err := n.eraseRoom(n.ctx, room)
		if n.ctx.Err() != nil {
			return
		}
		if err == nil {
			erased = append(erased, room)
			continue
		}
		n.zap.Warn("content of a purged room was not destroyed; it is tried again", zap.String("room", room), zap.Error(err))
		if errors.Is(err, ErrTraces) {
			break
		}
	}
	if len(erased) == 0 {
		return
	}
	if err := n.cleanIndex(n.ctx, erased); err != nil && n.ctx.Err() == nil {
		n.zap.Warn("the stored index may hold texts of purged rooms; it is tried again", zap.Error(err))
	}
}

// cleanIndex drops what the index kept of rooms whose content is gone. The stored one is replaced, with all its older
// copies, if there may be texts of theirs in it; it is large and holds none of most rooms.
func (n *Node) cleanIndex(ctx context.Context, rooms []string) error {
	n.savingIndex.Lock()
	defer n.savingIndex.Unlock()
	if texts := n.index.forgetErased(rooms); !texts || n.opts.Snapshots == nil {
		return nil
	}
	err := n.opts.Snapshots.Delete(ctx, indexName)
	if err == nil {
		err = n.storeIndex(ctx)
	}
	if err != nil {
		n.index.eraseAgain(rooms)
	}
	return err
}

// eraseRoom destroys a purged room's attachments, its log's content, what is cached of it, and the snapshot in which it
// stood. Repeating it changes nothing.
func (n *Node) eraseRoom(ctx context.Context, room string) error {
	sum, ok := n.index.summary(room)
	if !ok || sum.State != StatePurged {
		return nil
	}
	if n.opts.Media != nil {
		var errs []error
		for _, id := range n.index.mediaOf(room) {
			errs = append(errs, n.opts.Media.Delete(ctx, id))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	stream := RoomStream(room)
	traces := n.log.Erase(ctx, stream, sum.Head)
	if traces != nil && !errors.Is(traces, ErrTraces) {
		return traces
	}
	// What was read before that is dropped.
	n.blocks.forget(stream)
	if t := n.hub.lookup(stream); t != nil {
		t.forget()
	}
	return errors.Join(traces, n.dropSnapshot(ctx, room))
}

// dropSnapshot destroys the stored state of a purged room. A room that is read into memory from now on has the purge in it.
func (n *Node) dropSnapshot(ctx context.Context, room string) error {
	if n.opts.Snapshots == nil {
		return nil
	}
	n.mu.RLock()
	c := n.rooms[room]
	n.mu.RUnlock()
	if c != nil {
		c.saving.Lock()
		defer c.saving.Unlock()
	}
	return n.opts.Snapshots.Delete(ctx, "room/"+room)
}

// notePurged lets those go that watch a room which was purged. The tail calls it.
func (n *Node) notePurged(batch []Recorded) {
	for i := range batch {
		if room, ok := batch[i].Stream.RoomID(); ok && batch[i].Kind == RoomPurged {
			n.watching.ended(room)
		}
	}
}

// applyPurged forgets what people wrote, in the index, about a room and their work in it.
func (x *index) applyPurged(sum *Summary, rec *Recorded) {
	sum.PurgedAt = rec.At
	x.setEnding(sum)
	x.endGallery(sum.ID)
	x.dropHold(sum.ID, func(string, roleHold) bool { return true })
	x.textsStored = x.textsStored || sum.Description != ""
	sum.Description = ""
	if bare := sum.Listing.withoutTexts(); bare != sum.Listing {
		x.textsStored = x.textsStored || sum.Listing.Topic != ""
		sum.Listing = bare
	}
	for agent := range x.reports[sum.ID] {
		reports := x.s.Agents[agent].State.Runtime
		x.textsStored = x.textsStored || reports[sum.ID].Detail != "" || reports[sum.ID].Link != ""
		delete(reports, sum.ID)
	}
	delete(x.reports, sum.ID)
	x.purgedChanged = true
}

// noteReport remembers who reported about a room. A report that was on its way when the room was purged is dropped.
func (x *index) noteReport(agent, room string) {
	if sum := x.s.Rooms[room]; sum != nil && sum.State == StatePurged {
		delete(x.s.Agents[agent].State.Runtime, room)
		return
	}
	if x.reports[room] == nil {
		set(&x.reports, room, map[string]struct{}{})
	}
	x.reports[room][agent] = struct{}{}
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

// forgetErased drops what the index kept for rooms whose content is gone, and tells whether the stored index may hold
// texts of theirs.
func (x *index) forgetErased(rooms []string) (texts bool) {
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
	before := len(x.s.Media) + len(x.s.Keys)
	maps.DeleteFunc(x.s.Media, func(_ string, p mediaPlace) bool { return gone[p.Room] })
	maps.DeleteFunc(x.s.Keys, func(_, room string) bool { return gone[room] })
	texts = x.textsStored || len(x.s.Media)+len(x.s.Keys) < before
	x.textsStored = false
	return texts
}

// eraseAgain takes back that the content of rooms is gone.
func (x *index) eraseAgain(rooms []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.textsStored = true
	for _, room := range rooms {
		x.toErase[room] = struct{}{}
		if sum := x.s.Rooms[room]; sum != nil {
			sum.Erased = false
		}
	}
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
