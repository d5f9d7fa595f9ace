package agentswitch

// OK is the answer of routes that have nothing more to say.
type OK struct {
	OK bool `json:"ok"`
}

// LeaseAnswer is the answer of POST …/leases/renew; Held false ends the
// client's renewals.
type LeaseAnswer struct {
	OK   bool `json:"ok"`
	Held bool `json:"held"`
}

// Health is the answer of GET /health: {"status":"ok"}. Probes compare it.
type Health struct {
	Status string `json:"status"`
}

// ResultAnswer is the answer to an operation that succeeded.
type ResultAnswer struct {
	Result any `json:"result"`
}

// RoomRow is one row of list_rooms.
type RoomRow struct {
	RoomID      string `json:"room_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Connected marks the current room of the calling connection.
	Connected bool `json:"connected"`
	Archived  bool `json:"archived"`
}

// AnyRoomRow is one row of list_all_rooms.
type AnyRoomRow struct {
	RoomID      string `json:"room_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Archived    bool   `json:"archived"`
}

// Participant is the long form, as connect_to_room answers it. For users the
// fields of agents are null or false.
type Participant struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Type is ParticipantAgent or ParticipantUser.
	Type        string  `json:"type"`
	AgentType   *string `json:"agent_type"`
	CanDelegate bool    `json:"can_delegate"`
	CanAccept   bool    `json:"can_accept"`
	Status      *Status `json:"status"`
	RoomRole    *string `json:"room_role"`
	Alias       *string `json:"alias"`
}

// ParticipantRow is the short form, one row of list_participants.
type ParticipantRow struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Type   string  `json:"type"`
	Status *Status `json:"status"`
	Alias  *string `json:"alias"`
}

// RoomParticipant is one row of GET /agents/rooms/{room_id}/participants.
type RoomParticipant struct {
	// Type is ParticipantAgent or ParticipantUser.
	Type string `json:"type"`
	// AgentID and Status are null for users.
	AgentID *string `json:"agent_id"`
	Name    string  `json:"name"`
	Status  *Status `json:"status"`
}

// ParticipantsAnswer is the answer of GET /agents/rooms/{room_id}/participants.
type ParticipantsAnswer struct {
	Participants List[RoomParticipant] `json:"participants"`
}

// ConnectToRoomAnswer is the result of connect_to_room.
type ConnectToRoomAnswer struct {
	AgentID        string             `json:"agent_id"`
	RoomID         string             `json:"room_id"`
	Name           string             `json:"name"`
	Description    string             `json:"description"`
	Participants   List[Participant]  `json:"participants"`
	Instructions   string             `json:"instructions"`
	ReferenceTypes Map[ReferenceType] `json:"reference_types"`
	References     List[Reference]    `json:"references"`
	Documents      List[Document]     `json:"documents"`
	Packages       List[Package]      `json:"packages"`
	LinkedRooms    List[LinkedRoom]   `json:"linked_rooms"`
	Roles          List[Role]         `json:"roles"`
	Warning        *string            `json:"warning"`
}

// RoomDetail is the result of get_room_detail, update_room, archive_room and
// unarchive_room.
type RoomDetail struct {
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Description  string  `json:"description"`
	ChannelType  *string `json:"channel_type"`
	AdminMode    bool    `json:"admin_mode"`
	Instructions *string `json:"instructions"`
	MatrixRoomID string  `json:"matrix_room_id"`
	// CreatedAt is written as SpacedTime formats it.
	CreatedAt          string       `json:"created_at"`
	BridgeID           *string      `json:"bridge_id"`
	BridgeDisplayName  *string      `json:"bridge_display_name"`
	ExternalChannelID  *string      `json:"external_channel_id"`
	GroupID            *string      `json:"group_id"`
	GroupName          *string      `json:"group_name"`
	GroupPath          *string      `json:"group_path"`
	AgentNames         List[string] `json:"agent_names"`
	AgentStatuses      Map[Status]  `json:"agent_statuses"`
	ConnectedUserNames Rooms        `json:"connected_user_names"`
	JoinEventListeners List[string] `json:"join_event_listeners"`
	// Aliases map agent names to aliases.
	Aliases  Map[string] `json:"aliases"`
	Roles    List[Role]  `json:"roles"`
	Archived bool        `json:"archived"`
}

// FailedAttachment is something that could not be attached to a new room.
type FailedAttachment struct {
	// Kind is reference, package or linked_room.
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Error string `json:"error"`
}

// CreateRoomAnswer is the result of create_room.
type CreateRoomAnswer struct {
	ID                string                 `json:"id"`
	Name              string                 `json:"name"`
	MatrixRoomID      string                 `json:"matrix_room_id"`
	FailedAttachments List[FailedAttachment] `json:"failed_attachments"`
}

// AddUsersAnswer is the result of add_users_to_room.
type AddUsersAnswer struct {
	// OK is true only when nobody is unresolved.
	OK         bool         `json:"ok"`
	Added      List[string] `json:"added"`
	Unresolved List[string] `json:"unresolved"`
}

// PostMessageAnswer is the result of post_message.
type PostMessageAnswer struct {
	EventID string `json:"event_id"`
}

// TargetedMessageAnswer is the result of send_targeted_message.
type TargetedMessageAnswer struct {
	EventID string `json:"event_id"`
	// TargetStatuses has one entry for each agent that was addressed.
	TargetStatuses Map[Status] `json:"target_statuses"`
}
