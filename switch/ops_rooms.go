package agentswitch

import (
	"context"
	"encoding/json"
)

// An argument that is nil, or empty where the comment says so, is left out,
// and the server's default holds.

type roomArgs struct {
	RoomID string `json:"room_id"`
}

type archivedArgs struct {
	IncludeArchived bool `json:"include_archived"`
}

// ListRooms returns the rooms the agent belongs to.
func (c *Client) ListRooms(ctx context.Context, includeArchived bool) ([]RoomRow, error) {
	return call[[]RoomRow](ctx, c, OpListRooms, archivedArgs{includeArchived})
}

// ListAllRooms returns every room on the server.
func (c *Client) ListAllRooms(ctx context.Context, includeArchived bool) ([]AnyRoomRow, error) {
	return call[[]AnyRoomRow](ctx, c, OpListAllRooms, archivedArgs{includeArchived})
}

// GetRoomDetail returns all there is to know about a room the agent is in.
func (c *Client) GetRoomDetail(ctx context.Context, roomID string) (RoomDetail, error) {
	return call[RoomDetail](ctx, c, OpGetRoomDetail, roomArgs{roomID})
}

// ConnectToRoomArgs are the arguments of connect_to_room.
type ConnectToRoomArgs struct {
	RoomID string `json:"room_id"`
	// IncludeGeneralInstructions is true by default. An agent that has read
	// them once needs only the room's own.
	IncludeGeneralInstructions *bool `json:"include_general_instructions,omitempty"`
}

// ConnectToRoom claims a room for the client's connection and returns what
// there is to know about it. A live sibling loses the room; the answer's
// Warning says so.
func (c *Client) ConnectToRoom(ctx context.Context, roomID string) (ConnectToRoomAnswer, error) {
	return c.ConnectToRoomWith(ctx, ConnectToRoomArgs{RoomID: roomID})
}

// ConnectToRoomWith is ConnectToRoom with all arguments.
func (c *Client) ConnectToRoomWith(ctx context.Context, args ConnectToRoomArgs) (ConnectToRoomAnswer, error) {
	return call[ConnectToRoomAnswer](ctx, c, OpConnectToRoom, args)
}

// NewLink is a link of a room to be made.
type NewLink struct {
	TargetRoomID string `json:"target_room_id"`
	Label        string `json:"label"`
}

// CreateRoomArgs are the arguments of create_room.
type CreateRoomArgs struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// AgentNames are the members. The caller is one only when it is named.
	AgentNames List[string] `json:"agent_names"`
	// UserNames are the humans of a room on a bridge.
	UserNames []string `json:"user_names,omitempty"`
	// ChannelType is ChannelPublic by default.
	ChannelType *string `json:"channel_type,omitempty"`
	// BridgeID is the default bridge, if there is one, unless InternalOnly.
	BridgeID     *string `json:"bridge_id,omitempty"`
	InternalOnly bool    `json:"internal_only,omitempty"`
	AdminMode    bool    `json:"admin_mode,omitempty"`
	// SecurityConfig is an object that the server keeps.
	SecurityConfig json.RawMessage `json:"security_config,omitempty"`
	Instructions   *string         `json:"instructions,omitempty"`
	ReferenceIDs   []string        `json:"reference_ids,omitempty"`
	PackageIDs     []string        `json:"package_ids,omitempty"`
	LinkedRooms    []NewLink       `json:"linked_rooms,omitempty"`
	// ReadVisibility and WriteVisibility are VisibilityPublic by default.
	ReadVisibility  string `json:"read_visibility,omitempty"`
	WriteVisibility string `json:"write_visibility,omitempty"`
	// GroupName is the exact name of one existing group.
	GroupName *string    `json:"group_name,omitempty"`
	Roles     []RoleArgs `json:"roles,omitempty"`
	// IncludeSubagentsFor are agents whose children are added too.
	IncludeSubagentsFor []string `json:"include_subagents_for,omitempty"`
	// JoinEventListeners are agents that arrivals wake.
	JoinEventListeners []string `json:"join_event_listeners,omitempty"`
	// Aliases map agent names to aliases.
	Aliases map[string]string `json:"aliases,omitempty"`
}

// CreateRoom makes a room. What could not be attached to it is in the answer.
func (c *Client) CreateRoom(ctx context.Context, args CreateRoomArgs) (CreateRoomAnswer, error) {
	return call[CreateRoomAnswer](ctx, c, OpCreateRoom, args)
}

// UpdateRoomArgs are the arguments of update_room. What is nil stays.
type UpdateRoomArgs struct {
	RoomID       string  `json:"room_id"`
	Name         *string `json:"name,omitempty"`
	Description  *string `json:"description,omitempty"`
	Instructions *string `json:"instructions,omitempty"`
	AdminMode    *bool   `json:"admin_mode,omitempty"`
	// JoinEventListeners map agent names to whether arrivals wake them.
	JoinEventListeners map[string]bool `json:"join_event_listeners,omitempty"`
	// BridgeID moves the room. ChannelType and ExternalChannelID go with it.
	BridgeID          *string `json:"bridge_id,omitempty"`
	ChannelType       *string `json:"channel_type,omitempty"`
	ExternalChannelID *string `json:"external_channel_id,omitempty"`
	// Aliases map agent names to aliases; an empty one clears.
	Aliases map[string]string `json:"aliases,omitempty"`
}

// UpdateRoom changes a room's settings.
func (c *Client) UpdateRoom(ctx context.Context, args UpdateRoomArgs) (RoomDetail, error) {
	return call[RoomDetail](ctx, c, OpUpdateRoom, args)
}

// ArchiveRoom hides a room in lists. Nothing else about it changes.
func (c *Client) ArchiveRoom(ctx context.Context, roomID string) (RoomDetail, error) {
	return call[RoomDetail](ctx, c, OpArchiveRoom, roomArgs{roomID})
}

// UnarchiveRoom shows a room in lists again.
func (c *Client) UnarchiveRoom(ctx context.Context, roomID string) (RoomDetail, error) {
	return call[RoomDetail](ctx, c, OpUnarchiveRoom, roomArgs{roomID})
}

// ListParticipants returns who is in the current room.
func (c *Client) ListParticipants(ctx context.Context) ([]ParticipantRow, error) {
	return call[[]ParticipantRow](ctx, c, OpListParticipants, nil)
}

// InviteAgentArgs are the arguments of invite_agent_to_room.
type InviteAgentArgs struct {
	RoomID           string `json:"room_id"`
	AgentName        string `json:"agent_name"`
	IncludeSubagents bool   `json:"include_subagents,omitempty"`
}

// InviteAgentToRoom makes an agent a member of a room.
func (c *Client) InviteAgentToRoom(ctx context.Context, args InviteAgentArgs) error {
	return c.Call(ctx, OpInviteAgent, args, nil)
}

// AddUsersToRoom adds humans to a room on a bridge. Those that are not known
// there are in the answer.
func (c *Client) AddUsersToRoom(ctx context.Context, roomID string, userNames []string) (AddUsersAnswer, error) {
	return call[AddUsersAnswer](ctx, c, OpAddUsers, struct {
		RoomID    string       `json:"room_id"`
		UserNames List[string] `json:"user_names"`
	}{roomID, userNames})
}
