package core

import (
	"encoding/json"
	"slices"
)

// Scopes and filters of a connection. A single-scope connection covers the one room it claimed; an all-scope one covers
// its claims and every room that no live sibling has claimed.
const (
	ScopeSingle     = "single"
	ScopeAll        = "all"
	FilterAll       = "all"
	FilterAddressed = "addressed"
)

// MaxConnections is how many connections an agent may hold (Switch protocol: 32).
const MaxConnections = 32

// LapseCause says why a connection ended.
type LapseCause string

// The causes.
const (
	// CauseLapsed: no heartbeat within the lease.
	CauseLapsed LapseCause = "lapsed"
	// CauseInvalidRoom: an open of the same connection named a room that it may not claim.
	CauseInvalidRoom LapseCause = "invalid_room"
	// CauseDeleted: the agent was deleted.
	CauseDeleted LapseCause = "agent_deleted"
)

// Connection is an agent's lease on being present. Heartbeats hold it, no socket does.
type Connection struct {
	ID string `json:"id"`
	// Generation counts the streams that opened it; a stream of an older generation was superseded.
	Generation int `json:"generation"`
	// Born is the generation with which its present life began: a connection that lapsed and was opened again is another.
	Born   int    `json:"born"`
	Node   string `json:"node"`
	Scope  string `json:"scope"`
	Filter string `json:"filter"`
	Spawn  bool   `json:"spawn,omitempty"`
	// Cursor is where the newest stream began to read.
	Cursor Position `json:"cursor"`
	// Rooms are its claims, in the order of claiming. The slice is never changed in place.
	Rooms []string `json:"rooms,omitempty"`
	// ClaimedAt is the position at which it was opened, or at which its claims have changed since.
	ClaimedAt Position `json:"claimed_at,omitempty"`
	// Stays are the rooms from which a single-room connection went on since it was opened, the newest last; at most maxStays.
	Stays []Stay `json:"stays,omitempty"`
}

// Stay is a room that a single-room connection had, from after a position up to another.
type Stay struct {
	Room  string   `json:"room"`
	After Position `json:"after"`
	UpTo  Position `json:"up_to"`
}

// maxStays is how many rooms a connection may go through before what came to the first of them has been read.
const maxStays = 16

// Holds tells whether the connection has claimed the room.
func (c *Connection) Holds(room string) bool { return slices.Contains(c.Rooms, room) }

// HeldAt tells whether what came to the room at a position is the connection's, by the stay that it had then or, while it had
// none, by its next: one without a room shows what it missed meanwhile once it claims one. Before the oldest stay, and
// after the newest, it is the room that it holds now.
func (c *Connection) HeldAt(room string, at Position) bool {
	if len(c.Stays) == 0 || at <= c.Stays[0].After {
		return c.Holds(room)
	}
	for _, s := range c.Stays {
		if at <= s.UpTo {
			return room == s.Room
		}
	}
	return c.Holds(room)
}

// LeftAt is the position at which the connection went on from its last stay, 0 if it has had none.
func (c *Connection) LeftAt() Position {
	if len(c.Stays) == 0 {
		return 0
	}
	return c.Stays[len(c.Stays)-1].UpTo
}

// claims takes over other claims.
func (c *Connection) claims(rooms []string, at Position) {
	if c.Scope == ScopeSingle && len(c.Rooms) == 1 && !slices.Equal(c.Rooms, rooms) {
		kept := c.Stays[max(0, len(c.Stays)+1-maxStays):]
		c.Stays = append(slices.Clone(kept), Stay{Room: c.Rooms[0], After: c.ClaimedAt, UpTo: at})
	}
	c.Rooms, c.ClaimedAt = rooms, at
}

// openConnection opens a connection, or takes over the one with the same id. lapsed names the connections of the agent
// whose heartbeats are known to have stopped: they are closed in the same unit and never count as holders.
type openConnection struct {
	id, node, scope, filter string
	spawn                   bool
	cursor                  Position
	rooms                   []string
	client                  json.RawMessage
	lapsed                  map[string]bool
}

// Claimed is the answer to every claim.
type Claimed struct {
	Connection Connection
	// Evicted is the live sibling that lost the room, if any did; of several rooms claimed at once, the last one.
	Evicted string
}

func (c openConnection) decide(a *AgentState, _ Env) ([]Payload, Claimed, error) {
	if a.Ended {
		return nil, Claimed{}, ErrNoAgent
	}
	events, live := dropLapsed(a, c.lapsed)
	old, known := live[c.id]
	if !known && len(live) >= MaxConnections {
		return nil, Claimed{}, &TooManyConnectionsError{Max: MaxConnections}
	}
	conn := Connection{
		ID: c.id, Generation: 1, Node: c.node, Scope: c.scope, Filter: c.filter, Spawn: c.spawn, Cursor: c.cursor,
	}
	if last := a.lastGeneration(c.id); last > 0 {
		conn.Generation = last + 1
	}
	conn.Born = conn.Generation
	if known {
		conn.Born = old.Born
		conn.Rooms = old.Rooms
		if c.scope == ScopeSingle && len(conn.Rooms) > 1 {
			conn.Rooms = conn.Rooms[len(conn.Rooms)-1:]
		}
	}
	var evictions []Payload
	var evicted string
	for _, room := range c.rooms {
		var taken []Payload
		conn.Rooms = claim(conn.Scope, conn.Rooms, room)
		taken, evicted = takeFrom(live, c.id, room)
		evictions = append(evictions, taken...)
	}
	events = append(events, evictions...)
	events = append(events, &ConnectionOpenedEvent{
		ID: conn.ID, Generation: conn.Generation, Node: conn.Node, Scope: conn.Scope, Filter: conn.Filter,
		Spawn: conn.Spawn, Cursor: conn.Cursor, Rooms: conn.Rooms, Client: c.client,
	})
	return events, Claimed{Connection: conn, Evicted: evicted}, nil
}

// lastGeneration is the generation of the newest life of a connection, as far as it is remembered.
func (a *AgentState) lastGeneration(id string) int {
	if c := a.Connections[id]; c != nil {
		return c.Generation
	}
	for _, c := range slices.Backward(a.Closed) {
		if c.ID == id {
			return c.Generation
		}
	}
	return 0
}

// dropLapsed closes the connections named in lapsed and returns the others.
func dropLapsed(a *AgentState, lapsed map[string]bool) (events []Payload, live map[string]*Connection) {
	live = make(map[string]*Connection, len(a.Connections))
	ids := make([]string, 0, len(a.Connections))
	for id := range a.Connections {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		c := a.Connections[id]
		if lapsed[id] {
			events = append(events, &ConnectionClosedEvent{ID: id, Generation: c.Generation, Reason: CauseLapsed})
			continue
		}
		live[id] = c
	}
	return events, live
}

// claim returns the claims after claiming a room: added on an all-scope connection, instead of the old on a single one.
func claim(scope string, rooms []string, room string) []string {
	if slices.Contains(rooms, room) && (scope == ScopeAll || len(rooms) == 1) {
		return rooms
	}
	if scope == ScopeSingle {
		return []string{room}
	}
	return append(slices.Clone(rooms), room)
}

// takeFrom removes the room from the sibling that holds it.
func takeFrom(live map[string]*Connection, id, room string) (events []Payload, evicted string) {
	for sibling, c := range live {
		if sibling == id || !c.Holds(room) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(c.Rooms), func(r string) bool { return r == room })
		cc := *c
		cc.Rooms = left
		live[sibling] = &cc
		return []Payload{&ConnectionSubscribedEvent{ID: sibling, Rooms: left}}, sibling
	}
	return nil, ""
}

// claimRoom claims a room for a live connection, cooperatively or by takeover.
type claimRoom struct {
	id, room string
	takeover bool
	lapsed   map[string]bool
}

func (c claimRoom) decide(a *AgentState, _ Env) ([]Payload, Claimed, error) {
	events, live := dropLapsed(a, c.lapsed)
	conn := live[c.id]
	if conn == nil {
		return nil, Claimed{}, &NoConnectionError{ID: c.id}
	}
	taken, evicted := takeFrom(live, c.id, c.room)
	if evicted != "" && !c.takeover {
		return nil, Claimed{}, &RoomClaimedError{Room: c.room, Holder: evicted}
	}
	after := *conn
	after.Rooms = claim(conn.Scope, conn.Rooms, c.room)
	if evicted == "" && slices.Equal(after.Rooms, conn.Rooms) {
		return nil, Claimed{Connection: after}, nil
	}
	events = append(events, taken...)
	events = append(events, &ConnectionSubscribedEvent{ID: c.id, Rooms: after.Rooms})
	return events, Claimed{Connection: after, Evicted: evicted}, nil
}

// releaseRoom gives up a claim; one that is not held is no error.
type releaseRoom struct{ id, room string }

func (c releaseRoom) decide(a *AgentState, _ Env) ([]Payload, Claimed, error) {
	conn := a.Connections[c.id]
	if conn == nil {
		return nil, Claimed{}, &NoConnectionError{ID: c.id}
	}
	if !conn.Holds(c.room) {
		return nil, Claimed{Connection: *conn}, nil
	}
	after := *conn
	after.Rooms = slices.DeleteFunc(slices.Clone(conn.Rooms), func(r string) bool { return r == c.room })
	return []Payload{&ConnectionSubscribedEvent{ID: c.id, Rooms: after.Rooms}}, Claimed{Connection: after}, nil
}

// closeConnection ends one life of a connection; when another stream has opened it since, nothing happens.
type closeConnection struct {
	id         string
	generation int
	cause      LapseCause
}

func (c closeConnection) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	conn := a.Connections[c.id]
	if conn == nil || conn.Generation != c.generation {
		return nil, struct{}{}, nil
	}
	return []Payload{&ConnectionClosedEvent{ID: c.id, Generation: c.generation, Reason: c.cause}}, struct{}{}, nil
}
