package operations

import (
	"context"

	"stele/core"
)

type roomDetailArgs struct {
	RoomID string `op:"room_id"`
}

// RoomDetail is the answer to get_room_detail. A room lies on no external channel and in no group, so what tells of
// those is null.
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
			if _, ok := r.node.Room(a.RoomID); !ok {
				return nil, core.ErrNoRoom
			}
			if !r.node.IsMember(c.Agent, a.RoomID) {
				return nil, core.ErrNotMember
			}
			return r.roomDetail(ctx, a.RoomID)
		})
}

func (r *Registry) roomDetail(ctx context.Context, room string) (*RoomDetail, error) {
	out := &RoomDetail{
		AgentNames: []string{}, AgentStatuses: map[string]core.Status{}, ConnectedUserNames: []string{},
		JoinEventListeners: []string{}, Aliases: map[string]string{},
	}
	var listeners []string
	if err := r.node.ViewRoom(ctx, room, func(v *core.Room) {
		out.ID, out.Name, out.Description, out.MatrixRoomID = v.ID, v.Name, v.Description, v.ID
		out.ChannelType, out.Instructions = orNull(v.ChannelType), orNull(v.Instructions)
		out.AdminMode, out.Archived, out.CreatedAt = v.AdminMode, v.Archived, spacedTime(v.CreatedAt)
		out.Roles, listeners = rolesOf(v), v.Listeners
	}); err != nil {
		return nil, err
	}
	members, err := r.participants(ctx, room)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, m := range members {
		names[m.ID] = m.Name
		out.AgentNames = append(out.AgentNames, m.Name)
		out.AgentStatuses[m.Name] = *m.Status
		if m.Alias != nil {
			out.Aliases[m.Name] = *m.Alias
		}
	}
	for _, id := range listeners {
		if name, ok := names[id]; ok {
			out.JoinEventListeners = append(out.JoinEventListeners, name)
		}
	}
	return out, nil
}
