package core

// Status is how present an agent is in a room.
type Status string

// The statuses (Switch protocol: section on status values).
const (
	StatusLive         Status = "live"
	StatusDisconnected Status = "disconnected"
	StatusManualPoll   Status = "awaiting_manual_poll"
	StatusNoSession    Status = "no_session"
	StatusDormant      Status = "dormant"
)

// Connection models: what counts as present.
const (
	ModelAlwaysOn  = "always_on"
	ModelSession   = "session_addressable"
	ModelPassive   = "session_passive"
	ModelAutoStart = "auto_session"
)

// Presence tells how present an agent is in a room, from its live connections, from where it was heard of without one, and
// from the sockets and streams by which it attends. Covering a room is not a session: only a claim makes a session-shaped
// agent live there, and a socket in the room is one. An agent that is expected to come and look by itself is live while it
// attends: it need not be waited for then.
func (n *Node) Presence(agent, room string) Status {
	a, ok := n.Agent(agent)
	if !ok {
		return StatusDisconnected
	}
	var spawner bool
	attends := n.attendance.of(agent, room)
	live, claimed := n.sightings.of(agent, room)
	live, claimed = live || attends.anywhere, claimed || attends.here
	conns := n.index.connections(agent)
	for id, c := range conns {
		if c.Node == n.opts.NodeID && !n.beats.alive(beatKey{agent, id}) {
			continue
		}
		live = true
		claimed = claimed || c.Holds(room)
		spawner = spawner || c.Spawn && (c.Holds(room) || c.Scope == ScopeAll)
	}
	switch a.Model {
	case ModelAlwaysOn:
		return pick(live, StatusLive, StatusDisconnected)
	case ModelSession:
		return pick(claimed, StatusLive, pick(spawner, StatusDormant, StatusNoSession))
	case ModelAutoStart:
		return pick(claimed, StatusLive, pick(live, StatusDormant, StatusDisconnected))
	}
	return pick(attends.here || attends.roaming, StatusLive, StatusManualPoll)
}

func pick(cond bool, yes, no Status) Status {
	if cond {
		return yes
	}
	return no
}
