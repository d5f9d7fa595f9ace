package operations

import (
	"context"

	"stele/core"
)

// GroupRow is a group as list_room_groups shows it.
type GroupRow struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Description   *string `json:"description"`
	ParentGroupID *string `json:"parent_group_id"`
	RoomCount     int     `json:"room_count"`
	// Path is the names from the outermost group on, joined by " / ".
	Path string `json:"path"`
}

// Group is the answer to create_room_group and get_room_group_detail.
type Group struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Description   *string `json:"description"`
	Color         *string `json:"color"`
	ParentGroupID *string `json:"parent_group_id"`
	RoomCount     int     `json:"room_count"`
	Path          string  `json:"path"`
	MemberRooms   []Named `json:"member_rooms"`
	ChildGroups   []Named `json:"child_groups"`
}

// Named is the id and the name of something.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// roomsByGroup are the rooms that an agent may know of, archived ones too, by their group, oldest first.
func (r *Registry) roomsByGroup(agent string) map[string][]Named {
	out := map[string][]Named{}
	for _, s := range r.node.Rooms() {
		if s.Group != "" && r.mayKnow(agent, s) {
			out[s.Group] = append(out[s.Group], Named{ID: s.ID, Name: s.Name})
		}
	}
	return out
}

func listRoomGroups() *operation {
	return define("list_room_groups",
		"List the groups that rooms are filed in, as folders are, by path: id, name, description, the group that it is "+
			"nested in (parent_group_id), how many rooms lie directly in it, and its path. create_room files a new room in "+
			"a group by group_name.",
		func(_ context.Context, r *Registry, c Caller, _ noArgs) (any, error) {
			rooms := r.roomsByGroup(c.Agent)
			rows := []GroupRow{}
			for _, g := range r.node.Groups() {
				rows = append(rows, GroupRow{
					ID: g.ID, Name: g.Name, Description: orNull(g.Description), ParentGroupID: orNull(g.Parent),
					RoomCount: len(rooms[g.ID]), Path: g.Path,
				})
			}
			return rows, nil
		})
}

type createGroupArgs struct {
	Name            string  `op:"name"`
	Description     *string `op:"description,default=null"`
	Color           *string `op:"color,default=null"`
	ParentGroupName *string `op:"parent_group_name,default=null"`
}

func createRoomGroup() *operation {
	return define("create_room_group",
		"Make a group to file rooms in, with a name and, if you like, a description of what belongs there. "+
			"parent_group_name, the exact name of one existing group, nests it there. Names need not be unique, but a group "+
			"whose name is no other's is easier to refer to: see list_room_groups first. color is shown by clients that know "+
			"it.",
		func(ctx context.Context, r *Registry, c Caller, a createGroupArgs) (any, error) {
			made, err := r.node.CreateGroup(ctx, core.CreateGroup{
				Name: a.Name, Description: value(a.Description), Color: value(a.Color), ParentName: a.ParentGroupName,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return r.groupDetail(c.Agent, made), nil
		})
}

type groupDetailArgs struct {
	GroupID string `op:"group_id"`
}

func getRoomGroupDetail() *operation {
	return define("get_room_group_detail",
		"Read about one group of rooms: what list_room_groups tells of it, its color, the rooms that lie directly in it "+
			"(member_rooms) and the groups that are nested directly in it (child_groups), by id and name. A private room is "+
			"shown only if you are a member of it or it is your owner's.",
		func(_ context.Context, r *Registry, c Caller, a groupDetailArgs) (any, error) {
			g, ok := r.node.Group(a.GroupID)
			if !ok {
				return nil, argument("group_id", "no room group %.300q", a.GroupID)
			}
			return r.groupDetail(c.Agent, g), nil
		})
}

func (r *Registry) groupDetail(agent string, g core.GroupPlace) Group {
	out := Group{
		ID: g.ID, Name: g.Name, Description: orNull(g.Description), Color: orNull(g.Color), ParentGroupID: orNull(g.Parent),
		Path: g.Path, MemberRooms: r.roomsByGroup(agent)[g.ID], ChildGroups: []Named{},
	}
	if out.MemberRooms == nil {
		out.MemberRooms = []Named{}
	}
	out.RoomCount = len(out.MemberRooms)
	for _, child := range r.node.Groups() {
		if child.Parent == g.ID {
			out.ChildGroups = append(out.ChildGroups, Named{ID: child.ID, Name: child.Name})
		}
	}
	return out
}
