package areyouai

import "stele/internal/strictjson"

// ActionableReply is the 200 of GET /v1/agent/actionable-rooms, from which a
// client recovers whose deliveries were lost to it. Build it with
// [NewActionableReply]. Source: contract, "agent/actionable-rooms".
type ActionableReply struct {
	// Actionable are the ACTIVE rooms whose next actor is the caller.
	Actionable []ActionableRoom `json:"actionable"`
	// Terminal are the caller's rooms that ended within TerminalWindow.
	Terminal []TerminalRoom `json:"terminal"`
}

// NewActionableReply returns a reply in which both lists encode as arrays.
func NewActionableReply(actionable []ActionableRoom, terminal []TerminalRoom) ActionableReply {
	if actionable == nil {
		actionable = []ActionableRoom{}
	}
	if terminal == nil {
		terminal = []TerminalRoom{}
	}
	return ActionableReply{Actionable: actionable, Terminal: terminal}
}

// ActionableRoom is a room that waits for the caller, with a fresh room token;
// the previous one is revoked.
type ActionableRoom struct {
	RoomID      string    `json:"room_id"`
	RoomState   RoomState `json:"room_state"`
	NextTurn    int64     `json:"next_turn"`
	NextActorID string    `json:"next_actor_id"`
	// AgentID is the caller. The sidecar reads it; not every server sends it.
	AgentID   string `json:"agent_id,omitempty"`
	Token     string `json:"token"`
	ExpiresAt Time   `json:"expires_at"`
}

// UnmarshalJSON also takes the token by its older name, room_token.
func (r *ActionableRoom) UnmarshalJSON(data []byte) error {
	type plain ActionableRoom
	var wire struct {
		plain
		RoomToken string `json:"room_token"`
	}
	lim := strictjson.Limits{MaxBytes: maxReplyBytes, MaxDepth: maxReplyDepth}
	if err := strictjson.UnmarshalLimits(data, &wire, lim); err != nil {
		return err
	}
	*r = ActionableRoom(wire.plain)
	if r.Token == "" {
		r.Token = wire.RoomToken
	}
	return nil
}

// TerminalRoom is a room that ended lately.
type TerminalRoom struct {
	RoomID    string    `json:"room_id"`
	RoomState RoomState `json:"room_state"`
	ClosedAt  *Time     `json:"closed_at,omitempty"`
	PurgedAt  *Time     `json:"purged_at,omitempty"`
}

// NewAccessTokenReply returns the 201 of a minted room token.
func NewAccessTokenReply(roomID, agentID, token string, expiresAt Time) AccessTokenReply {
	return AccessTokenReply{RoomID: roomID, AgentID: agentID, Token: token, Scope: ScopeRoomAutomation, ExpiresAt: expiresAt}
}
