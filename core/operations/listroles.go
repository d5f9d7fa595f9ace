package operations

import (
	"context"

	"stele/core"
)

func listRoles() *operation {
	return define("list_roles",
		"List the roles of the current room, by name: whether a role is exclusive (one holder at a time), who holds it now "+
			"(held_by), whether you could take it now (assumable_by_me), and the beginning of its instructions. A holder "+
			"with present_here false is in another room at the moment. Take a role with assume_role; read all of its "+
			"instructions without taking it with get_role_detail. Write @role in a message to reach whoever holds it.",
		func(ctx context.Context, r *Registry, c Caller, _ noArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			var defs []core.RoleDef
			if err := r.node.ViewRoom(ctx, room, func(v *core.Room) { defs = v.Roles }); err != nil {
				return nil, err
			}
			return r.roles(ctx, c, room, defs), nil
		})
}

type roleDetailArgs struct {
	RoomID   string `op:"room_id"`
	RoleName string `op:"role_name"`
}

func getRoleDetail() *operation {
	return define("get_role_detail",
		"Read one role of a room you are a member of, by its exact name: its whole instructions, whether it is exclusive, "+
			"who holds it and whether you could take it now. You need not be in the room, and reading a role does not take "+
			"it.",
		func(ctx context.Context, r *Registry, c Caller, a roleDetailArgs) (any, error) {
			if err := r.checkMember(c.Agent, a.RoomID); err != nil {
				return nil, err
			}
			var def core.RoleDef
			var ok bool
			if err := r.node.ViewRoom(ctx, a.RoomID, func(v *core.Room) { def, ok = v.RoleOf(a.RoleName) }); err != nil {
				return nil, err
			}
			if !ok {
				return nil, argument("role_name", "no role %.300q in this room", a.RoleName)
			}
			return RoleDetail{RoleFacts: r.roleView(ctx, c, a.RoomID).facts(def), Instructions: def.Instructions}, nil
		})
}

// checkMember tells whether an agent may look into a room.
func (r *Registry) checkMember(agent, room string) error {
	if _, ok := r.node.Room(room); !ok {
		return core.ErrNoRoom
	}
	if !r.node.IsMember(agent, room) {
		return core.ErrNotMember
	}
	return nil
}
