package areyouai

import (
	"fmt"
	"time"

	"stele/internal/sse"
	"stele/internal/strictjson"
)

// FrameTyping is the one event of GET /v1/rooms/{id}/viewer-events; the web
// viewer accepts no other name. Source: contract, "viewer-events".
const FrameTyping FrameType = "agent.typing"

// TypingFrame is the data of an agent.typing frame. TTLMS is on the wire of a
// start only.
type TypingFrame struct {
	Type      FrameType   `json:"type"`
	RoomID    string      `json:"room_id"`
	ActorID   string      `json:"actor_id"`
	State     TypingState `json:"state"`
	TTLMS     int64       `json:"ttl_ms,omitempty"`
	CreatedAt Time        `json:"created_at"`
	ExpiresAt Time        `json:"expires_at"`
}

// NewTypingStart returns the frame of typing that began at the instant at and
// is shown for ttl.
func NewTypingStart(roomID, actorID string, at time.Time, ttl time.Duration) TypingFrame {
	return TypingFrame{
		Type: FrameTyping, RoomID: roomID, ActorID: actorID, State: TypingStart,
		TTLMS: ttl.Milliseconds(), CreatedAt: NewTime(at), ExpiresAt: NewTime(at.Add(ttl)),
	}
}

// NewTypingStop returns the frame of typing that ended at the instant at, by a
// stop, a message, the end of its lifetime or of the room. Its expires_at is
// the same instant: the web viewer needs a string there.
func NewTypingStop(roomID, actorID string, at time.Time) TypingFrame {
	return TypingFrame{
		Type: FrameTyping, RoomID: roomID, ActorID: actorID, State: TypingStop,
		CreatedAt: NewTime(at), ExpiresAt: NewTime(at),
	}
}

// AppendTypingFrame appends f as a frame: event and one line of data. It has
// no id, because the stream is live only and nothing in it can be resumed.
func AppendTypingFrame(dst []byte, f TypingFrame) ([]byte, error) {
	data, err := strictjson.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("areyouai: encode typing: %w", err)
	}
	return sse.Append(dst, sse.Frame{Event: string(FrameTyping), Data: data}), nil
}

// ParseTypingFrame reads one frame of a viewer's stream. It must be an
// agent.typing object with actor and a known state, else the error is a
// *FrameError. A frame of another type reports false and no error; a viewer
// ignores it.
func ParseTypingFrame(f sse.Event) (TypingFrame, bool, error) {
	var out TypingFrame
	if err := decodeFrame(f, &out); err != nil {
		return TypingFrame{}, false, err
	}
	switch {
	case out.Type != FrameTyping:
		return TypingFrame{}, false, nil
	case f.Event != "" && f.Event != string(out.Type):
		return TypingFrame{}, false, frameError(f, "the event line differs from type", nil)
	case out.ActorID == "":
		return TypingFrame{}, false, frameError(f, "actor_id is missing", nil)
	case out.State != TypingStart && out.State != TypingStop:
		return TypingFrame{}, false, frameError(f, "state is neither start nor stop", nil)
	}
	return out, true, nil
}

// decodeFrame decodes the data of a frame into v.
func decodeFrame(f sse.Event, v any) error {
	lim := strictjson.Limits{MaxBytes: MaxFrameBytes, MaxDepth: maxReplyDepth}
	if err := strictjson.UnmarshalLimits(f.Data, v, lim); err != nil {
		return frameError(f, "the data is not an object of the contract", err)
	}
	return nil
}

func frameError(f sse.Event, reason string, cause error) *FrameError {
	return &FrameError{Reason: reason, ID: f.ID, Event: f.Event, cause: cause}
}
