package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"stele/internal/strictjson"
)

// plainEvent is an event in the log's own words: one JSON object, the same for whoever reads the log by itself.
type plainEvent struct {
	Position Position        `json:"position"`
	Version  uint64          `json:"version"`
	At       time.Time       `json:"at"`
	Room     string          `json:"room"`
	Kind     Kind            `json:"kind"`
	Erased   bool            `json:"erased,omitempty"`
	Event    json.RawMessage `json:"event"`
}

// AppendPlain appends an event of a room in the log's own words, as one JSON object in one line: its numbers, time, room and
// kind, and under "event" all that is stored with it. Hashes of codes and rules of access are left out: whoever may read the
// room need not know them.
func (e *Entry) AppendPlain(dst []byte) ([]byte, error) {
	room, _ := e.Stream.RoomID()
	out := plainEvent{
		Position: e.Position, Version: e.Version, At: e.At, Room: room, Kind: e.Kind, Erased: e.Erased,
	}
	stored := e.Event
	if p, ok := e.Payload.(Payload); ok && (stored.Body == nil || e.Kind == RoomCreated) {
		encoded, err := encodePayload(withoutSecrets(p))
		if err != nil {
			return dst, err
		}
		if e.Erased {
			encoded.Content = nil
		}
		stored = encoded
	}
	out.Event = joinObjects(stored.Body, stored.Content)
	line, err := strictjson.Marshal(out)
	if err != nil {
		return dst, fmt.Errorf("encode %s in plain words: %w", e.Kind, err)
	}
	return append(dst, line...), nil
}

// ParsePlain reads what [Entry.AppendPlain] wrote. A kind that this program does not know keeps its words and has no payload.
// Errors: *[InvalidError], or of the JSON.
func ParsePlain(line []byte) (*Entry, error) {
	var in plainEvent
	if err := strictjson.UnmarshalLimits(line, &in, storedLimits); err != nil {
		return nil, fmt.Errorf("read an event in plain words: %w", err)
	}
	if in.Kind == "" || in.Room == "" {
		return nil, &InvalidError{Field: "kind", Reason: "an event has a kind and a room"}
	}
	e := &Entry{Recorded: Recorded{
		Event:    Event{Kind: in.Kind, Version: in.Version, At: in.At},
		Position: in.Position, Stream: RoomStream(in.Room), Erased: in.Erased,
	}}
	p := newPayload(in.Kind)
	if p == nil {
		e.Body = in.Event
		return e, nil
	}
	body, content := p.parts()
	parts := []any{body}
	if content != nil && !in.Erased {
		parts = append(parts, content)
	}
	for _, part := range parts {
		if err := strictjson.UnmarshalLimits(in.Event, part, storedLimits); err != nil {
			return nil, fmt.Errorf("read %s in plain words: %w", in.Kind, err)
		}
	}
	e.Payload = p
	return e, nil
}

// withoutSecrets returns the payload, or a copy without what readers of a room need not know.
func withoutSecrets(p Payload) Payload {
	made, ok := p.(*RoomCreatedEvent)
	if !ok {
		return p
	}
	shown := *made
	shown.HumanCodeHash, shown.SecurityConfig = "", nil
	return &shown
}

// joinObjects makes one JSON object of two that have no key in common; either may be missing.
func joinObjects(a, b []byte) json.RawMessage {
	inner := func(object []byte) []byte {
		object = bytes.TrimSpace(object)
		return bytes.TrimSuffix(bytes.TrimPrefix(object, []byte("{")), []byte("}"))
	}
	first, second := inner(a), inner(b)
	out := append([]byte{'{'}, first...)
	if len(first) > 0 && len(second) > 0 {
		out = append(out, ',')
	}
	return append(append(out, second...), '}')
}

// EmptyPayload makes an event of a room, of a kind in which nothing is said yet; nil for a kind that this program does not
// know or that is of no room. It is for those who make events of what they read elsewhere.
func EmptyPayload(kind Kind) Payload {
	if newOutsidePayload(kind) != nil {
		return nil
	}
	return newPayload(kind)
}
