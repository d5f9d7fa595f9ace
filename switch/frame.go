package agentswitch

import (
	"fmt"
	"strconv"

	"stele/internal/sse"
	"stele/internal/strictjson"
)

// Frame is anything that arrives on a stream: ConnectionState,
// SubscriptionChanged, Evicted, Gap, Keepalive or Event.
type Frame interface{ frame() }

// Keepalive is a comment. It only shows that the connection lives.
type Keepalive struct{ Text string }

func (ConnectionState) frame()     {}
func (SubscriptionChanged) frame() {}
func (Evicted) frame()             {}
func (Gap) frame()                 {}
func (Keepalive) frame()           {}
func (Event) frame()               {}

// FrameError reports a frame that could not be understood. If it had a usable
// id, the client has moved its cursor past it.
type FrameError struct {
	// Event is the frame's event name.
	Event string
	Err   error
}

// Error implements error.
func (e *FrameError) Error() string {
	return "agentswitch: " + strconv.Quote(e.Event) + " frame: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *FrameError) Unwrap() error { return e.Err }

// ParseFrame turns one server-sent event into a Frame; failures are a
// *FrameError. An id that is not the number in the envelope wins over it,
// since the id is what resuming works with.
func ParseFrame(ev sse.Event) (Frame, error) {
	if ev.Comment {
		return Keepalive{Text: string(ev.Data)}, nil
	}
	frame, err := parseFrame(ev)
	if err != nil {
		return nil, &FrameError{Event: ev.Event, Err: err}
	}
	return frame, nil
}

func parseFrame(ev sse.Event) (Frame, error) {
	switch ev.Event {
	case FrameConnectionState:
		return decodeFrame[ConnectionState](ev.Data)
	case FrameSubscriptionChanged:
		return decodeFrame[SubscriptionChanged](ev.Data)
	case FrameEvicted:
		return decodeFrame[Evicted](ev.Data)
	case FrameGap:
		return decodeFrame[Gap](ev.Data)
	}
	event, err := ParseEvent(ev.Data)
	if err != nil {
		return nil, err
	}
	if ev.HasID {
		if event.Sequence, err = parseSequence(ev.ID); err != nil {
			return nil, err
		}
	}
	return event, nil
}

func decodeFrame[T Frame](data []byte) (Frame, error) {
	var f T
	if kind := strictjson.KindOf(data); kind != "object" && kind != "" {
		return nil, &strictjson.TypeError{Want: "object", Got: kind}
	}
	if err := strictjson.UnmarshalLimits(data, &f, frameLimits()); err != nil {
		return nil, err
	}
	return f, nil
}

func parseSequence(id string) (uint64, error) {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("id is not a sequence: %w", err)
	}
	return n, nil
}
