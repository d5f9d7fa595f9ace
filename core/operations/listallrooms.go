package operations

import (
	"context"

	"stele/core"
)

type listAllRoomsArgs struct {
	IncludeArchived bool `op:"include_archived,default=false"`
}

// AnyRoomRow is a room as list_all_rooms shows it.
type AnyRoomRow struct {
	RoomID      string `json:"room_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Archived    bool   `json:"archived"`
}

func listAllRooms() *operation {
	return define("list_all_rooms",
		"List the rooms of this server, oldest first, also those you are not a member of: id, name and description of "+
			"each. A private room is shown only if you are a member of it or it is your owner's. To enter a room you must be a member: add "+
			"yourself with invite_agent_to_room where the room allows it, or ask a member. Archived rooms are left out "+
			"unless include_archived is true.",
		func(_ context.Context, r *Registry, c Caller, a listAllRoomsArgs) (any, error) {
			rows := []AnyRoomRow{}
			for _, s := range r.node.Rooms() {
				if s.Archived && !a.IncludeArchived || !r.mayKnow(c.Agent, s) {
					continue
				}
				rows = append(rows, AnyRoomRow{RoomID: s.ID, Name: s.Name, Description: s.Description, Archived: s.Archived})
			}
			return rows, nil
		})
}

// mayKnow tells whether an agent may learn that a room exists. Two agents that talk in private need not be known to a
// third, so this is narrower than the Switch protocol's reference, which shows every room to everybody.
func (r *Registry) mayKnow(agent string, s core.Summary) bool {
	if s.ReadPublic || r.node.IsMember(agent, s.ID) {
		return true
	}
	a, ok := r.node.Agent(agent)
	return ok && s.Owner != "" && s.Owner == a.Owner
}
