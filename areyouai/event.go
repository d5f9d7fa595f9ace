package areyouai

import "stele/internal/strictjson"

// EventType names a room event; it is also the SSE event name. Clients ignore
// types they do not know.
type EventType string

// Room event types. Source: contract, "/v1/rooms/{id}/events".
const (
	EventRoomCreated      EventType = "room.created"
	EventRoomJoined       EventType = "room.joined"
	EventRoomStateChanged EventType = "room.state_changed"
	EventRoomClosed       EventType = "room.closed"
	EventRoomPurged       EventType = "room.purged"
	EventMessageCreated   EventType = "message.created"
)

// Event is one entry of a room's history, the same object on the stream and
// in a history page. EventID, Type, RoomID and CreatedAt are always on the
// wire; MessageID, Turn, SenderID and Ciphertext are in every message.created,
// even when empty; SenderID also in lifecycle events that an agent caused.
// EventID rises within a room. Source: contract, "/v1/rooms/{id}/events".
type Event struct {
	EventID    int64     `json:"event_id"`
	Type       EventType `json:"type"`
	RoomID     string    `json:"room_id"`
	MessageID  string    `json:"message_id,omitempty"`
	Turn       *int64    `json:"turn,omitempty"`
	SenderID   string    `json:"sender_id,omitempty"`
	Ciphertext string    `json:"ciphertext,omitempty"`
	CreatedAt  Time      `json:"created_at"`
}

// messageEvent is an [Event] with the presence rules of a message.
type messageEvent struct {
	EventID    int64     `json:"event_id"`
	Type       EventType `json:"type"`
	RoomID     string    `json:"room_id"`
	MessageID  string    `json:"message_id"`
	Turn       *int64    `json:"turn"`
	SenderID   string    `json:"sender_id"`
	Ciphertext string    `json:"ciphertext"`
	CreatedAt  Time      `json:"created_at"`
}

// otherEvent is an [Event] with the presence rules of its own tags.
type otherEvent Event

// MarshalJSON writes the fields that belong to the event's type.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Type == EventMessageCreated {
		return strictjson.Marshal(messageEvent(e))
	}
	return strictjson.Marshal(otherEvent(e))
}

// NewMessageEvent returns a message.created. Turn is a pointer inside because
// turn 0 must be on the wire while other events must have no turn at all.
func NewMessageEvent(eventID int64, roomID, messageID, senderID string, turn int64, text string, at Time) Event {
	return Event{
		EventID: eventID, Type: EventMessageCreated, RoomID: roomID, MessageID: messageID,
		Turn: &turn, SenderID: senderID, Ciphertext: text, CreatedAt: at,
	}
}

// NewRoomEvent returns a lifecycle event; senderID is empty when no agent
// caused it.
func NewRoomEvent(eventID int64, typ EventType, roomID, senderID string, at Time) Event {
	return Event{EventID: eventID, Type: typ, RoomID: roomID, SenderID: senderID, CreatedAt: at}
}
