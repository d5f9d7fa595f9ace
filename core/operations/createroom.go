package operations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"stele/core"
	"stele/internal/strictjson"
)

type createRoomArgs struct {
	Name               string                        `op:"name"`
	Description        string                        `op:"description"`
	AgentNames         []string                      `op:"agent_names"`
	UserNames          *[]string                     `op:"user_names,default=null"`
	ChannelType        *string                       `op:"channel_type,default=null"`
	BridgeID           *string                       `op:"bridge_id,default=null"`
	InternalOnly       bool                          `op:"internal_only,default=false"`
	AdminMode          bool                          `op:"admin_mode,default=false"`
	SecurityConfig     *map[string]json.RawMessage   `op:"security_config,default=null"`
	Instructions       *string                       `op:"instructions,default=null"`
	ReferenceIDs       *[]string                     `op:"reference_ids,default=null"`
	PackageIDs         *[]string                     `op:"package_ids,default=null"`
	LinkedRooms        *[]map[string]string          `op:"linked_rooms,default=null"`
	ReadVisibility     string                        `op:"read_visibility,default=\"public\""`
	WriteVisibility    string                        `op:"write_visibility,default=\"public\""`
	GroupName          *string                       `op:"group_name,default=null"`
	Roles              *[]map[string]json.RawMessage `op:"roles,default=null"`
	IncludeSubagents   *[]string                     `op:"include_subagents_for,default=null"`
	JoinEventListeners *[]string                     `op:"join_event_listeners,default=null"`
	Aliases            *map[string]string            `op:"aliases,default=null"`
}

// RoomCreatedRow is the answer to create_room.
type RoomCreatedRow struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	MatrixRoomID string `json:"matrix_room_id"`
	// FailedAttachments is empty: a room is made with all that was asked for, or not at all.
	FailedAttachments []map[string]string `json:"failed_attachments"`
}

func createRoom() *operation {
	return define("create_room",
		"Create a room with a name, a description of what it is for, and the agents that are in it from the start "+
			"(agent_names; you are not added unless you name yourself). instructions tell everybody who enters how to "+
			"behave there. roles are hats that members can take, each {name, instructions, exclusive?}. linked_rooms point "+
			"to other rooms, each {target_room_id, label}. aliases give agents other names in this room. "+
			"join_event_listeners names the agents that want to hear of arrivals. reference_ids show existing references "+
			"in it (see create_reference), group_name files it in the one group of that name. include_subagents_for names "+
			"agents whose children are added too. read_visibility is public, or private to keep the room from all but its "+
			"members and your owner's agents; write_visibility is public, so that every agent may change the room and add "+
			"itself, or private, so that only you and your owner's agents may, which a room that is private to read must be. "+
			"channel_type is channel_public unless you give channel_private, direct (every message addresses everybody), "+
			"group or lobby. internal_only, admin_mode and security_config are kept with the room and change nothing here. "+
			"user_names, package_ids and bridge_id are not needed: there are no packages, and people come through the doors "+
			"that list_bridges names. Returns the id of the room; enter it with connect_to_room.",
		func(ctx context.Context, r *Registry, c Caller, a createRoomArgs) (any, error) {
			cmd, err := r.roomFrom(c, a)
			if err != nil {
				return nil, err
			}
			made, _, err := r.node.CreateRoom(ctx, cmd, c.Key)
			if err != nil {
				return nil, err
			}
			return RoomCreatedRow{
				ID: made.Room, Name: a.Name, MatrixRoomID: made.Room, FailedAttachments: []map[string]string{},
			}, nil
		})
}

// roomFrom checks what the arguments refer to and makes the command.
func (r *Registry) roomFrom(c Caller, a createRoomArgs) (core.CreateRoom, error) {
	if err := errors.Join(checkChannel(a), given("channel_type", a.ChannelType),
		given("read_visibility", &a.ReadVisibility), given("write_visibility", &a.WriteVisibility)); err != nil {
		return core.CreateRoom{}, err
	}
	owner, _ := r.node.Agent(c.Agent)
	cmd := core.CreateRoom{
		Facts: core.RoomFacts{
			Name: a.Name, Creator: c.Agent, Owner: owner.Owner, InternalOnly: a.InternalOnly && a.BridgeID == nil, AdminMode: a.AdminMode,
			ReadVisibility: a.ReadVisibility, WriteVisibility: a.WriteVisibility, ChannelType: value(a.ChannelType),
		},
		Texts: core.RoomTexts{Description: a.Description, Instructions: value(a.Instructions)},
	}
	var err error
	if err = r.fileRoom(&cmd, a); err != nil {
		return core.CreateRoom{}, err
	}
	if a.SecurityConfig != nil {
		if cmd.Facts.SecurityConfig, err = strictjson.Marshal(*a.SecurityConfig); err != nil {
			return core.CreateRoom{}, fmt.Errorf("encode security_config: %w", err)
		}
	}
	if cmd.Texts.Roles, err = rolesFrom(value(a.Roles)); err != nil {
		return core.CreateRoom{}, err
	}
	if cmd.Texts.Links, err = r.linksFrom(c.Agent, value(a.LinkedRooms)); err != nil {
		return core.CreateRoom{}, err
	}
	if cmd.Members, err = r.membersFrom(a); err != nil {
		return core.CreateRoom{}, err
	}
	for _, name := range value(a.JoinEventListeners) {
		i := slices.IndexFunc(cmd.Members, func(m core.NewMember) bool { return m.Handle == name })
		if i < 0 {
			return core.CreateRoom{}, argument("join_event_listeners", "%q is not among the agents of the room", name)
		}
		cmd.Facts.Listeners = append(cmd.Facts.Listeners, cmd.Members[i].Agent)
	}
	return cmd, nil
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func argument(name, format string, args ...any) *ArgumentError {
	return &ArgumentError{Names: []string{name}, Reason: fmt.Sprintf("argument %q: ", name) + fmt.Sprintf(format, args...)}
}

// given refuses an empty text where leaving the argument out would mean the default: whoever wrote it meant something.
func given(name string, text *string) error {
	if text != nil && *text == "" {
		return argument(name, "must not be empty")
	}
	return nil
}

func rolesFrom(list []map[string]json.RawMessage) ([]core.RoleDef, error) {
	var out []core.RoleDef
	for _, fields := range list {
		raw, err := strictjson.Marshal(fields)
		if err != nil {
			return nil, argument("roles", "each must be an object")
		}
		var role core.RoleDef
		if fields["name"] == nil || fields["instructions"] == nil || strictjson.Unmarshal(raw, &role) != nil {
			return nil, argument("roles", "each must have name and instructions as strings, and may have exclusive as true or false")
		}
		out = append(out, role)
	}
	return out, nil
}

func (r *Registry) linksFrom(agent string, list []map[string]string) ([]core.Link, error) {
	var out []core.Link
	for _, l := range list {
		target, label := l["target_room_id"], l["label"]
		if _, ok := r.linkable(agent, target); !ok {
			return nil, argument("linked_rooms", "no room %.300q", target)
		}
		out = append(out, core.Link{Target: target, Label: label})
	}
	return out, nil
}

// membersFrom resolves the agents by name, each once, in the order given, children after their parent.
func (r *Registry) membersFrom(a createRoomArgs) ([]core.NewMember, error) {
	var out []core.NewMember
	add := func(agent core.Agent) {
		if !slices.ContainsFunc(out, func(m core.NewMember) bool { return m.Agent == agent.ID }) {
			out = append(out, core.NewMember{Agent: agent.ID, Name: agent.Name, Handle: agent.Handle})
		}
	}
	for _, name := range a.AgentNames {
		agent, ok := r.node.AgentByHandle(name)
		if !ok {
			return nil, argument("agent_names", "no agent %q", name)
		}
		add(agent)
	}
	for _, name := range value(a.IncludeSubagents) {
		parent, ok := r.node.AgentByHandle(name)
		if !ok {
			return nil, argument("include_subagents_for", "no agent %q", name)
		}
		for _, child := range r.node.ChildrenOf(parent.ID) {
			add(child)
		}
	}
	for name, alias := range value(a.Aliases) {
		i := slices.IndexFunc(out, func(m core.NewMember) bool { return m.Handle == name })
		if i < 0 {
			return nil, argument("aliases", "%q is not among the agents of the room", name)
		}
		if err := given("aliases", &alias); err != nil {
			return nil, err
		}
		out[i].Alias = alias
	}
	return out, nil
}
