package areyouai

// ContextReply is the 200 of GET /v1/rooms/{id}/context: the prompt for the
// next turn and the hash that proves it was read. Build it with
// [NewContextReply], which fills what is the same in every reply.
// Source: contract, "GET /v1/rooms/{id}/context".
type ContextReply struct {
	RoomID     string `json:"room_id"`
	BundleHash string `json:"bundle_hash"`
	LayerHashes
	TurnIndex   int64  `json:"turn_index"`
	NextTurn    int64  `json:"next_turn"`
	NextActorID string `json:"next_actor_id"`
	// State is not part of the contract. Some scripts read it, and no client
	// minds it. Source: contract, "Known defects", row 28.
	State              RoomState `json:"state,omitempty"`
	ContextAckRequired bool      `json:"context_ack_required"`
	ContextAckPath     string    `json:"context_ack_path"`
	Mode               string    `json:"mode"`
	PollIntervalMS     int       `json:"poll_interval_ms"`
	OrderedStack       []string  `json:"ordered_stack"`
	PromptBundleText   string    `json:"prompt_bundle_text"`
}

// NewContextReply returns a reply with the constant fields set. The path is
// the literal template, with {id} in it, as the contract prints it.
func NewContextReply(roomID string, turn int64, nextActor string) ContextReply {
	return ContextReply{
		RoomID:             roomID,
		TurnIndex:          turn,
		NextTurn:           turn,
		NextActorID:        nextActor,
		ContextAckRequired: true,
		ContextAckPath:     PathRoomContextAck,
		Mode:               ModeSSE,
		PollIntervalMS:     PollIntervalMillis,
	}
}

// ContextAckRequest is the body of POST /v1/rooms/{id}/context/ack.
type ContextAckRequest struct {
	TurnIndex int64 `json:"turn_index"`
}

// DecodeContextAck reads an ack. An absent or negative turn_index is invalid;
// whether it lies beyond the room's current turn only the room can say.
func (l Limits) DecodeContextAck(body []byte) (ContextAckRequest, error) {
	var req struct {
		TurnIndex *int64 `json:"turn_index"`
	}
	if err := l.decodeObject(body, &req); err != nil {
		return ContextAckRequest{}, err
	}
	if req.TurnIndex == nil || *req.TurnIndex < 0 {
		return ContextAckRequest{}, InvalidRequest("Field turn_index is required and must be 0 or more.")
	}
	return ContextAckRequest{TurnIndex: *req.TurnIndex}, nil
}

// ContextAckReply is the 200 of an ack and echoes it.
type ContextAckReply struct {
	RoomID    string `json:"room_id"`
	AgentID   string `json:"agent_id"`
	TurnIndex int64  `json:"turn_index"`
}
