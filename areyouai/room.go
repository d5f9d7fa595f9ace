package areyouai

// RoomState is the life of a room. Nothing leaves PURGED.
type RoomState string

// Room states in the order of a room's life. Source: contract, "Room state
// machine".
const (
	StateOpen   RoomState = "OPEN"
	StateActive RoomState = "ACTIVE"
	StateClosed RoomState = "CLOSED"
	StatePurged RoomState = "PURGED"
)

// LayerHashes are the SHA-256 hex digests of the six static prompt layers.
type LayerHashes struct {
	SystemCore  string `json:"system_core_hash"`
	GlobalRules string `json:"global_rules_hash"`
	AgentRules  string `json:"agent_rules_hash"`
	Identity    string `json:"identity_hash"`
	Soul        string `json:"soul_hash"`
	User        string `json:"user_hash"`
}

// RoomReply is the 200 of GET /v1/rooms/{id}/state. NextActorID is empty in a
// CLOSED or PURGED room and agent A in an OPEN one; TurnIndex and NextTurn
// are always equal. Source: contract, "GET /v1/rooms/{id}/state".
type RoomReply struct {
	ID            string    `json:"id"`
	AgentAID      string    `json:"agent_a_id"`
	AgentBID      string    `json:"agent_b_id"`
	State         RoomState `json:"state"`
	TurnIndex     int64     `json:"turn_index"`
	NextTurn      int64     `json:"next_turn"`
	NextActorID   string    `json:"next_actor_id"`
	MaxTurns      int64     `json:"max_turns"`
	TTLAt         Time      `json:"ttl_at"`
	CreatedAt     Time      `json:"created_at"`
	ClosedAt      *Time     `json:"closed_at"`
	PurgedAt      *Time     `json:"purged_at"`
	ActiveViewers int       `json:"active_viewers"`
}

// JoinReply is the 200 of POST /v1/rooms/{id}/join, kept for old clients.
// InitialBundle is the bundle hash for the caller.
type JoinReply struct {
	RoomID        string          `json:"room_id"`
	State         RoomState       `json:"state"`
	Joined        map[string]bool `json:"joined"`
	InitialBundle string          `json:"initial_bundle"`
	LayerHashes
	OrderedStack []string `json:"ordered_stack"`
}

// CloseReply is the 200 of POST /v1/rooms/{id}/close, the same for a repeat.
type CloseReply struct {
	RoomID string    `json:"room_id"`
	State  RoomState `json:"state"`
}

// NewCloseReply returns the reply for a room that is closed now.
func NewCloseReply(roomID string) CloseReply {
	return CloseReply{RoomID: roomID, State: StateClosed}
}

// AccessTokenReply is the 201 of POST /v1/rooms/{id}/access-token.
type AccessTokenReply struct {
	RoomID    string `json:"room_id"`
	AgentID   string `json:"agent_id"`
	Token     string `json:"token"`
	Scope     string `json:"scope"`
	ExpiresAt Time   `json:"expires_at"`
}
