package agentswitch

import (
	"encoding/json"

	"stele/internal/strictjson"
)

// BeatRequest is the body of POST …/connection/beat.
type BeatRequest struct {
	ConnectionID string `json:"connection_id"`
	// Cursor is the highest sequence the client has seen.
	Cursor uint64 `json:"cursor"`
}

// BeatAnswer is the answer to a beat that was accepted.
type BeatAnswer struct {
	OK     bool   `json:"ok"`
	Rooms  Rooms  `json:"rooms"`
	Cursor uint64 `json:"cursor"`
}

// ParseBeatRequest reads a beat. Errors are an Error.
func ParseBeatRequest(body []byte) (BeatRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return BeatRequest{}, err
	}
	req := BeatRequest{ConnectionID: f.requiredString("connection_id"), Cursor: f.sequenceOr("cursor", 0)}
	return req, f.err()
}

// SubscribeRequest is the body of POST …/connection/subscribe and unsubscribe.
type SubscribeRequest struct {
	ConnectionID string `json:"connection_id"`
	RoomID       string `json:"room_id"`
	// Takeover claims the room also from a live sibling; unsubscribe ignores it.
	Takeover bool `json:"takeover,omitempty"`
}

// SubscribeAnswer is the answer to a subscribe. The last two are set when a
// live sibling lost the room.
type SubscribeAnswer struct {
	OK                  bool    `json:"ok"`
	Rooms               Rooms   `json:"rooms"`
	EvictedConnectionID *string `json:"evicted_connection_id"`
	Warning             *string `json:"warning"`
}

// UnsubscribeAnswer is the answer to an unsubscribe.
type UnsubscribeAnswer struct {
	OK    bool  `json:"ok"`
	Rooms Rooms `json:"rooms"`
}

// ParseSubscribeRequest reads the body of a subscribe or unsubscribe. Errors
// are an Error.
func ParseSubscribeRequest(body []byte) (SubscribeRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return SubscribeRequest{}, err
	}
	req := SubscribeRequest{
		ConnectionID: f.requiredString("connection_id"),
		RoomID:       f.requiredString("room_id"),
		Takeover:     f.boolOr("takeover", false),
	}
	return req, f.err()
}

// MessageRequest is the body of POST …/message.
type MessageRequest struct {
	RoomID  string `json:"room_id"`
	Content string `json:"content"`
}

// MessageAnswer is the answer to a message or media post.
type MessageAnswer struct {
	OK      bool   `json:"ok"`
	EventID string `json:"event_id"`
}

// ParseMessageRequest reads a message post; metadata is ignored. Errors are an
// Error.
func ParseMessageRequest(body []byte) (MessageRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return MessageRequest{}, err
	}
	req := MessageRequest{RoomID: f.requiredString("room_id"), Content: f.requiredString("content")}
	return req, f.err()
}

// TypingRequest is the body of POST …/typing.
type TypingRequest struct {
	RoomID   string `json:"room_id"`
	IsTyping bool   `json:"is_typing"`
}

// ParseTypingRequest reads a typing report. Errors are an Error.
func ParseTypingRequest(body []byte) (TypingRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return TypingRequest{}, err
	}
	req := TypingRequest{RoomID: f.requiredString("room_id"), IsTyping: f.requiredBool("is_typing")}
	return req, f.err()
}

// ParseArguments reads the body of an operation: a JSON object, or nothing for
// no arguments. Which arguments there are is the operation's to judge. Errors
// are an Error.
func ParseArguments(body []byte) (map[string]json.RawMessage, error) {
	if len(body) == 0 {
		return map[string]json.RawMessage{}, nil
	}
	return bodyObjectLimits(body, strictjson.Limits{MaxBytes: MaxArgumentBytes})
}
