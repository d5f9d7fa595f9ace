package core

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"
	"unicode/utf8"
)

// OpenRequest asks for a connection.
type OpenRequest struct {
	ID, Scope, Filter string
	Spawn             bool
	// Rooms are claimed with takeover, in this order, before anything is read.
	Rooms []string
	// Start is the cursor to read after; FromHead reads from now on instead, or from where the connection is if it lives.
	Start    Position
	FromHead bool
	// Client is what the client said about itself, a JSON object or nil.
	Client json.RawMessage
}

// Opened is a connection that was opened, and where its stream begins.
type Opened struct {
	Connection Connection
	Cursor     Position
	// Head is the newest position at that moment.
	Head Position
}

// OpenConnection opens a connection of an agent or takes over the one with the same id. Errors: *[ConnectionTakenError],
// *[TooManyConnectionsError], and for a room that may not be claimed [ErrNoRoom] or [ErrNotMember], which also close a
// connection that exists under this id.
func (n *Node) OpenConnection(ctx context.Context, agent string, req OpenRequest) (Opened, error) {
	if owner := n.index.connectionOwner(req.ID); owner != "" && owner != agent {
		return Opened{}, &ConnectionTakenError{ID: req.ID}
	}
	if !utf8.ValidString(req.ID) {
		return Opened{}, &InvalidError{Field: "connection_id", Reason: "must be valid UTF-8"}
	}
	conns := n.index.connections(agent)
	lapsed := n.lapsedOf(ctx, agent, conns)
	if conns[req.ID] == nil && len(conns)-len(lapsed) >= MaxConnections {
		return Opened{}, &TooManyConnectionsError{Max: MaxConnections}
	}
	for _, room := range req.Rooms {
		if err := n.checkMember(agent, room); err != nil {
			if c := conns[req.ID]; c != nil {
				if cerr := n.closeConnection(ctx, agent, c, CauseInvalidRoom); cerr != nil {
					return Opened{}, cerr
				}
			}
			return Opened{}, err
		}
	}
	cell := n.agentCell(agent)
	defer cell.unpin()
	cmd := openConnection{
		id: req.ID, node: n.opts.NodeID, scope: req.Scope, filter: req.Filter, spawn: req.Spawn,
		rooms: req.Rooms, client: req.Client, lapsed: lapsed,
		// Nothing above the head can be a true cursor; kept, it would make a later opening skip what lies between.
		cursor: min(req.Start, n.Applied()),
	}
	if req.FromHead {
		cmd.cursor = n.Applied()
		if c := conns[req.ID]; c != nil && !cmd.lapsed[req.ID] {
			cmd.cursor = n.cursorOf(ctx, agent, c)
		}
	}
	claimed, _, err := propose(ctx, cell, cmd, nil)
	if err != nil {
		return Opened{}, err
	}
	cursor := cmd.cursor
	if !req.FromHead {
		cursor = req.Start
	}
	return Opened{Connection: claimed.Connection, Cursor: cursor, Head: n.Applied()}, nil
}

// checkMember tells whether the agent may claim the room.
func (n *Node) checkMember(agent, room string) error {
	if _, ok := n.index.summary(room); !ok {
		return ErrNoRoom
	}
	if !n.index.member(agent, room) {
		return ErrNotMember
	}
	return nil
}

// Connection returns a live connection of the agent, else a *[NoConnectionError]. A connection found lapsed is closed.
func (n *Node) Connection(ctx context.Context, agent, id string) (Connection, error) {
	c := n.index.connection(agent, id)
	if c == nil {
		return Connection{}, &NoConnectionError{ID: id}
	}
	if !n.aliveAt(ctx, agent, c) {
		if err := n.closeConnection(ctx, agent, c, CauseLapsed); err != nil {
			return Connection{}, err
		}
		return Connection{}, &NoConnectionError{ID: id}
	}
	return *c, nil
}

// ConnectionState returns what the applied log says of a connection, whether or not its lease is alive; ended tells why
// its life of that generation is over.
func (n *Node) ConnectionState(agent, id string, generation int) (c Connection, ended LapseCause, ok bool) {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	entry := n.index.s.Agents[agent]
	if entry == nil {
		return Connection{}, "", false
	}
	if c := entry.State.Connections[id]; c != nil {
		return *c, "", true
	}
	for _, closed := range slices.Backward(entry.State.Closed) {
		if closed.ID == id && closed.Generation == generation {
			return Connection{}, closed.Reason, false
		}
	}
	return Connection{}, CauseLapsed, false
}

// LiveSiblings are the other live connections of the agent. Those of other nodes count as live until they are closed.
func (n *Node) LiveSiblings(agent, id string) (out []Connection) {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	entry := n.index.s.Agents[agent]
	if entry == nil {
		return nil
	}
	for other, c := range entry.State.Connections {
		if other != id && (c.Node != n.opts.NodeID || n.beats.alive(beatKey{agent, other})) {
			out = append(out, *c)
		}
	}
	return out
}

// Subscribe claims a room for a live connection. Errors: *[NoConnectionError], [ErrNoRoom], [ErrNotMember], and
// *[RoomClaimedError] when a live sibling holds the room and takeover is false.
func (n *Node) Subscribe(ctx context.Context, agent, id, room string, takeover bool) (Claimed, error) {
	if _, err := n.Connection(ctx, agent, id); err != nil {
		return Claimed{}, err
	}
	if err := n.checkMember(agent, room); err != nil {
		return Claimed{}, err
	}
	lapsed := n.lapsedOf(ctx, agent, n.index.connections(agent))
	cell := n.agentCell(agent)
	defer cell.unpin()
	claimed, _, err := propose(ctx, cell, claimRoom{id: id, room: room, takeover: takeover, lapsed: lapsed}, nil)
	return claimed, err
}

// Unsubscribe gives up a claim; one that is not held is no error.
func (n *Node) Unsubscribe(ctx context.Context, agent, id, room string) (Claimed, error) {
	if _, err := n.Connection(ctx, agent, id); err != nil {
		return Claimed{}, err
	}
	cell := n.agentCell(agent)
	defer cell.unpin()
	claimed, _, err := propose(ctx, cell, releaseRoom{id: id, room: room}, nil)
	return claimed, err
}

func (n *Node) closeConnection(ctx context.Context, agent string, c *Connection, cause LapseCause) error {
	cell := n.agentCell(agent)
	defer cell.unpin()
	_, _, err := propose(ctx, cell, closeConnection{id: c.ID, generation: c.Generation, cause: cause}, nil)
	return err
}

// Beat renews a connection's lease and reports its claims and cursor. It is passed on to the node that has the stream.
// Errors: *[NoConnectionError], *[NoStreamError].
func (n *Node) Beat(ctx context.Context, agent, id string, cursor Position) (Connection, Position, error) {
	c := n.index.connection(agent, id)
	if c == nil {
		return Connection{}, 0, &NoConnectionError{ID: id}
	}
	result, at, err := n.beatAt(ctx, agent, c, cursor)
	if err != nil {
		return Connection{}, 0, err
	}
	switch result {
	case beatNoStream:
		return Connection{}, 0, &NoStreamError{ID: id}
	case beatGone:
		if err := n.closeConnection(ctx, agent, c, CauseLapsed); err != nil {
			return Connection{}, 0, err
		}
		return Connection{}, 0, &NoConnectionError{ID: id}
	}
	return *c, at, nil
}

// AttachStream notes that the stream of this generation serves the connection; the returned function ends that, unless a
// newer stream has taken over meanwhile.
func (n *Node) AttachStream(agent string, c Connection) (detach func()) {
	key := beatKey{agent, c.ID}
	n.beats.attach(key, c.Generation)
	return func() { n.beats.detach(key, c.Generation) }
}

// Moved notes how far the connection's stream has written.
func (n *Node) Moved(agent string, c Connection, cursor Position) {
	n.beats.moved(beatKey{agent, c.ID}, c.Generation, cursor)
}

// LeaseLeft is how long the connection's lease still holds if no beat comes; 0 or less when it has lapsed or is not known
// here.
func (n *Node) LeaseLeft(agent string, c Connection) time.Duration {
	return n.beats.left(beatKey{agent, c.ID})
}

// Alive tells whether the connection's lease holds, as far as this node knows.
func (n *Node) Alive(agent string, c Connection) bool { return n.beats.alive(beatKey{agent, c.ID}) }

// connections returns the agent's connections; the records are never changed in place.
func (x *index) connections(agent string) map[string]*Connection {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if entry := x.s.Agents[agent]; entry != nil {
		return maps.Clone(entry.State.Connections)
	}
	return nil
}

func (x *index) connection(agent, id string) *Connection {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if entry := x.s.Agents[agent]; entry != nil {
		return entry.State.Connections[id]
	}
	return nil
}

func (x *index) connectionOwner(id string) string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.byConnection[id]
}
