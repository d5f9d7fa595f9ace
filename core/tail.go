package core

import (
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"
)

// runTail is the one goroutine that changes state: it applies every event of the log in log order, and after each batch
// wakes the readers. caughtUp is closed once everything up to head is applied.
func (n *Node) runTail(after, head Position, caughtUp chan struct{}) {
	reached := false
	check := func() {
		if !reached && Position(n.applied.Load()) >= head {
			reached = true
			close(caughtUp)
		}
	}
	check()
	for batch, err := range n.log.Tail(n.ctx, after) {
		if err != nil {
			n.fail(fmt.Errorf("tail of the log: %w", err))
			return
		}
		if err := n.applyBatch(batch); err != nil {
			n.fail(err)
			return
		}
		check()
		if n.opts.Snapshots != nil && n.applied.Load()-n.snapAt.Load() >= uint64(n.opts.SnapshotEvery) {
			wake(n.snapNow)
		}
	}
	if n.ctx.Err() == nil {
		n.fail(errors.New("tail of the log ended"))
	}
}

// applyBatch brings a batch to everything that is derived from the log. A batch holds whole units (but for one longer than the
// log keeps together while a reader catches up), and each of its steps takes all of it at once, so nobody sees half of what a command did:
//
//  1. the rooms in memory and the directory, so that whoever learns of something from a look-up finds it there;
//  2. the index, which look-ups read;
//  3. the agents in memory, whose states are taken from the index when they are needed: one that is taken before this has
//     no event of the batch and is found here, one that is taken later has them all;
//  4. the topics: members that came or went first, then the events;
//  5. who writes a message at the moment;
//  6. the node's head, and with it everybody who waits.
func (n *Node) applyBatch(batch []Recorded) error {
	if n.Shared() {
		// What a log hands to several nodes is not one node's to decode into.
		batch = slices.Clone(batch)
	}
	for i := range batch {
		rec := &batch[i]
		if needsPayload(rec) || n.inMemory(rec.Stream) {
			if err := rec.decode(); err != nil {
				return err
			}
		}
	}
	eachRun(batch, n.applyRun)
	changes, err := n.index.apply(batch)
	if err != nil {
		return err
	}
	n.noteDeparted(batch, changes)
	eachRun(batch, n.applyAgentRun)
	for _, c := range changes {
		n.hub.memberChanged(c)
	}
	for i := range batch {
		rec := &batch[i]
		// Only now is the topic looked up: a reader that subscribes after the index has an event reads it from the log, one
		// that had subscribed before is found here.
		topic := n.hub.lookup(rec.Stream)
		if topic == nil {
			continue
		}
		if err := rec.decode(); err != nil {
			return err
		}
		topic.publish(rec)
	}
	n.noteTyping(batch)
	n.notePurged(batch)
	n.traffic.note(batch)
	n.hub.markTouched()
	n.applied.Store(uint64(batch[len(batch)-1].Position))
	n.hub.wakeTouched()
	n.wakeRekeyed(batch)
	n.wakeTold()
	for _, c := range n.settled {
		wake(c)
	}
	n.settled = n.settled[:0]
	n.progress.moved()
	return nil
}

// inMemory tells whether a stream's events must be decoded although the index does not need to see inside them.
func (n *Node) inMemory(s Stream) bool {
	if n.hub.lookup(s) != nil {
		return true
	}
	id, ok := s.RoomID()
	if !ok {
		return true
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.rooms[id] != nil
}

// eachRun calls fn with the runs of events of one stream. The units of a batch lie one after the other, so a unit is
// never split.
func eachRun(batch []Recorded, fn func(run []Recorded)) {
	for start := 0; start < len(batch); {
		end := start + 1
		for end < len(batch) && batch[end].Stream == batch[start].Stream {
			end++
		}
		fn(batch[start:end])
		start = end
	}
}

func (n *Node) applyRun(run []Recorded) {
	stream := run[0].Stream
	if stream == DirectoryStream {
		n.directory.apply(run)
		return
	}
	if id, ok := stream.RoomID(); ok {
		n.mu.RLock()
		c := n.rooms[id]
		n.mu.RUnlock()
		if c != nil {
			c.apply(run)
		}
	}
}

func (n *Node) applyAgentRun(run []Recorded) {
	id, ok := run[0].Stream.AgentID()
	if !ok {
		n.applyViewersRun(run)
		return
	}
	// Leases first: the caller goes on as soon as the agent's state has the event.
	for i := range run {
		switch e := run[i].Payload.(type) {
		case *ConnectionOpenedEvent:
			n.beats.opened(id, e, n.opts.NodeID)
		case *ConnectionClosedEvent:
			n.beats.closed(beatKey{id, e.ID}, e.Generation)
		}
	}
	n.mu.RLock()
	c := n.agents[id]
	n.mu.RUnlock()
	if c != nil {
		c.apply(run)
	}
}

// fail stops the node: without its tail it would answer from stale state.
func (n *Node) fail(err error) {
	n.zap.Error("node stopped", zap.Error(err))
	n.cancel(err)
}
