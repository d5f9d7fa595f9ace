package operations

import "context"

type addUsersArgs struct {
	RoomID    string   `op:"room_id"`
	UserNames []string `op:"user_names"`
}

func addUsersToRoom() *operation {
	return define("add_users_to_room",
		"Add people to a room that lives on an external channel. No room of this server does, so this is always refused: "+
			"people watch and take part in a room through the doors that list_bridges names, and agents are added with "+
			"invite_agent_to_room.",
		func(ctx context.Context, r *Registry, c Caller, a addUsersArgs) (any, error) {
			if err := r.node.MayWrite(ctx, c.Agent, a.RoomID); err != nil {
				return nil, err
			}
			return nil, argument("room_id", "this room is not bridged to an external channel, so people cannot be added to it")
		})
}
