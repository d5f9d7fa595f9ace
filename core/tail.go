package core

import (
	"errors"
	"fmt"

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
		for i := range batch {
			if err := n.applyOne(&batch[i]); err != nil {
				n.fail(err)
				return
			}
		}
		n.hub.markTouched()
		n.applied.Store(uint64(batch[len(batch)-1].Position))
		n.hub.wakeTouched()
		for _, c := range n.settled {
			wake(c)
		}
		n.settled = n.settled[:0]
		n.progress.moved()
		check()
		if n.opts.Snapshots != nil && n.applied.Load()-n.snapAt.Load() >= uint64(n.opts.SnapshotEvery) {
			wake(n.snapNow)
		}
	}
	if n.ctx.Err() == nil {
		n.fail(errors.New("tail of the log ended"))
	}
}

// applyOne brings one event to everything that is derived from the log: first what look-ups read, then the state behind
// which the command's caller waits, then the readers.
func (n *Node) applyOne(rec *Recorded) error {
	room, isRoom := rec.Stream.RoomID()
	var cell *cell[*Room]
	if isRoom {
		n.mu.RLock()
		cell = n.rooms[room]
		n.mu.RUnlock()
	}
	topic := n.hub.lookup(rec.Stream)
	if cell != nil || topic != nil || needsPayload(rec.Kind) {
		if err := rec.decode(); err != nil {
			return err
		}
	}
	if joined := n.index.apply(rec); joined != "" {
		n.hub.joined(joined, room, Interval{From: rec.Version})
	}
	switch {
	case cell != nil:
		cell.apply(rec)
	case isRoom:
	case rec.Stream == DirectoryStream:
		n.directory.apply(rec)
	default:
		if agent, ok := rec.Stream.AgentID(); ok {
			n.applyAgent(agent, rec)
		}
	}
	// The topic is looked up again: one that its readers have left meanwhile is nobody's any more, and one that was made
	// since the index has the event counts on getting it.
	topic = n.hub.lookup(rec.Stream)
	if topic != nil {
		if err := rec.decode(); err != nil {
			return err
		}
		topic.publish(rec)
	}
	return nil
}

func (n *Node) applyAgent(agent string, rec *Recorded) {
	// Leases first: the caller goes on as soon as the cell has the event.
	switch e := rec.Payload.(type) {
	case *ConnectionOpenedEvent:
		n.beats.opened(agent, e, n.opts.NodeID)
	case *ConnectionClosedEvent:
		n.beats.closed(beatKey{agent, e.ID}, e.Generation)
	}
	n.mu.RLock()
	cell := n.agents[agent]
	n.mu.RUnlock()
	if cell != nil {
		cell.apply(rec)
	}
}

// fail stops the node: without its tail it would answer from stale state.
func (n *Node) fail(err error) {
	n.zap.Error("node stopped", zap.Error(err))
	n.cancel(err)
}
