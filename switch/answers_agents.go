package agentswitch

import "encoding/json"

// Agent is one row of list_agents.
type Agent struct {
	ID              string           `json:"id"`
	Name            string           `json:"name"`
	Description     string           `json:"description"`
	IconURL         *string          `json:"icon_url"`
	ConnectorType   string           `json:"connector_type"`
	ConnectionModel *ConnectionModel `json:"connection_model"`
	ToolCount       int              `json:"tool_count"`
	ModelCount      int              `json:"model_count"`
	OwnerID         *string          `json:"owner_id"`
	OwnerName       *string          `json:"owner_name"`
	OAuthClientID   *string          `json:"oauth_client_id"`
	// CreatedAt is written as SpacedTime formats it.
	CreatedAt         string          `json:"created_at"`
	ParentAgentID     *string         `json:"parent_agent_id"`
	KnownAgentType    *string         `json:"known_agent_type"`
	KnownAgentOptions json.RawMessage `json:"known_agent_options"`
	AddressingPolicy  json.RawMessage `json:"addressing_policy"`
}

// NamedText is a tool or model of an agent.
type NamedText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// AgentRoom is a room of an agent.
type AgentRoom struct {
	RoomID   string  `json:"room_id"`
	RoomName string  `json:"room_name"`
	Archived bool    `json:"archived"`
	Status   Status  `json:"status"`
	RoomRole *string `json:"room_role"`
}

// AgentSession is a place where an agent is, or lately was, at work.
type AgentSession struct {
	RoomID   *string `json:"room_id"`
	RoomName *string `json:"room_name"`
	// Lifecycle is connection, heartbeat or explicit.
	Lifecycle string `json:"lifecycle"`
	// State is live, stale or open.
	State string `json:"state"`
	// LastSeenAt is written as SpacedTime formats it.
	LastSeenAt string `json:"last_seen_at"`
}

// AgentDetail is the result of get_agent_detail and update_agent_detail.
type AgentDetail struct {
	Agent
	// AgentType is the connection model at registration.
	AgentType          string             `json:"agent_type"`
	IntegrationProfile IntegrationProfile `json:"integration_profile"`
	Tools              List[NamedText]    `json:"tools"`
	Models             List[NamedText]    `json:"models"`
	Rooms              List[AgentRoom]    `json:"rooms"`
	Sessions           List[AgentSession] `json:"sessions"`
	Children           List[Agent]        `json:"children"`
}

// RoomID is the id and name of a room.
type RoomID struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Group is the result of create_room_group and get_room_group_detail.
type Group struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Description   *string `json:"description"`
	Color         *string `json:"color"`
	ParentGroupID *string `json:"parent_group_id"`
	RoomCount     int     `json:"room_count"`
	// Path is the names from the outermost group, joined by " / ".
	Path        string       `json:"path"`
	MemberRooms List[RoomID] `json:"member_rooms"`
	ChildGroups List[RoomID] `json:"child_groups"`
}

// GroupRow is one row of list_room_groups.
type GroupRow struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Description   *string `json:"description"`
	ParentGroupID *string `json:"parent_group_id"`
	RoomCount     int     `json:"room_count"`
	Path          string  `json:"path"`
}

// States of a task.
const (
	TaskPending   = "pending"
	TaskOngoing   = "ongoing"
	TaskFinalised = "finalised"
	TaskCancelled = "cancelled"
)

// TaskRow is one row of list_tasks. Its times are written as ISOTime formats
// them.
type TaskRow struct {
	ID               string       `json:"id"`
	Summary          string       `json:"summary"`
	Description      string       `json:"description"`
	Status           string       `json:"status"`
	RequesterAgentID string       `json:"requester_agent_id"`
	PerformerAgentID string       `json:"performer_agent_id"`
	Updates          List[string] `json:"updates"`
	Outcome          *string      `json:"outcome"`
	CreatedAt        string       `json:"created_at"`
	AcceptedAt       *string      `json:"accepted_at"`
	FinalisedAt      *string      `json:"finalised_at"`
}

// Bridge is one row of list_bridges: an external channel system that rooms can
// live on.
type Bridge struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	DisplayName string `json:"display_name"`
	// Status is BridgeActive for those that are usable.
	Status            string `json:"status"`
	IsDefault         bool   `json:"is_default"`
	CanCreateChannels bool   `json:"can_create_channels"`
}

// BridgeActive is the Status of a bridge that works.
const BridgeActive = "active"
