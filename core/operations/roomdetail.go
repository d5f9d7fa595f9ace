package operations

import (
	"context"
	"slices"

	"stele/core"
)

type roomDetailArgs struct {
	RoomID string `op:"room_id"`
}

// RoomDetail is the answer to get_room_detail. A room lies on no external channel, so what tells of one is
// null.
type RoomDetail struct {
	ID                 string                 `json:"id"`
	Name               string                 `json:"name"`
	Description        string                 `json:"description"`
	ChannelType        *string                `json:"channel_type"`
	AdminMode          bool                   `json:"admin_mode"`
	Instructions       *string                `json:"instructions"`
	MatrixRoomID       string                 `json:"matrix_room_id"`
	CreatedAt          string                 `json:"created_at"`
	BridgeID           *string                `json:"bridge_id"`
	BridgeDisplayName  *string                `json:"bridge_display_name"`
	ExternalChannelID  *string                `json:"external_channel_id"`
	GroupID            *string                `json:"group_id"`
	GroupName          *string                `json:"group_name"`
	GroupPath          *string                `json:"group_path"`
	AgentNames         []string               `json:"agent_names"`
	AgentStatuses      map[string]core.Status `json:"agent_statuses"`
	ConnectedUserNames []string               `json:"connected_user_names"`
	JoinEventListeners []string               `json:"join_event_listeners"`
	// Aliases map the name of an agent to the other name it goes by here.
	Aliases  map[string]string `json:"aliases"`
	Roles    []Role            `json:"roles"`
	Archived bool              `json:"archived"`
}

func getRoomDetail() *operation {
	return define("get_room_detail",
		"Read everything about one room you are a member of, without entering it: its description and instructions, its "+
			"agents with how present each is (agent_statuses), their aliases, its roles, which agents want to hear of "+
			"arrivals (join_event_listeners), and when it was created. To act in the room, enter it with connect_to_room.",
		func(ctx context.Context, r *Registry, c Caller, a roomDetailArgs) (any, error) {
			if err := r.checkMember(c.Agent, a.RoomID); err != nil {
				return nil, err
			}
			return r.roomDetail(ctx, c, a.RoomID)
		})
}

func (r *Registry) roomDetail(ctx context.Context, c Caller, room string) (*RoomDetail, error) {
	out := &RoomDetail{
		AgentNames: []string{}, AgentStatuses: map[string]core.Status{}, ConnectedUserNames: []string{},
		JoinEventListeners: []string{}, Aliases: map[string]string{},
	}
	var listeners []string
	var group string
	var roles []core.RoleDef
	if err := r.node.ViewRoom(ctx, room, func(v *core.Room) {
		out.ID, out.Name, out.Description, out.MatrixRoomID = v.ID, v.Name, v.Description, v.ID
		out.ChannelType, out.Instructions = orNull(v.ChannelType), orNull(v.Instructions)
		out.AdminMode, out.Archived, out.CreatedAt = v.AdminMode, v.Archived, spacedTime(v.CreatedAt)
		roles, listeners, group = v.Roles, v.Listeners, v.Group
	}); err != nil {
		return nil, err
	}
	out.Roles = r.roles(ctx, c, room, roles)
	if g, ok := r.node.Group(group); ok {
		out.GroupID, out.GroupName, out.GroupPath = &g.ID, &g.Name, &g.Path
	}
	members, err := r.participants(ctx, room)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		out.AgentNames = append(out.AgentNames, m.Name)
		out.AgentStatuses[m.Name] = *m.Status
		if m.Alias != nil {
			out.Aliases[m.Name] = *m.Alias
		}
		if slices.Contains(listeners, m.ID) {
			out.JoinEventListeners = append(out.JoinEventListeners, m.Name)
		}
	}
	return out, nil
}
