package switchfront

import (
	"context"
	"errors"
	"slices"

	"stele/core"
	agentswitch "stele/switch"
)

// lapseNoticed is the reason when a stream itself finds that the heartbeats have stopped.
const lapseNoticed = agentswitch.ReasonHeartbeatLapsed + ": open the stream again from your cursor and keep beating"

// agentDeleted is the reason when the agent itself is gone. The protocol has none for that, and clients only log it.
const agentDeleted = "agent deleted"

// look returns the stream's connection as it is now. evicted is the reason why the stream must end, if it must.
func (s *stream) look(ctx context.Context) (now core.Connection, evicted string) {
	now, cause, ok := s.node.ConnectionState(s.agent, s.conn.ID, s.conn.Generation)
	switch {
	case !ok:
		return now, closeReason(cause)
	case now.Generation != s.conn.Generation:
		return now, agentswitch.ReasonTakenOver
	case s.node.Alive(s.agent, now):
		return now, ""
	}
	// Asking for a lapsed connection closes it, so that its claims are free before its client hears of it.
	now, err := s.node.Connection(ctx, s.agent, s.conn.ID)
	var gone *core.NoConnectionError
	switch {
	case err == nil && now.Generation != s.conn.Generation:
		return now, agentswitch.ReasonTakenOver
	case err == nil:
		return now, ""
	case errors.As(err, &gone):
		return now, lapseNoticed
	}
	return now, agentswitch.ReasonHeartbeatLapsed
}

// closeReason says in the protocol's words why a connection was closed.
func closeReason(cause core.LapseCause) string {
	switch cause {
	case core.CauseInvalidRoom:
		return agentswitch.ReasonInvalidRooms
	case core.CauseDeleted:
		return agentDeleted
	}
	return agentswitch.ReasonHeartbeatLapsed
}

// parks tells whether the connection follows nothing at the moment: then its cursor must stay where it is.
func parks(c *core.Connection) bool { return c.Scope == core.ScopeSingle && len(c.Rooms) == 0 }

// claims lists the claims in the order in which they are announced. The list may be the connection's own.
func claims(c *core.Connection) []string {
	if slices.IsSorted(c.Rooms) {
		return c.Rooms
	}
	return slices.Sorted(slices.Values(c.Rooms))
}

// coverage judges rooms by the claims at one moment.
type coverage struct {
	node  *core.Node
	agent string
	conn  core.Connection
	// fresh: what is judged came since the stream last had read everything. A connection that goes from one room to another
	// meanwhile shows what came before by the room it had, and so that is what counts for its siblings: judged by the claims
	// of the moment, an event would come to neither of the two, or to both.
	fresh bool
	// dark remembers, for one batch, which unclaimed rooms a live sibling holds.
	dark map[string]bool
}

// covers tells whether the connection follows what came to the room at a position: by a claim of its own or, on an
// all-scope connection, if there is no live sibling's claim.
func (c *coverage) covers(room string, at core.Position) bool {
	if c.fresh && c.conn.HeldAt(room, at) || !c.fresh && c.conn.Holds(room) {
		return true
	}
	if c.conn.Scope != core.ScopeAll {
		return false
	}
	if c.fresh {
		return !c.node.HeldBySibling(c.agent, c.conn.ID, room, at)
	}
	dark, known := c.dark[room]
	if !known {
		dark = c.node.ClaimedBySibling(c.agent, c.conn.ID, room)
		if c.dark == nil {
			c.dark = map[string]bool{}
		}
		c.dark[room] = dark
	}
	return !dark
}
