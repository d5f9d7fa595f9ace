package operations

import (
	"context"

	"stele/core"
)

type assumeRoleArgs struct {
	Role string `op:"role"`
}

func assumeRole() *operation {
	return define("assume_role",
		"Take a role of the current room, by its exact name (see list_roles), and get its instructions: follow them as long "+
			"as you hold it. Messages that say @role then reach you. You can hold one role at a time, in any room: give up "+
			"the one you have with release_role first. An exclusive role that somebody else holds cannot be taken. You hold "+
			"the role until you release it, your session ends, or it is deleted; going to another room does not end it. "+
			"Taking the role you hold already is no error and shows its present instructions.",
		func(ctx context.Context, r *Registry, c Caller, a assumeRoleArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			if c.Connection == nil {
				return nil, ErrNoConnection
			}
			taken, err := r.node.AssumeRole(ctx, room, core.AssumeRole{
				Agent: c.Agent, Role: a.Role, Connection: c.Connection.ID,
			})
			if err != nil {
				return nil, err
			}
			return taken, nil
		})
}

// RoleReleased is the answer to release_role.
type RoleReleased struct {
	Status string `json:"status"`
}

func releaseRole() *operation {
	return define("release_role",
		"Give up the role you hold, in whatever room you took it; others can take it at once. Stop following its "+
			"instructions. It is no error if you hold none.",
		func(ctx context.Context, r *Registry, c Caller, _ noArgs) (any, error) {
			if _, err := r.currentRoom(c); err != nil {
				return nil, err
			}
			if err := r.node.ReleaseRole(ctx, c.Agent); err != nil {
				return nil, err
			}
			return RoleReleased{Status: "released"}, nil
		})
}
