package core

import (
	"context"
	"time"
)

// LiveConnection is a connection whose lease holds.
type LiveConnection struct {
	Connection
	// SeenAt is when its client was heard of last: by a beat, or by the opening of its stream.
	SeenAt time.Time
}

// LiveConnections lists the live connections of an agent, by id. One whose node does not answer is left out.
func (n *Node) LiveConnections(ctx context.Context, agent string) (out []LiveConnection) {
	conns := n.index.connections(agent)
	for _, id := range sortedKeys(conns) {
		if at, alive := n.seenAt(ctx, agent, conns[id]); alive {
			out = append(out, LiveConnection{Connection: *conns[id], SeenAt: at})
		}
	}
	return out
}

// seenAt asks the node that has the connection's stream.
func (n *Node) seenAt(ctx context.Context, agent string, c *Connection) (at time.Time, alive bool) {
	if c.Node == n.opts.NodeID {
		return n.beats.seen(beatKey{agent, c.ID})
	}
	ans, err := n.ask(ctx, c.Node, peerRequest{Op: peerAlive, Agent: agent, ID: c.ID})
	if err != nil || ans.Result != beatOK {
		return time.Time{}, false
	}
	return time.UnixMilli(ans.Seen).UTC(), true
}

// seen is when a live connection was heard of last.
func (b *beats) seen(key beatKey) (at time.Time, alive bool) {
	b.lock()
	defer b.mu.Unlock()
	if entry := b.get(key); entry != nil {
		return millis(entry.last), true
	}
	return time.Time{}, false
}
