package operations

import "context"

type listRoomsArgs struct {
	IncludeArchived bool `op:"include_archived,default=false"`
}

// RoomRow is a room as list_rooms shows it.
type RoomRow struct {
	RoomID      string `json:"room_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Connected marks the caller's current room.
	Connected bool `json:"connected"`
	Archived  bool `json:"archived"`
}

func listRooms() *operation {
	return define("list_rooms",
		"List the rooms you are a member of, oldest first: id, name and description of each, and whether it is the room "+
			"your connection is in now (connected). Start here to find the room_id that connect_to_room needs. "+
			"Archived rooms are left out unless include_archived is true.",
		func(_ context.Context, r *Registry, c Caller, a listRoomsArgs) (any, error) {
			current, _ := c.room()
			rows := []RoomRow{}
			for _, s := range r.node.RoomsOf(c.Agent) {
				if s.Archived && !a.IncludeArchived {
					continue
				}
				rows = append(rows, RoomRow{
					RoomID: s.ID, Name: s.Name, Description: s.Description, Connected: s.ID == current, Archived: s.Archived,
				})
			}
			return rows, nil
		})
}
