package core

import (
	"time"

	"go.uber.org/zap"
)

// sessionSweep is the pace at which sessions that are over are forgotten; they are refused at once all the same.
const sessionSweep = 10 * time.Minute

// runSweep is the housekeeping goroutine: it ends lapsed leases, closes expired rooms and lets idle streams leave memory.
func (n *Node) runSweep() {
	ticker := time.NewTicker(n.opts.SweepEvery)
	defer ticker.Stop()
	last := n.now()
	sessions := last
	for {
		select {
		case <-ticker.C:
		case <-n.ctx.Done():
			return
		}
		// After a stall of the whole process every lease looks lapsed although its beats are waiting in the socket.
		stalled := n.now().Sub(last) > n.opts.SweepEvery*3/2
		last = n.now()
		if !stalled {
			n.sweepLeases()
		}
		n.sweepExpired()
		n.evictIdle()
		if last.Sub(sessions) >= sessionSweep {
			sessions = last
			n.sweepSessions()
		}
		last = n.now()
	}
}

func (n *Node) sweepLeases() {
	for _, b := range n.beats.lapsed() {
		c := &Connection{ID: b.id, Generation: b.generation}
		if err := n.closeConnection(n.ctx, b.agent, c, CauseLapsed); err != nil && n.ctx.Err() == nil {
			n.zap.Warn("lapsed connection was not closed", zap.String("agent", b.agent), zap.Error(err))
		}
		n.beats.closed(b.beatKey, b.generation)
	}
}

// sweepExpired closes rooms whose time to live has passed, also when nobody calls.
func (n *Node) sweepExpired() {
	for _, room := range n.index.expired(n.now()) {
		if _, err := n.Expire(n.ctx, room); err != nil && n.ctx.Err() == nil {
			n.zap.Warn("expired room was not closed", zap.String("room", room), zap.Error(err))
		}
	}
}

// adoptConnections gives the connections that were open on this node before a restart one lease of grace.
func (n *Node) adoptConnections() {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	for agent, entry := range n.index.s.Agents {
		for _, c := range entry.State.Connections {
			if c.Node == n.opts.NodeID {
				n.beats.adopt(agent, c)
			}
		}
	}
}

// sweepSessions forgets sessions that are over.
func (n *Node) sweepSessions() {
	now := n.now()
	x := n.index
	x.mu.Lock()
	defer x.mu.Unlock()
	for hash, s := range x.s.Sessions {
		if !now.Before(s.Until) {
			delete(x.s.Sessions, hash)
		}
	}
}
