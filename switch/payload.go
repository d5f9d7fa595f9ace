package agentswitch

import "encoding/json"

// EventType names a domain event; it stands in the frame's event line and in
// the envelope.
type EventType string

// The domain events.
const (
	TypeMessage      EventType = "message"
	TypeCommand      EventType = "command"
	TypeRoomJoin     EventType = "room_join"
	TypeTaskDelegate EventType = "task_delegate"
	TypeTaskCancel   EventType = "task_cancel"
	TypeTaskAccept   EventType = "task_accept"
	TypeTaskUpdate   EventType = "task_update"
	TypeTaskFinalise EventType = "task_finalise"
)

// Payload is the content of a domain event: one of Message, Command, RoomJoin,
// TaskDelegate, TaskCancel, TaskAccept, TaskUpdate, TaskFinalise or Unknown.
type Payload interface {
	// EventType returns the event's type.
	EventType() EventType
	// Notifiable reports whether the event passes FilterAddressed.
	Notifiable() bool

	appendTo(dst []byte) []byte
}

// Attachment is a file that came with a message.
type Attachment struct {
	Filename string `json:"filename"`
	// Mimetype is always a string, since clients take it apart without looking.
	Mimetype string `json:"mimetype"`
	// Size is in bytes.
	Size int64  `json:"size"`
	MXC  string `json:"mxc"`
	// MsgType follows from the MIME type; see AttachmentMsgType.
	MsgType string `json:"msgtype"`
}

// Message is something said in a room, as one receiver sees it.
type Message struct {
	// Addressed: the message is meant for this receiver.
	Addressed bool `json:"addressed"`
	// Sender is the sender's stable id.
	Sender     string `json:"sender"`
	SenderName string `json:"sender_name"`
	MessageID  string `json:"message_id"`
	Body       string `json:"body"`
	// Timestamp is in milliseconds since 1970, as all times on events.
	Timestamp int64 `json:"timestamp"`
	// ThreadID is the message id of the thread's root; nil at top level.
	ThreadID    *string          `json:"thread_id"`
	Attachments List[Attachment] `json:"attachments"`
}

// Commands that reach agents.
const (
	CommandReset     = "reset"
	CommandCompact   = "compact"
	CommandInterrupt = "interrupt"
)

// Command is an order that a human typed for this receiver.
type Command struct {
	Command  string  `json:"command"`
	Args     string  `json:"args"`
	UserID   string  `json:"user_id"`
	UserName string  `json:"user_name"`
	ThreadID *string `json:"thread_id"`
}

// RoomJoin tells that a participant arrived in a room. The one who arrived
// does not get it.
type RoomJoin struct {
	// Member is the stable sender id of who joined.
	Member     string `json:"member"`
	MemberName string `json:"member_name"`
	Timestamp  int64  `json:"timestamp"`
	// Listening: this receiver asked to be woken by arrivals in the room.
	Listening bool `json:"listening"`
}

// TaskIDs are the fields that all task events share.
type TaskIDs struct {
	TaskID           string `json:"task_id"`
	RequesterAgentID string `json:"requester_agent_id"`
	PerformerAgentID string `json:"performer_agent_id"`
}

// TaskDelegate hands a task to its performer.
type TaskDelegate struct {
	TaskIDs
	Summary     string `json:"summary"`
	Description string `json:"description"`
}

// TaskCancel tells the performer that a task was withdrawn.
type TaskCancel struct {
	TaskIDs
	Reason string `json:"reason"`
}

// TaskAccept tells the requester that work on a task began.
type TaskAccept struct{ TaskIDs }

// TaskUpdate brings the requester a progress note.
type TaskUpdate struct {
	TaskIDs
	Update string `json:"update"`
}

// TaskFinalise tells the requester how a task ended.
type TaskFinalise struct {
	TaskIDs
	Outcome string `json:"outcome"`
}

// Unknown is an event of a type this package does not know. Clients pass over
// it; new types may come at any time.
type Unknown struct {
	Type EventType
	// Raw is the payload as it came.
	Raw json.RawMessage
}

// EventType implements Payload.
func (Message) EventType() EventType { return TypeMessage }

// EventType implements Payload.
func (Command) EventType() EventType { return TypeCommand }

// EventType implements Payload.
func (RoomJoin) EventType() EventType { return TypeRoomJoin }

// EventType implements Payload.
func (TaskDelegate) EventType() EventType { return TypeTaskDelegate }

// EventType implements Payload.
func (TaskCancel) EventType() EventType { return TypeTaskCancel }

// EventType implements Payload.
func (TaskAccept) EventType() EventType { return TypeTaskAccept }

// EventType implements Payload.
func (TaskUpdate) EventType() EventType { return TypeTaskUpdate }

// EventType implements Payload.
func (TaskFinalise) EventType() EventType { return TypeTaskFinalise }

// EventType implements Payload.
func (u Unknown) EventType() EventType { return u.Type }

// Notifiable implements Payload.
func (m Message) Notifiable() bool { return m.Addressed }

// Notifiable implements Payload.
func (Command) Notifiable() bool { return false }

// Notifiable implements Payload.
func (j RoomJoin) Notifiable() bool { return j.Listening }

// Notifiable implements Payload; task events are always notifiable.
func (TaskIDs) Notifiable() bool { return true }

// Notifiable implements Payload.
func (Unknown) Notifiable() bool { return false }
