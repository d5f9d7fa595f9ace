package areyouai

import (
	"fmt"
	"strconv"

	"stele/internal/sse"
	"stele/internal/strictjson"
)

// Bytes a server writes on a stream beside events. Every line ends in LF
// alone: the sidecar splits frames on two LFs and hears nothing otherwise.
// Source: contract, "Streams", "Common".
const (
	// StreamPreamble is what every stream opens with, flushed at once.
	StreamPreamble = "retry: 3000\n\n"
	// StreamKeepalive is written every KeepaliveInterval.
	StreamKeepalive = ": keepalive\n\n"
)

// AppendEventFrame appends ev as a frame of GET /v1/rooms/{id}/events: id,
// event, one line of data, a blank line. The bytes depend on the event alone,
// so one encoding serves every reader.
func AppendEventFrame(dst []byte, ev Event) ([]byte, error) {
	data, err := ev.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("areyouai: encode event %d: %w", ev.EventID, err)
	}
	return sse.Append(dst, sse.Frame{
		ID:    strconv.FormatInt(ev.EventID, 10),
		Event: string(ev.Type),
		Data:  data,
	}), nil
}

// FrameError is a frame that breaks the contract; it ends a stream, because
// skipping it could lose a message without a trace.
type FrameError struct {
	// Reason says which rule was broken.
	Reason string
	// ID and Event are the frame's own id and event lines.
	ID, Event string
	cause     error
}

// Error names the frame and the broken rule.
func (e *FrameError) Error() string {
	return fmt.Sprintf("areyouai: bad frame (id %q, event %q): %s", e.ID, e.Event, e.Reason)
}

// Unwrap returns the decoding error, or nil.
func (e *FrameError) Unwrap() error { return e.cause }

// ParseEventFrame reads one event frame. The data must be an event object
// with a positive event_id, the id line, if any, must repeat it, and the
// event line must repeat its type; else the error is a *FrameError. Unknown
// types pass: a client ignores them but still counts their ids.
func ParseEventFrame(f sse.Event) (Event, error) {
	bad := func(reason string, cause error) (Event, error) {
		return Event{}, &FrameError{Reason: reason, ID: f.ID, Event: f.Event, cause: cause}
	}
	var ev Event
	if err := strictjson.UnmarshalLimits(f.Data, &ev, strictjson.Limits{MaxBytes: MaxFrameBytes, MaxDepth: maxReplyDepth}); err != nil {
		return bad("the data is not an event object", err)
	}
	switch {
	case ev.EventID <= 0:
		return bad("event_id is missing or not positive", nil)
	case ev.Type == "":
		return bad("type is missing", nil)
	case f.HasID && f.ID != strconv.FormatInt(ev.EventID, 10):
		return bad("the id line differs from event_id", nil)
	case f.Event != "" && f.Event != string(ev.Type):
		return bad("the event line differs from type", nil)
	case ev.Type == EventMessageCreated && (ev.Turn == nil || ev.MessageID == ""):
		return bad("a message.created without turn or message_id", nil)
	}
	return ev, nil
}
