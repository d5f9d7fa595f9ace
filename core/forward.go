package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stele/internal/strictjson"
)

// peerRequest is what one node asks another about a connection whose stream lives there.
type peerRequest struct {
	Op     string   `json:"op"`
	Agent  string   `json:"agent"`
	ID     string   `json:"id"`
	Cursor Position `json:"cursor,omitempty"`
}

type peerAnswer struct {
	Result beatResult `json:"result"`
	Cursor Position   `json:"cursor,omitempty"`
	// Seen is when a live connection was heard of last, in milliseconds of the Unix epoch.
	Seen int64 `json:"seen,omitempty"`
}

const (
	peerBeat  = "beat"
	peerAlive = "alive"
	// peerTimeout bounds how long a node waits for another before it counts as gone.
	peerTimeout = 2 * time.Second
)

// answerPeer answers another node from the table of heartbeats.
func (n *Node) answerPeer(_ context.Context, request []byte) []byte {
	var req peerRequest
	if err := strictjson.Unmarshal(request, &req); err != nil {
		return nil
	}
	key := beatKey{req.Agent, req.ID}
	var ans peerAnswer
	switch req.Op {
	case peerBeat:
		ans.Result, ans.Cursor = n.beats.beat(key, req.Cursor, n.Applied())
	case peerAlive:
		var ok bool
		if ans.Cursor, ok = n.beats.read(key); ok {
			ans.Result = beatOK
			at, _ := n.beats.seen(key)
			ans.Seen = at.UnixMilli()
		}
	}
	b, err := strictjson.Marshal(ans)
	if err != nil {
		return nil
	}
	return b
}

// ask puts a question to the node that has a connection's stream. A node that is not there knows of nothing, which is an
// answer; one that is silent gives none, and nothing may be concluded from that.
func (n *Node) ask(ctx context.Context, node string, req peerRequest) (peerAnswer, error) {
	peers, ok := n.log.(Peers)
	if !ok {
		return peerAnswer{}, nil
	}
	b, err := strictjson.Marshal(req)
	if err != nil {
		return peerAnswer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, peerTimeout)
	defer cancel()
	reply, err := peers.Request(ctx, node, b)
	if errors.Is(err, ErrNoPeer) {
		return peerAnswer{}, nil
	}
	if err != nil {
		return peerAnswer{}, fmt.Errorf("node %s is silent: %w: %w", node, ErrNoPeer, err)
	}
	var ans peerAnswer
	if err := strictjson.Unmarshal(reply, &ans); err != nil {
		return peerAnswer{}, fmt.Errorf("answer of node %s: %w", node, err)
	}
	return ans, nil
}

func (n *Node) beatAt(ctx context.Context, agent string, c *Connection, cursor Position) (beatResult, Position, error) {
	if c.Node == n.opts.NodeID {
		result, at := n.beats.beat(beatKey{agent, c.ID}, cursor, n.Applied())
		return result, at, nil
	}
	ans, err := n.ask(ctx, c.Node, peerRequest{Op: peerBeat, Agent: agent, ID: c.ID, Cursor: cursor})
	return ans.Result, ans.Cursor, err
}

// aliveAt tells whether a connection's lease holds. One whose node is silent counts as alive.
func (n *Node) aliveAt(ctx context.Context, agent string, c *Connection) bool {
	if c.Node == n.opts.NodeID {
		return n.beats.alive(beatKey{agent, c.ID})
	}
	ans, err := n.ask(ctx, c.Node, peerRequest{Op: peerAlive, Agent: agent, ID: c.ID})
	return err != nil || ans.Result == beatOK
}

// cursorOf is how far the client of a live connection has surely read; where its stream began if its node cannot say.
func (n *Node) cursorOf(ctx context.Context, agent string, c *Connection) Position {
	if c.Node == n.opts.NodeID {
		if cursor, ok := n.beats.read(beatKey{agent, c.ID}); ok {
			return cursor
		}
		return c.Cursor
	}
	ans, err := n.ask(ctx, c.Node, peerRequest{Op: peerAlive, Agent: agent, ID: c.ID})
	if err == nil && ans.Result == beatOK {
		return ans.Cursor
	}
	return c.Cursor
}

// lapsedOf names the agent's connections whose lease is over.
func (n *Node) lapsedOf(ctx context.Context, agent string, conns map[string]*Connection) map[string]bool {
	var out map[string]bool
	for id, c := range conns {
		if !n.aliveAt(ctx, agent, c) {
			set(&out, id, true)
		}
	}
	return out
}
