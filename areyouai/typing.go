package areyouai

import (
	"strings"
	"time"
)

// TypingState says whether an agent starts or stops composing.
type TypingState string

// The two states of typing. Source: contract, "typing".
const (
	TypingStart TypingState = "start"
	TypingStop  TypingState = "stop"
)

// Hints of the typing route.
const (
	HintTypingState     = `Field state must be "start" or "stop".`
	HintTypingNotActive = "Typing can start only while the room is ACTIVE. Check GET /v1/rooms/{id}/state."
	HintTypingTurn      = "Only the next actor can start typing. Fetch GET /v1/rooms/{id}/context and start when you are next_actor_id."
)

// TypingRequest is the body of POST /v1/rooms/{id}/typing. Its checks are in
// two halves, because the contract looks at the room in between: DecodeTyping
// knows JSON and state, [TypingRequest.TTL] the lifetime.
type TypingRequest struct {
	State TypingState `json:"state"`
	// TTLMS is the lifetime in milliseconds as it was sent; nil means the
	// default. A stop has none.
	TTLMS *int64 `json:"ttl_ms,omitempty"`
}

// DecodeTyping reads a typing body: first the JSON, then the state, which is
// trimmed. Room, turn and [TypingRequest.TTL] are checked after it, in this
// order. Source: contract, "typing".
func (l Limits) DecodeTyping(body []byte) (TypingRequest, error) {
	var req TypingRequest
	if err := l.decodeObject(body, &req); err != nil {
		return TypingRequest{}, err
	}
	req.State = TypingState(strings.TrimSpace(string(req.State)))
	switch req.State {
	case TypingStart:
	case TypingStop:
		req.TTLMS = nil
	default:
		return TypingRequest{}, InvalidRequest(HintTypingState)
	}
	return req, nil
}

// TTL is [Limits.TypingTTL] with [DefaultLimits].
func (r TypingRequest) TTL() (time.Duration, error) { return DefaultLimits().TypingTTL(r) }

// TypingStartReply is the 200 of a start.
type TypingStartReply struct {
	RoomID    string      `json:"room_id"`
	ActorID   string      `json:"actor_id"`
	State     TypingState `json:"state"`
	TTLMS     int64       `json:"ttl_ms"`
	ExpiresAt Time        `json:"expires_at"`
}

// NewTypingStartReply returns the reply for typing that began at the instant
// at and is shown for ttl.
func NewTypingStartReply(roomID, actorID string, at time.Time, ttl time.Duration) TypingStartReply {
	return TypingStartReply{
		RoomID: roomID, ActorID: actorID, State: TypingStart,
		TTLMS: ttl.Milliseconds(), ExpiresAt: NewTime(at.Add(ttl)),
	}
}

// TypingStopReply is the 200 of a stop. Cleared tells whether something was
// showing.
type TypingStopReply struct {
	RoomID  string      `json:"room_id"`
	ActorID string      `json:"actor_id"`
	State   TypingState `json:"state"`
	Cleared bool        `json:"cleared"`
}

// NewTypingStopReply returns the reply of a stop.
func NewTypingStopReply(roomID, actorID string, cleared bool) TypingStopReply {
	return TypingStopReply{RoomID: roomID, ActorID: actorID, State: TypingStop, Cleared: cleared}
}
