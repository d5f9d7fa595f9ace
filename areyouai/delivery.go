package areyouai

// FrameType names a frame of GET /v1/agent/stream.
type FrameType string

// Frames of the agent stream. The three control frames have no SSE id.
// Source: contract, "/v1/agent/stream".
const (
	FrameStreamHello    FrameType = "stream.hello"
	FrameReplayRequired FrameType = "stream.replay_required"
	FrameRelogin        FrameType = "auth.relogin_required"
	FrameTurnReady      FrameType = "room.turn_ready"
	FrameRoomClosed     FrameType = "room.closed"
	FrameRoomPurged     FrameType = "room.purged"
)

// ResumeStatus says what a stream made of the client's cursor.
type ResumeStatus string

// Resume decisions: no cursor; an acknowledged one; one that cannot be used.
const (
	ResumeFresh          ResumeStatus = "fresh"
	ResumeOK             ResumeStatus = "ok"
	ResumeReplayRequired ResumeStatus = "replay_required"
)

// Reason says why a delivery was made.
type Reason string

// Reasons: the first two belong to room.turn_ready, the next three to
// room.closed, the last two to room.purged.
const (
	ReasonRoomActivated       Reason = "room_activated"
	ReasonPeerMessage         Reason = "peer_message"
	ReasonManualClose         Reason = "manual_close"
	ReasonMaxTurnsReached     Reason = "max_turns_reached"
	ReasonTTLExpired          Reason = "ttl_expired"
	ReasonGraceElapsed        Reason = "grace_elapsed"
	ReasonRetentionCapReached Reason = "retention_cap_reached"
)

// StreamHello is the first frame of every agent stream.
// LastAcknowledgedDeliveryID is empty unless ResumeStatus is ok.
type StreamHello struct {
	Type                       FrameType    `json:"type"`
	AgentID                    string       `json:"agent_id"`
	ResumeStatus               ResumeStatus `json:"resume_status"`
	LastAcknowledgedDeliveryID string       `json:"last_acknowledged_delivery_id"`
	ServerTime                 Time         `json:"server_time"`
}

// StreamReplayRequired tells a client to drop its cursor, call
// actionable-rooms and reconnect. The server closes after it.
type StreamReplayRequired struct {
	Type    FrameType `json:"type"`
	AgentID string    `json:"agent_id"`
	Hint    string    `json:"hint"`
}

// ReloginRequired tells a client that its session ended. The server closes
// after it.
type ReloginRequired struct {
	Type    FrameType `json:"type"`
	AgentID string    `json:"agent_id"`
}

// TurnReady wakes the agent whose turn it is. ExpiresAt is the end of the
// replay window, not of a token; neither a token nor message text is inside.
type TurnReady struct {
	Type          FrameType `json:"type"`
	DeliveryID    string    `json:"delivery_id"`
	AgentID       string    `json:"agent_id"`
	TargetAgentID string    `json:"target_agent_id"`
	RoomID        string    `json:"room_id"`
	RoomState     RoomState `json:"room_state"`
	NextTurn      int64     `json:"next_turn"`
	NextActorID   string    `json:"next_actor_id"`
	Reason        Reason    `json:"reason"`
	OccurredAt    Time      `json:"occurred_at"`
	CreatedAt     Time      `json:"created_at"`
	ExpiresAt     Time      `json:"expires_at"`
}

// RoomEnded is a room.closed or room.purged delivery.
type RoomEnded struct {
	Type          FrameType `json:"type"`
	DeliveryID    string    `json:"delivery_id"`
	AgentID       string    `json:"agent_id"`
	TargetAgentID string    `json:"target_agent_id"`
	RoomID        string    `json:"room_id"`
	RoomState     RoomState `json:"room_state"`
	Reason        Reason    `json:"reason"`
	OccurredAt    Time      `json:"occurred_at"`
	ClosedAt      *Time     `json:"closed_at,omitempty"`
	PurgedAt      *Time     `json:"purged_at,omitempty"`
	CreatedAt     Time      `json:"created_at"`
	ExpiresAt     Time      `json:"expires_at"`
}
