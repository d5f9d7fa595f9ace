package core

import (
	"context"
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
	// Connection is the one it is bound to.
	Connection string
}

// LiveLease returns the role that an agent holds, if it holds one: the newest it took, in whatever room, for as long as
// the connection with which it took it lives (Switch protocol: role leases).
func (n *Node) LiveLease(ctx context.Context, agent string) (Lease, bool) {
	n.index.mu.RLock()
	h, ok := n.index.s.Leases[agent]
	n.index.mu.RUnlock()
	if !ok {
		return Lease{}, false
	}
	c := n.index.connection(agent, h.Connection)
	// A connection that lapsed and was opened again lives another life: the hold ended with the first one.
	if c == nil || c.Born > h.Generation || !n.aliveAt(ctx, agent, c) {
		return Lease{}, false
	}
	return Lease{Agent: agent, Room: h.Room, Role: h.Role, Connection: h.Connection}, true
}

// LeasesIn returns the live holds on roles of a room, by agent id.
func (n *Node) LeasesIn(ctx context.Context, room string) []Lease {
	n.index.mu.RLock()
	agents := make([]string, 0, len(n.index.holders[room]))
	for agent := range n.index.holders[room] {
		agents = append(agents, agent)
	}
	n.index.mu.RUnlock()
	slices.Sort(agents)
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

// hold notes that an agent took a role; whatever it held before is over.
func (x *index) hold(agent string, h roleHold) {
	if old, ok := x.s.Leases[agent]; ok {
		delete(x.holders[old.Room], agent)
	}
	set(&x.s.Leases, agent, h)
	x.noteHolder(h.Room, agent)
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
			delete(x.s.Leases, agent)
			delete(x.holders[room], agent)
		}
	}
	if len(x.holders[room]) == 0 {
		delete(x.holders, room)
	}
}
