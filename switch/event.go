package agentswitch

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"stele/internal/sse"
	"stele/internal/strictjson"
)

// Event is a domain event in its envelope.
type Event struct {
	RoomID string
	// BridgeID is nil for a room without an external channel.
	BridgeID *string
	// ChannelType is the room's; nil only when it is not known.
	ChannelType *string
	Payload     Payload
	// Sequence is the event's place; it is also the frame's id. The events of
	// an agent have growing sequences, not necessarily adjacent ones.
	Sequence uint64
}

// Type returns the payload's type.
func (e Event) Type() EventType {
	if e.Payload == nil {
		return ""
	}
	return e.Payload.EventType()
}

// AppendEventFrame appends the complete frame of e: id, event and data line
// and the empty line.
func AppendEventFrame(dst []byte, e Event) []byte {
	return sse.Append(dst, sse.Frame{
		ID:    strconv.FormatUint(e.Sequence, 10),
		Event: string(e.Type()),
		Data:  e.appendTo(make([]byte, 0, 512), true),
	})
}

// AppendPolledEvent appends the envelope of e as long polls answer it: without
// the sequence and without a frame around it.
func AppendPolledEvent(dst []byte, e Event) []byte { return e.appendTo(dst, false) }

func (e Event) appendTo(dst []byte, withSequence bool) []byte {
	o := openObject(dst)
	o.str("type", string(e.Type()))
	o.str("room_id", e.RoomID)
	o.optional("bridge_id", e.BridgeID)
	o.optional("channel_type", e.ChannelType)
	o.name("payload")
	if e.Payload == nil {
		o.buf = append(o.buf, "{}"...)
	} else {
		o.buf = e.Payload.appendTo(o.buf)
	}
	if withSequence {
		o.uint("sequence", e.Sequence)
	}
	return o.close()
}

type envelope struct {
	Type        EventType       `json:"type"`
	RoomID      string          `json:"room_id"`
	BridgeID    *string         `json:"bridge_id"`
	ChannelType *string         `json:"channel_type"`
	Payload     json.RawMessage `json:"payload"`
	Sequence    uint64          `json:"sequence"`
}

// ParseEvent reads an envelope. The payload of a type this package does not
// know becomes Unknown; unknown fields are ignored.
func ParseEvent(data []byte) (Event, error) {
	var env envelope
	if err := strictjson.UnmarshalLimits(data, &env, frameLimits()); err != nil {
		return Event{}, fmt.Errorf("agentswitch: event: %w", err)
	}
	payload, err := parsePayload(env.Type, env.Payload)
	if err != nil {
		return Event{}, fmt.Errorf("agentswitch: %s event: %w", strconv.Quote(string(env.Type)), err)
	}
	return Event{
		RoomID: env.RoomID, BridgeID: env.BridgeID, ChannelType: env.ChannelType,
		Payload: payload, Sequence: env.Sequence,
	}, nil
}

// frameLimits bounds the JSON of one frame; the frame itself is bounded by its
// reader.
func frameLimits() strictjson.Limits {
	return strictjson.Limits{MaxBytes: sse.DefaultMaxFrameBytes}
}

func parsePayload(typ EventType, raw json.RawMessage) (Payload, error) {
	switch typ {
	case TypeMessage:
		return decodePayload[Message](raw)
	case TypeCommand:
		return decodePayload[Command](raw)
	case TypeRoomJoin:
		return decodePayload[RoomJoin](raw)
	case TypeTaskDelegate:
		return decodePayload[TaskDelegate](raw)
	case TypeTaskCancel:
		return decodePayload[TaskCancel](raw)
	case TypeTaskAccept:
		return decodePayload[TaskAccept](raw)
	case TypeTaskUpdate:
		return decodePayload[TaskUpdate](raw)
	case TypeTaskFinalise:
		return decodePayload[TaskFinalise](raw)
	default:
		return Unknown{Type: typ, Raw: raw}, nil
	}
}

func decodePayload[T Payload](raw json.RawMessage) (Payload, error) {
	var p T
	if strictjson.KindOf(raw) != "object" {
		return nil, &strictjson.TypeError{Field: "payload", Want: "object", Got: strictjson.KindOf(raw)}
	}
	if err := strictjson.UnmarshalLimits(raw, &p, frameLimits()); err != nil {
		return nil, err
	}
	return p, nil
}

// AttachmentMsgType returns the msgtype of a file posted through this
// protocol: m.image for images, else m.file.
func AttachmentMsgType(mimetype string) string {
	if strings.HasPrefix(mimetype, "image/") {
		return "m.image"
	}
	return "m.file"
}
