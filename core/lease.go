package core

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// roleHold is a hold on a role and the room it is in.
type roleHold struct {
	Room string `json:"room"`
	RoleLease
}

// Lease is a live hold on a role.
type Lease struct {
	Agent, Room, Role string
	// Connection is the one it is bound to, and Claims are the rooms that it has claimed now.
	Connection string
	Claims     []string
}

// LiveLease returns the role that an agent holds, if it holds one: the newest it took, in whatever room, for as long as
// the connection with which it took it lives (Switch protocol: role leases). A connection that is opened again while it
// lives goes on with it; one that lapsed or was closed has lost it.
func (n *Node) LiveLease(ctx context.Context, agent string) (Lease, bool) {
	h, ok := n.index.holdOf(agent)
	if !ok {
		return Lease{}, false
	}
	c := n.index.connection(agent, h.Connection)
	if c == nil || !n.aliveAt(ctx, agent, c) {
		return Lease{}, false
	}
	return Lease{Agent: agent, Room: h.Room, Role: h.Role, Connection: h.Connection, Claims: c.Rooms}, true
}

// LeasesIn returns the live holds on roles of a room, by agent id.
func (n *Node) LeasesIn(ctx context.Context, room string) []Lease {
	n.index.mu.RLock()
	agents := slices.Sorted(maps.Keys(n.index.holders[room]))
	n.index.mu.RUnlock()
	var out []Lease
	for _, agent := range agents {
		if l, ok := n.LiveLease(ctx, agent); ok && l.Room == room {
			out = append(out, l)
		}
	}
	return out
}

// roleHolders returns the agents that hold the roles of a room live, by role in lower case; nil when nobody does.
func (n *Node) roleHolders(ctx context.Context, room string) map[string][]string {
	var out map[string][]string
	for _, l := range n.LeasesIn(ctx, room) {
		role := strings.ToLower(l.Role)
		set(&out, role, append(out[role], l.Agent))
	}
	return out
}

// overIn returns the holds of a room that are over for good, by agent: their connections ended, or their agents took
// other roles since.
func (n *Node) overIn(ctx context.Context, room string) (over map[string]RoleLease, err error) {
	var leases map[string]RoleLease
	var at Position
	if err := n.ViewRoomAt(ctx, room, func(r *Room, p Position) { leases, at = maps.Clone(r.Leases), p }); err != nil {
		return nil, err
	}
	// A room is a step ahead of the look-ups. Without this, a hold that they do not know yet would be taken for one that
	// they know no more.
	if err := n.awaitApplied(ctx, at); err != nil {
		return nil, err
	}
	for agent, lease := range leases {
		h, ok := n.index.holdOf(agent)
		if ok && h == (roleHold{Room: room, RoleLease: lease}) {
			if c := n.index.connection(agent, h.Connection); c != nil && n.aliveAt(ctx, agent, c) {
				continue
			}
		}
		set(&over, agent, lease)
	}
	return over, nil
}

// holdOf returns the newest role that an agent took, if its connection has not ended; whether its lease holds is not said.
func (x *index) holdOf(agent string) (roleHold, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	h, ok := x.s.Leases[agent]
	return h, ok
}

// hold notes that an agent took a role; whatever it held before is over. When the connection has ended meanwhile, so has
// the hold.
func (x *index) hold(agent string, h roleHold) {
	x.forgetHold(agent)
	entry := x.s.Agents[agent]
	if entry == nil {
		return
	}
	if c := entry.State.Connections[h.Connection]; c != nil && c.Born <= h.Generation {
		set(&x.s.Leases, agent, h)
		x.noteHolder(h.Room, agent)
	}
}

// endHold notes that a connection of an agent ended.
func (x *index) endHold(agent, connection string) {
	if x.s.Leases[agent].Connection == connection {
		x.forgetHold(agent)
	}
}

func (x *index) forgetHold(agent string) {
	h, ok := x.s.Leases[agent]
	if !ok {
		return
	}
	delete(x.s.Leases, agent)
	delete(x.holders[h.Room], agent)
	if len(x.holders[h.Room]) == 0 {
		delete(x.holders, h.Room)
	}
}

func (x *index) noteHolder(room, agent string) {
	if x.holders[room] == nil {
		x.holders[room] = map[string]bool{}
	}
	x.holders[room][agent] = true
}

// dropHold forgets the holds on roles of a room that match.
func (x *index) dropHold(room string, match func(agent string, h roleHold) bool) {
	for agent := range x.holders[room] {
		if match(agent, x.s.Leases[agent]) {
			x.forgetHold(agent)
		}
	}
}
