package core

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"
)

// sessionSweep is the pace at which sessions that are over are forgotten; they are refused at once all the same.
const sessionSweep = 10 * time.Minute

// sweeper is the housekeeping between two rounds.
type sweeper struct {
	node *Node
	// last is the end of the newest round; sessions, media and purges are when they were looked at last.
	last, sessions, media, purges time.Time
	// missing are the nodes that did not answer, with the time at which that was noticed.
	missing map[string]time.Time
}

// runSweep is the housekeeping goroutine: it ends lapsed leases, closes expired rooms and lets idle streams leave memory.
func (n *Node) runSweep() {
	ticker := time.NewTicker(n.opts.SweepEvery)
	defer ticker.Stop()
	s := &sweeper{node: n, last: n.now(), sessions: n.now(), missing: map[string]time.Time{}}
	n.endDeparted(n.ctx)
	for {
		select {
		case <-ticker.C:
			s.round()
		case <-n.ctx.Done():
			return
		}
	}
}

func (s *sweeper) round() {
	n := s.node
	// After a stall the round is left out (Switch protocol: the sweep), so that clients may beat first.
	stalled := n.now().Sub(s.last) > n.opts.SweepEvery*3/2
	s.last = n.now()
	if !stalled {
		n.sweepLeases()
		if n.Shared() {
			s.sweepForeign()
		}
	}
	n.sweepExpired()
	n.endDeparted(n.ctx)
	n.sightings.sweep()
	n.typists.sweep(s.last)
	n.evictIdle()
	if s.last.Sub(s.sessions) >= sessionSweep {
		s.sessions = s.last
		n.sweepSessions()
	}
	if s.last.Sub(s.media) >= mediaSweep {
		s.media = s.last
		n.sweepMedia()
	}
	if s.last.Sub(s.purges) >= purgeSweep {
		s.purges = s.last
		n.watching.sweep(s.last)
		n.index.sweepInboxes(s.last)
		wake(n.purgeNow)
	}
	s.last = n.now()
}

func (n *Node) sweepLeases() {
	for _, b := range n.beats.lapsed() {
		c := &Connection{ID: b.id, Generation: b.generation}
		if err := n.closeConnection(n.ctx, b.agent, c, CauseLapsed); err != nil {
			// It stays in the table, and the next round tries again.
			if n.ctx.Err() == nil && !unwritable(err) {
				n.zap.Warn("lapsed connection was not closed", zap.String("agent", b.agent), zap.Error(err))
			}
			continue
		}
		n.beats.closed(b.beatKey, b.generation)
	}
}

// sweepForeign closes the connections of nodes that are gone. A node counts as gone when nobody has answered under its
// name for a whole lease.
func (s *sweeper) sweepForeign() {
	n := s.node
	others := n.index.otherNodes(n.opts.NodeID)
	for node := range s.missing {
		if !slices.Contains(others, node) {
			delete(s.missing, node)
		}
	}
	for _, node := range others {
		if n.answers(node) {
			delete(s.missing, node)
			continue
		}
		since, known := s.missing[node]
		if !known {
			s.missing[node] = n.now()
			continue
		}
		if n.now().Sub(since) < n.opts.LeaseTTL {
			continue
		}
		for _, c := range n.index.connectionsAt(node) {
			if err := n.closeConnection(n.ctx, c.agent, c.conn, CauseLapsed); err != nil && n.ctx.Err() == nil && !unwritable(err) {
				n.zap.Warn("connection of a node that is gone was not closed", zap.String("node", node), zap.Error(err))
			}
		}
	}
}

// answers tells whether a node is there, or may be.
func (n *Node) answers(node string) bool {
	peers, ok := n.log.(Peers)
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(n.ctx, peerTimeout)
	defer cancel()
	_, err := peers.Request(ctx, node, []byte(`{"op":"ping"}`))
	return !errors.Is(err, ErrNoPeer)
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
