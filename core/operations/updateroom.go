package operations

import (
	"context"
	"slices"

	"stele/core"
)

type updateRoomArgs struct {
	RoomID             string             `op:"room_id"`
	Name               *string            `op:"name,default=null"`
	Description        *string            `op:"description,default=null"`
	Instructions       *string            `op:"instructions,default=null"`
	AdminMode          *bool              `op:"admin_mode,default=null"`
	JoinEventListeners *map[string]bool   `op:"join_event_listeners,default=null"`
	BridgeID           *string            `op:"bridge_id,default=null"`
	ChannelType        *string            `op:"channel_type,default=null"`
	ExternalChannelID  *string            `op:"external_channel_id,default=null"`
	Aliases            *map[string]string `op:"aliases,default=null"`
}

func updateRoom() *operation {
	return define("update_room",
		"Change a room you are a member of: its name, its description, the instructions that everybody reads who enters it, "+
			"or admin_mode. join_event_listeners turns on or off for agents of the room, by name, whether they hear of "+
			"arrivals: {name: true or false}. aliases gives agents of the room other names there: {name: alias}, and an "+
			"empty alias takes it away; an alias is no other name in the room. What you leave out stays as it is. Who may "+
			"see or change the room cannot be changed here, and neither can the way it is reached: every room is reached "+
			"through all doors (list_bridges), so leave out bridge_id, channel_type and external_channel_id. You must be "+
			"allowed to change the room. Returns the room as get_room_detail does.",
		func(ctx context.Context, r *Registry, c Caller, a updateRoomArgs) (any, error) {
			if err := refuseMove(a); err != nil {
				return nil, err
			}
			if err := r.checkMember(c.Agent, a.RoomID); err != nil {
				return nil, err
			}
			cmd := core.ChangeRoom{
				Actor: c.Agent, Name: a.Name, Description: a.Description, Instructions: a.Instructions, AdminMode: a.AdminMode,
			}
			var err error
			if cmd.Listeners, err = byMember(r, a.RoomID, "join_event_listeners", a.JoinEventListeners); err != nil {
				return nil, err
			}
			if cmd.Aliases, err = byMember(r, a.RoomID, "aliases", a.Aliases); err != nil {
				return nil, err
			}
			if err := r.node.ChangeRoom(ctx, a.RoomID, cmd, c.Key); err != nil {
				return nil, err
			}
			return r.roomDetail(ctx, c, a.RoomID)
		})
}

// refuseMove refuses to move a room to an external channel: no door keeps channels, and each reaches every room.
func refuseMove(a updateRoomArgs) error {
	switch {
	case a.BridgeID == nil && a.ChannelType != nil:
		return argument("channel_type", "can be given together with bridge_id only")
	case a.BridgeID == nil && a.ExternalChannelID != nil:
		return argument("external_channel_id", "can be given together with bridge_id only")
	case a.BridgeID == nil:
		return nil
	case a.ChannelType != nil && *a.ChannelType != "channel_public" && *a.ChannelType != "channel_private":
		return argument("channel_type", `must be "channel_public" or "channel_private"`)
	case slices.ContainsFunc(doors(), func(b Bridge) bool { return b.ID == *a.BridgeID }):
		return argument("bridge_id", "the room is reached through %q already, as every room is through every door; there is "+
			"nothing to move", *a.BridgeID)
	}
	return argument("bridge_id", "there is no bridge %.300q; every room is reached through all doors of this server already, "+
		"see list_bridges", *a.BridgeID)
}

// byMember turns settings by name into settings by agent. Each name must be that of a member.
func byMember[T any](r *Registry, room, field string, byName *map[string]T) (map[string]T, error) {
	out := map[string]T{}
	for name, v := range value(byName) {
		agent, ok := r.node.AgentByHandle(name)
		if !ok {
			return nil, argument(field, "no agent %.300q", name)
		}
		if !r.node.IsMember(agent.ID, room) {
			return nil, argument(field, "%q is not in this room", name)
		}
		out[agent.ID] = v
	}
	return out, nil
}

func archiveRoom() *operation {
	return define("archive_room",
		"Hide a room in the lists of rooms and in the links of others, when it is not used any more. Nothing else changes: "+
			"its members stay, what is said in it is delivered, and it can be entered and read. unarchive_room shows it "+
			"again. You must be a member and allowed to change the room. Returns the room as get_room_detail does.",
		func(ctx context.Context, r *Registry, c Caller, a roomDetailArgs) (any, error) {
			return r.archive(ctx, c, a.RoomID, true)
		})
}

func unarchiveRoom() *operation {
	return define("unarchive_room",
		"Show a room that was archived in the lists of rooms again. You must be a member and allowed to change the room. "+
			"Returns the room as get_room_detail does.",
		func(ctx context.Context, r *Registry, c Caller, a roomDetailArgs) (any, error) {
			return r.archive(ctx, c, a.RoomID, false)
		})
}

func (r *Registry) archive(ctx context.Context, c Caller, room string, archived bool) (*RoomDetail, error) {
	if err := r.checkMember(c.Agent, room); err != nil {
		return nil, err
	}
	if err := r.node.ChangeRoom(ctx, room, core.ChangeRoom{Actor: c.Agent, Archived: &archived}, c.Key); err != nil {
		return nil, err
	}
	return r.roomDetail(ctx, c, room)
}
