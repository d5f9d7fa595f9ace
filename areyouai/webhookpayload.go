package areyouai

import (
	"fmt"
	"strings"

	"stele/internal/strictjson"
)

// WebhookPayload is the body of a webhook request. It names what happened and
// holds no message text. Source: contract, "Webhooks".
type WebhookPayload struct {
	DeliveryID    string    `json:"delivery_id"`
	EventID       int64     `json:"event_id"`
	Type          EventType `json:"type"`
	RoomID        string    `json:"room_id"`
	TargetAgentID string    `json:"target_agent_id"`
	RoomState     RoomState `json:"room_state"`
	NextTurn      int64     `json:"next_turn"`
	// Reason is the type with underscores; [NewWebhookPayload] derives it.
	Reason     string `json:"reason"`
	OccurredAt Time   `json:"occurred_at"`
	// NextActorID is present in OPEN and ACTIVE rooms only.
	NextActorID  string `json:"next_actor_id,omitempty"`
	OtherAgentID string `json:"other_agent_id,omitempty"`
}

// NewWebhookPayload returns p with the fields that follow from others: the
// reason, and no next actor in a room that ended.
func NewWebhookPayload(p WebhookPayload) WebhookPayload {
	p.Reason = strings.ReplaceAll(string(p.Type), ".", "_")
	if p.RoomState != StateOpen && p.RoomState != StateActive {
		p.NextActorID = ""
	}
	return p
}

// IsWebhookEvent reports whether events of that type are sent to webhooks.
func IsWebhookEvent(t EventType) bool {
	switch t {
	case EventRoomJoined, EventMessageCreated, EventRoomClosed, EventRoomPurged:
		return true
	}
	return false
}

// AppendWebhookPayload appends the body of a webhook request. These bytes are
// stored, signed and sent as they are, on every attempt.
func AppendWebhookPayload(dst []byte, p WebhookPayload) ([]byte, error) {
	dst, err := strictjson.Append(dst, p)
	if err != nil {
		return nil, fmt.Errorf("areyouai: encode webhook %s: %w", p.DeliveryID, err)
	}
	return dst, nil
}

// DecodeWebhookPayload reads a webhook's body at the receiver, after
// [VerifyWebhook]. Delivery, room and type must be there; unknown types pass.
func DecodeWebhookPayload(body []byte) (WebhookPayload, error) {
	var p WebhookPayload
	if err := DefaultLimits().decodeObject(body, &p); err != nil {
		return WebhookPayload{}, err
	}
	for _, need := range [...]struct{ field, value string }{
		{"delivery_id", p.DeliveryID}, {"room_id", p.RoomID}, {"type", string(p.Type)},
	} {
		if need.value == "" {
			return WebhookPayload{}, InvalidRequest(fmt.Sprintf("Field %s is required and must not be blank.", need.field))
		}
	}
	return p, nil
}
