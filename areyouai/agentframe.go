package areyouai

import (
	"fmt"
	"time"

	"stele/internal/sse"
	"stele/internal/strictjson"
)

// HintReplayRequired tells a client with an unusable cursor how to go on.
const HintReplayRequired = "Call GET /v1/agent/actionable-rooms, drop your last_delivery_id and connect again without it."

// AgentFrame is a frame of the agent stream: a [StreamHello], a
// [StreamReplayRequired], a [ReloginRequired], a [TurnReady] or a [RoomEnded].
type AgentFrame interface {
	// Frame returns the frame's type, which is also its SSE event name.
	Frame() FrameType
	// Delivery returns the delivery id, empty for a control frame. It is the
	// SSE id and what an ack names.
	Delivery() string
}

// NewStreamHello returns the first frame of a stream. lastAcked is written
// only with status ok; server time is now.
func NewStreamHello(agentID string, status ResumeStatus, lastAcked string, now time.Time) StreamHello {
	if status != ResumeOK {
		lastAcked = ""
	}
	return StreamHello{
		Type: FrameStreamHello, AgentID: agentID, ResumeStatus: status,
		LastAcknowledgedDeliveryID: lastAcked, ServerTime: NewTime(now),
	}
}

// NewReplayRequired returns the frame after which a server closes a stream
// whose cursor it cannot use.
func NewReplayRequired(agentID string) StreamReplayRequired {
	return StreamReplayRequired{Type: FrameReplayRequired, AgentID: agentID, Hint: HintReplayRequired}
}

// NewReloginRequired returns the frame after which a server closes a stream
// whose session ended.
func NewReloginRequired(agentID string) ReloginRequired {
	return ReloginRequired{Type: FrameRelogin, AgentID: agentID}
}

// Frame returns FrameStreamHello.
func (StreamHello) Frame() FrameType { return FrameStreamHello }

// Delivery returns "": a control frame has no id.
func (StreamHello) Delivery() string { return "" }

// Frame returns FrameReplayRequired.
func (StreamReplayRequired) Frame() FrameType { return FrameReplayRequired }

// Delivery returns "": a control frame has no id.
func (StreamReplayRequired) Delivery() string { return "" }

// Frame returns FrameRelogin.
func (ReloginRequired) Frame() FrameType { return FrameRelogin }

// Delivery returns "": a control frame has no id.
func (ReloginRequired) Delivery() string { return "" }

// Frame returns FrameTurnReady.
func (TurnReady) Frame() FrameType { return FrameTurnReady }

// Delivery returns the delivery id.
func (d TurnReady) Delivery() string { return d.DeliveryID }

// Frame returns FrameRoomClosed or FrameRoomPurged.
func (d RoomEnded) Frame() FrameType { return d.Type }

// Delivery returns the delivery id.
func (d RoomEnded) Delivery() string { return d.DeliveryID }

// AppendAgentFrame appends f as a frame of GET /v1/agent/stream: id (for a
// delivery), event, one line of data, a blank line, all ended by LF alone.
// Source: contract, "/v1/agent/stream".
func AppendAgentFrame(dst []byte, f AgentFrame) ([]byte, error) {
	data, err := strictjson.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("areyouai: encode %s: %w", f.Frame(), err)
	}
	return sse.Append(dst, sse.Frame{ID: f.Delivery(), Event: string(f.Frame()), Data: data}), nil
}

// ParseAgentFrame reads one frame of the agent stream. A delivery must carry a
// delivery_id, which its id line must repeat, and a room_id; a turn also needs
// a numeric next_turn. Else the error is a *FrameError. A frame of an unknown
// type is nil without an error; a client ignores it.
func ParseAgentFrame(f sse.Event) (AgentFrame, error) {
	var head struct {
		Type       FrameType `json:"type"`
		DeliveryID string    `json:"delivery_id"`
		RoomID     string    `json:"room_id"`
		NextTurn   *int64    `json:"next_turn"`
	}
	if err := decodeFrame(f, &head); err != nil {
		return nil, err
	}
	switch {
	case head.Type == "":
		return nil, frameError(f, "type is missing", nil)
	case f.Event != "" && f.Event != string(head.Type):
		return nil, frameError(f, "the event line differs from type", nil)
	}
	switch head.Type {
	case FrameStreamHello:
		return parseAs[StreamHello](f)
	case FrameReplayRequired:
		return parseAs[StreamReplayRequired](f)
	case FrameRelogin:
		return parseAs[ReloginRequired](f)
	case FrameTurnReady, FrameRoomClosed, FrameRoomPurged:
	default:
		return nil, nil
	}
	switch {
	case head.DeliveryID == "" || head.RoomID == "":
		return nil, frameError(f, "a delivery without delivery_id or room_id", nil)
	case f.HasID && f.ID != head.DeliveryID:
		return nil, frameError(f, "the id line differs from delivery_id", nil)
	case head.Type != FrameTurnReady:
		return parseAs[RoomEnded](f)
	case head.NextTurn == nil || *head.NextTurn < 0:
		return nil, frameError(f, "next_turn is missing or negative", nil)
	}
	return parseAs[TurnReady](f)
}

func parseAs[T AgentFrame](f sse.Event) (AgentFrame, error) {
	var out T
	if err := decodeFrame(f, &out); err != nil {
		return nil, err
	}
	return out, nil
}
