package core

import (
	"context"
	"fmt"
	"maps"
	"time"

	"go.uber.org/zap"

	"stele/internal/strictjson"
)

// indexSnapshot is what is stored of the directory and the projection of the whole log.
type indexSnapshot struct {
	Directory     *Directory `json:"directory"`
	DirectoryHead Position   `json:"directory_head"`
	Index         indexState `json:"index"`
}

const indexName = "index"

// loadIndex starts from the newest snapshot of the index; without a good one, from nothing.
func (n *Node) loadIndex(ctx context.Context) {
	var s indexSnapshot
	at, ok := n.loadSnapshot(ctx, indexName, indexFormat, &s)
	if !ok || s.Directory == nil || s.Index.At != at {
		// What is stored under that name and cannot be used is not known to be free of what was purged.
		n.index.textsStored = n.opts.Snapshots != nil
		return
	}
	s.Directory.reindex()
	n.directory.live, n.directory.head = s.Directory, s.DirectoryHead
	x := newIndex(n.opts.Lives.Delivery)
	if s.Index.Rooms != nil {
		x.s.Rooms = s.Index.Rooms
	}
	if s.Index.Members != nil {
		x.s.Members = s.Index.Members
	}
	if s.Index.Sessions != nil {
		x.s.Sessions = s.Index.Sessions
	}
	if s.Index.Keys != nil {
		x.s.Keys = s.Index.Keys
	}
	x.s.Leases, x.s.Media = s.Index.Leases, s.Index.Media
	x.s.Inboxes, x.s.Outboxes, x.s.Galleries = s.Index.Inboxes, s.Index.Outboxes, s.Index.Galleries
	if s.Index.Agents != nil {
		x.s.Agents = s.Index.Agents
	}
	x.s.At = at
	x.relink()
	n.index = x
	n.applied.Store(uint64(at))
	n.snapAt.Store(uint64(at))
}

// saveIndex stores the index as of a position at which directory and projection agree.
func (n *Node) saveIndex(ctx context.Context) error {
	if n.opts.Snapshots == nil {
		return nil
	}
	n.savingIndex.Lock()
	defer n.savingIndex.Unlock()
	return n.storeIndex(ctx)
}

// storeIndex does it while n.savingIndex is held.
func (n *Node) storeIndex(ctx context.Context) error {
	n.directory.mu.RLock()
	n.index.mu.RLock()
	// The directory may be a batch ahead of the index, never behind: what it has already, it will not take again.
	s := indexSnapshot{
		Directory: n.directory.live.Clone(), DirectoryHead: n.directory.head, Index: n.index.s.clone(),
	}
	n.index.mu.RUnlock()
	n.directory.mu.RUnlock()
	at := s.Index.At
	data, err := strictjson.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode snapshot of the index: %w", err)
	}
	return n.opts.Snapshots.Save(ctx, indexName, Snapshot{Log: n.log.ID(), Format: indexFormat, At: at, Data: data})
}

// clone copies what the tail changes in place, so that the copy can be encoded while the tail goes on.
func (s *indexState) clone() indexState {
	c := indexState{
		At: s.At, Rooms: make(map[string]*Summary, len(s.Rooms)), Sessions: maps.Clone(s.Sessions), Keys: maps.Clone(s.Keys),
		Leases: maps.Clone(s.Leases), Media: maps.Clone(s.Media),
		Members: make(map[string]map[string][]*Interval, len(s.Members)),
		Agents:  make(map[string]*agentEntry, len(s.Agents)),
	}
	for id, r := range s.Rooms {
		copied := *r
		c.Rooms[id] = &copied
	}
	for agent, rooms := range s.Members {
		c.Members[agent] = make(map[string][]*Interval, len(rooms))
		for room, spans := range rooms {
			for _, span := range spans {
				copied := *span
				c.Members[agent][room] = append(c.Members[agent][room], &copied)
			}
		}
	}
	for agent, entry := range s.Agents {
		c.Agents[agent] = &agentEntry{State: entry.State.Clone(), Head: entry.Head}
	}
	for agent, b := range s.Inboxes {
		set(&c.Inboxes, agent, b.clone())
	}
	for webhook, o := range s.Outboxes {
		set(&c.Outboxes, webhook, o.clone())
	}
	for room, entry := range s.Galleries {
		set(&c.Galleries, room, &galleryEntry{State: entry.State.Clone(), Head: entry.Head})
	}
	return c
}

// runSnapshots stores the index when the tail asks for it, and rooms in use as they grow.
func (n *Node) runSnapshots() {
	for {
		select {
		case <-n.snapNow:
		case <-n.ctx.Done():
			return
		}
		// The next attempt comes after as many events again, also when this one fails.
		n.snapAt.Store(n.applied.Load())
		if err := n.saveIndex(n.ctx); err != nil && n.ctx.Err() == nil {
			n.zap.Warn("snapshot of the index failed", zap.Error(err))
		}
		n.saveGrown(n.ctx, roomSnapshotEvery)
	}
}

// saveGrown stores the rooms in memory that got at least that many events since their last snapshot.
func (n *Node) saveGrown(ctx context.Context, events uint64) {
	n.mu.RLock()
	cells := make([]*cell[*Room], 0, len(n.rooms))
	for _, c := range n.rooms {
		cells = append(cells, c)
	}
	n.mu.RUnlock()
	for _, c := range cells {
		if ctx.Err() != nil {
			return
		}
		if err := n.saveRoom(ctx, c, events); err != nil && ctx.Err() == nil {
			n.zap.Warn("snapshot of a room failed", zap.String("stream", string(c.stream)), zap.Error(err))
		}
	}
}

func (n *Node) saveRoom(ctx context.Context, c *cell[*Room], events uint64) error {
	if n.opts.Snapshots == nil {
		return nil
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.RLock()
	if c.loading || c.live.Version < c.saved.Load()+events {
		c.mu.RUnlock()
		return nil
	}
	id, version, at := c.live.ID, c.live.Version, c.head
	s := roomSnapshot{Room: c.live.Clone(), Marks: c.marks.clone(), Receipts: maps.Clone(c.receipts)}
	c.mu.RUnlock()
	data, err := strictjson.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode snapshot of room %s: %w", id, err)
	}
	if err := n.opts.Snapshots.Save(ctx, "room/"+id, Snapshot{
		Log: n.log.ID(), Format: roomFormat, At: at, Data: data,
	}); err != nil {
		return err
	}
	c.saved.Store(version)
	return nil
}

// saveAll stores everything that changed, at the end of a node's life.
func (n *Node) saveAll(ctx context.Context) {
	if err := n.saveIndex(ctx); err != nil {
		n.zap.Warn("snapshot of the index failed", zap.Error(err))
	}
	n.saveGrown(ctx, minSnapshotEvents)
}

// minSnapshotEvents: a room with fewer new events than this is as quickly read from the log.
const minSnapshotEvents = 64

// evictIdle lets streams leave memory that nobody reads, commands or pins.
func (n *Node) evictIdle() {
	limit := n.now().Add(-n.opts.IdleAfter)
	n.mu.RLock()
	var idle []*cell[*Room]
	for _, c := range n.rooms {
		if idleSince(c, limit) {
			idle = append(idle, c)
		}
	}
	n.mu.RUnlock()
	for _, c := range idle {
		if err := n.saveRoom(n.ctx, c, minSnapshotEvents); err != nil {
			continue
		}
		n.mu.Lock()
		if idleSince(c, limit) {
			id, _ := c.stream.RoomID()
			delete(n.rooms, id)
		}
		n.mu.Unlock()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, c := range n.agents {
		if idleSince(c, limit) {
			delete(n.agents, id)
		}
	}
	for id, c := range n.galleries {
		if idleSince(c, limit) {
			delete(n.galleries, id)
		}
	}
}

func idleSince[S folded[S]](c *cell[S], limit time.Time) bool {
	return c.pins.Load() == 0 && c.lastUsed.Load() < limit.UnixMilli()
}
