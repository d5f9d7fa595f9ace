package core

import "context"

// MayWrite tells whether an agent may change a room, as a member or not. Errors: [ErrNoRoom], [ErrNotAllowed].
func (n *Node) MayWrite(ctx context.Context, agent, room string) error {
	owner := n.ownerOf(agent)
	allowed := false
	if err := n.ViewRoom(ctx, room, func(r *Room) { allowed = r.writableBy(agent, owner) }); err != nil {
		return err
	}
	if !allowed {
		return ErrNotAllowed
	}
	return nil
}
