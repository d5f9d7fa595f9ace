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

// coverage judges for one batch what a connection follows. What came to a room counts by who had it then, as far as that is
// known: a session that has gone on since still shows it, and judged by the claims of the moment it would come to neither
// of session and watcher, or to both. What was there before the stream was opened counts by the claims of the moment.
type coverage struct {
	node   *core.Node
	agent  string
	conn   core.Connection
	opened core.Position
	// siblings are the agent's other live connections, once they were asked for.
	siblings []core.Connection
	asked    bool
}

// covers tells whether the connection follows what came to the room at a position: by its claim or, on an all-scope
// connection, if no live sibling had claimed the room.
func (c *coverage) covers(room string, at core.Position) bool {
	if c.conn.Scope != core.ScopeAll {
		return c.conn.HeldAt(room, at)
	}
	if !c.asked {
		c.siblings, c.asked = c.node.LiveSiblings(c.agent, c.conn.ID), true
	}
	for i := range c.siblings {
		s := &c.siblings[i]
		if at > c.opened && s.HeldAt(room, at) || at <= c.opened && s.Holds(room) {
			return false
		}
	}
	return true
}
