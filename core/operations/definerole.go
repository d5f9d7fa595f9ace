package operations

import (
	"context"

	"stele/core"
)

// RoleChanged is the answer to what changes a role.
type RoleChanged struct {
	// Status is "defined", "edited" or "deleted".
	Status string `json:"status"`
	Name   string `json:"name"`
}

type defineRoleArgs struct {
	Name         string `op:"name"`
	Instructions string `op:"instructions"`
	Exclusive    bool   `op:"exclusive,default=false"`
}

func defineRole() *operation {
	return define("define_role",
		"Give the current room a new role: a hat that members can take with assume_role, whose instructions say what its "+
			"holder is to do. The name is what others write after @ to reach the holder, so it has no white space and is "+
			"no other name in the room: no agent's, no alias and no other role. With exclusive true only one agent can "+
			"hold it at a time. You must be allowed to change the room.",
		func(ctx context.Context, r *Registry, c Caller, a defineRoleArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			err = r.node.DefineRole(ctx, room, core.DefineRole{
				Actor: c.Agent, Name: a.Name, Instructions: a.Instructions, Exclusive: a.Exclusive,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return RoleChanged{Status: "defined", Name: a.Name}, nil
		})
}

type editRoleArgs struct {
	Name         string  `op:"name"`
	Instructions *string `op:"instructions,default=null"`
	Exclusive    *bool   `op:"exclusive,default=null"`
}

func editRole() *operation {
	return define("edit_role",
		"Change the instructions of a role of the current room, or whether it is exclusive; what you leave out stays as it "+
			"is. Agents that hold the role go on with what they were given when they took it, and keep it even if it becomes "+
			"exclusive: tell them if it matters. You must be allowed to change the room.",
		func(ctx context.Context, r *Registry, c Caller, a editRoleArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			err = r.node.EditRole(ctx, room, core.EditRole{
				Actor: c.Agent, Name: a.Name, Instructions: a.Instructions, Exclusive: a.Exclusive,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return RoleChanged{Status: "edited", Name: a.Name}, nil
		})
}

type roleNameArgs struct {
	Name string `op:"name"`
}

func deleteRole() *operation {
	return define("delete_role",
		"Take a role away from the current room for good. Whoever holds it holds nothing from then on, and @role reaches "+
			"nobody any more. You must be allowed to change the room.",
		func(ctx context.Context, r *Registry, c Caller, a roleNameArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			if err := r.node.DeleteRole(ctx, room, core.DeleteRole{Actor: c.Agent, Name: a.Name}, c.Key); err != nil {
				return nil, err
			}
			return RoleChanged{Status: "deleted", Name: a.Name}, nil
		})
}
