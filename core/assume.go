package core

import (
	"context"
	"maps"
	"slices"
)

// AssumeRole lets an agent take a role of a room, bound to a connection of it. An agent holds one role at a time,
// whatever rooms it is in; taking the one it holds again binds it to the connection given.
type AssumeRole struct {
	Agent, Role, Connection string
	// generation is that of the connection; over are holds of the room, by agent, that are known to be over: one that is not
	// among them counts as live. elsewhere is the role that the agent holds in another room. All are set by the node.
	generation int
	over       map[string]RoleLease
	elsewhere  *Lease
}

// RoleTaken is the answer to AssumeRole.
type RoleTaken struct {
	Role         string `json:"role"`
	Instructions string `json:"instructions"`
}

func (c AssumeRole) decide(r *Room, _ Env) ([]Payload, RoleTaken, error) {
	switch {
	case !r.Exists():
		return nil, RoleTaken{}, ErrNoRoom
	case r.Members[c.Agent] == nil:
		return nil, RoleTaken{}, ErrNotMember
	}
	if err := r.notEnded(); err != nil {
		return nil, RoleTaken{}, err
	}
	role, ok := r.RoleOf(c.Role)
	if !ok {
		return nil, RoleTaken{}, noRole("role", c.Role)
	}
	if c.elsewhere != nil {
		return nil, RoleTaken{}, &HoldsRoleError{Role: c.elsewhere.Role, Room: c.elsewhere.Room}
	}
	events, err := c.settle(r, role)
	return events, RoleTaken{Role: role.Name, Instructions: role.Instructions}, err
}

// settle decides who holds the role.
func (c AssumeRole) settle(r *Room, role RoleDef) (events []Payload, err error) {
	assumed := &RoleAssumedEvent{Agent: c.Agent, Role: c.Role, Connection: c.Connection, Generation: c.generation}
	if own, ok := r.Leases[c.Agent]; ok && own != c.over[c.Agent] {
		switch {
		case own.Role != c.Role:
			return nil, &HoldsRoleError{Role: own.Role, Room: r.ID}
		case own.Connection == c.Connection:
			return nil, nil
		}
		return []Payload{assumed}, nil
	}
	if role.Exclusive {
		for _, agent := range slices.Sorted(maps.Keys(r.Leases)) {
			lease := r.Leases[agent]
			if lease.Role != c.Role || agent == c.Agent {
				continue
			}
			if lease != c.over[agent] {
				return nil, &RoleHeldError{Role: c.Role, Holder: agent, HolderName: r.nameOf(agent)}
			}
			// What is over only by the clock would be live again on a node that starts anew and gives every connection a lease
			// of grace.
			events = append(events, &RoleReleasedEvent{Agent: agent, Role: c.Role})
		}
	}
	return append(events, assumed), nil
}

// releaseRole ends one hold; when the agent holds another by now, nothing happens.
type releaseRole struct {
	agent string
	lease RoleLease
}

func (c releaseRole) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	if own, ok := r.Leases[c.agent]; !ok || own != c.lease {
		return nil, struct{}{}, nil
	}
	return []Payload{&RoleReleasedEvent{Agent: c.agent, Role: c.lease.Role}}, struct{}{}, nil
}

// AssumeRole lets an agent take a role. An exclusive role has one live holder, whatever node it came to. Errors:
// *[NoConnectionError], [ErrNoRoom], [ErrNotMember], *[RoomNotActiveError] when the room has ended, *[InvalidError] when
// there is no such role, *[HoldsRoleError], *[RoleHeldError].
//
// Calls for one agent wait for each other on a node. Two nodes that give it two roles in two rooms at the same moment
// both succeed, and it holds the one whose event comes later in the log.
func (n *Node) AssumeRole(ctx context.Context, room string, cmd AssumeRole) (RoleTaken, error) {
	release, err := n.keys.hold(ctx, holdScope(cmd.Agent))
	if err != nil {
		return RoleTaken{}, err
	}
	defer release()
	if err := n.catchUpShared(ctx); err != nil {
		return RoleTaken{}, err
	}
	conn, err := n.Connection(ctx, cmd.Agent, cmd.Connection)
	if err != nil {
		return RoleTaken{}, err
	}
	cmd.generation = conn.Generation
	if l, ok := n.LiveLease(ctx, cmd.Agent); ok && l.Room != room {
		cmd.elsewhere = &l
	}
	if cmd.over, err = n.overIn(ctx, room); err != nil {
		return RoleTaken{}, err
	}
	taken, _, err := onRoom(ctx, n, room, cmd, nil)
	return taken, err
}

// ReleaseRole ends the agent's hold on a role, wherever it is. An agent that holds none is left alone.
func (n *Node) ReleaseRole(ctx context.Context, agent string) error {
	release, err := n.keys.hold(ctx, holdScope(agent))
	if err != nil {
		return err
	}
	defer release()
	if err := n.catchUpShared(ctx); err != nil {
		return err
	}
	h, ok := n.index.holdOf(agent)
	if !ok {
		return nil
	}
	_, _, err = onRoom(ctx, n, h.Room, releaseRole{agent: agent, lease: h.RoleLease}, nil)
	return err
}

// holdScope is what calls about an agent's role wait on. No idempotency key has it: theirs begin with an agent.
func holdScope(agent string) string { return "role\x00" + agent }

// catchUpShared lets the node see what a client was told by another one.
func (n *Node) catchUpShared(ctx context.Context) error {
	if !n.Shared() {
		return nil
	}
	return n.CatchUp(ctx)
}
