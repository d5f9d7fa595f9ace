package core

import (
	"encoding/json"
	"time"
)

// RoomCreatedEvent begins a room's stream.
type RoomCreatedEvent struct {
	RoomFacts
	RoomTexts
}

// RoomFacts is what a room keeps of its creation for ever.
type RoomFacts struct {
	ID              string          `json:"id"`
	Name            string          `json:"name"`
	Creator         string          `json:"creator,omitempty"`
	Owner           string          `json:"owner,omitempty"`
	Floor           Floor           `json:"floor"`
	State           RoomState       `json:"state"`
	ChannelType     string          `json:"channel_type"`
	ReadVisibility  string          `json:"read_visibility"`
	WriteVisibility string          `json:"write_visibility"`
	InternalOnly    bool            `json:"internal_only,omitempty"`
	AdminMode       bool            `json:"admin_mode,omitempty"`
	SecurityConfig  json.RawMessage `json:"security_config,omitempty"`
	MaxTurns        int             `json:"max_turns,omitempty"`
	TTLAt           time.Time       `json:"ttl_at"`
	Listing         *Listing        `json:"listing,omitempty"`
	Listeners       []string        `json:"listeners,omitempty"`
	Conversation    string          `json:"conversation,omitempty"`
	// Group is the folder it is filed in, empty if none.
	Group string `json:"group,omitempty"`
	// HumanCodeHash is the SHA-256 of the code with which people watch; HumanCodeUntil is when it ends.
	HumanCodeHash  string    `json:"human_code_hash,omitempty"`
	HumanCodeUntil time.Time `json:"human_code_until"`
	// Imported is set for a room whose history was written elsewhere.
	Imported *Imported `json:"imported,omitempty"`
}

// RoomTexts is what people wrote about a room.
type RoomTexts struct {
	Description  string    `json:"description,omitempty"`
	Instructions string    `json:"instructions,omitempty"`
	Roles        []RoleDef `json:"roles,omitempty"`
	Links        []Link    `json:"links,omitempty"`
}

// RoleDef is a role that members of a room can take.
type RoleDef struct {
	Name         string `json:"name"`
	Instructions string `json:"instructions"`
	Exclusive    bool   `json:"exclusive"`
}

// Link points one way from a room to another.
type Link struct {
	Target string `json:"target"`
	Label  string `json:"label"`
}

// Listing offers a room: the other side of one that takes turns to whoever connects first, one with an open floor to
// everybody who connects.
type Listing struct {
	ID         string   `json:"id"`
	Agent      string   `json:"agent"`
	Topic      string   `json:"topic"`
	Tags       []string `json:"tags"`
	MaxTurns   int      `json:"max_turns"`
	TTLSeconds int      `json:"ttl_seconds"`
	// PublishedAt is set for an offer that was made for a room that existed already.
	PublishedAt time.Time `json:"published_at,omitzero"`
}

// Kind implements [Payload].
func (e *RoomCreatedEvent) Kind() Kind                 { return RoomCreated }
func (e *RoomCreatedEvent) parts() (body, content any) { return &e.RoomFacts, &e.RoomTexts }

// MemberJoinedEvent: an agent became a member.
type MemberJoinedEvent struct {
	Agent string `json:"agent"`
	// Name is what people call it, Handle how it is addressed.
	Name   string `json:"name"`
	Handle string `json:"handle,omitempty"`
	Alias  string `json:"alias,omitempty"`
	// Side is "a" or "b" for the two speakers of a turns room.
	Side string `json:"side,omitempty"`
	// Actor is who added it, empty when it came by itself.
	Actor string `json:"actor,omitempty"`
	// Listeners are the members that asked to be told of arrivals.
	Listeners []string `json:"listeners,omitempty"`
	// History tells that this happened where the room was imported from, and makes nobody a member here.
	History bool `json:"history,omitempty"`
}

// Kind implements [Payload].
func (e *MemberJoinedEvent) Kind() Kind                 { return MemberJoined }
func (e *MemberJoinedEvent) parts() (body, content any) { return e, nil }

// DisplayName is what other clients show for the newcomer, see [Member].
func (e *MemberJoinedEvent) DisplayName() string {
	return (&Member{Name: e.Name, Handle: e.Handle}).displayName()
}

// MemberLeftEvent: an agent is no longer a member.
type MemberLeftEvent struct {
	Agent string `json:"agent"`
}

// Kind implements [Payload].
func (e *MemberLeftEvent) Kind() Kind                 { return MemberLeft }
func (e *MemberLeftEvent) parts() (body, content any) { return e, nil }

// MessagePostedEvent: somebody spoke.
type MessagePostedEvent struct {
	MessageFacts
	MessageTexts
}

// MessageFacts is what stays of a message after its content was erased.
type MessageFacts struct {
	ID     string `json:"id"`
	Turn   int    `json:"turn"`
	Sender string `json:"sender"`
	// Thread is the id of the root message, empty at top level.
	Thread string `json:"thread,omitempty"`
	// Addressed lists the members the message speaks to; AddressAll means every one.
	Addressed  []string `json:"addressed,omitempty"`
	AddressAll bool     `json:"address_all,omitempty"`
	// Next is who may speak after it, in a turns room.
	Next string `json:"next,omitempty"`
	// Last tells that the room closed with it, because its turns were used up.
	Last bool `json:"last,omitempty"`
	// Media are the ids of what is attached.
	Media []string `json:"media,omitempty"`
}

// MessageTexts is the content of a message.
type MessageTexts struct {
	SenderName string `json:"sender_name"`
	Text       string `json:"text"`
	// Attachments describe what is attached, in the order of MessageFacts.Media.
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Attachment is a file that came with a message.
type Attachment struct {
	// Media is its id in the media store.
	Media    string `json:"media"`
	Filename string `json:"filename"`
	// Type is its MIME type, never empty; Size its length in bytes.
	Type string `json:"type"`
	Size int64  `json:"size"`
}

// Kind implements [Payload].
func (e *MessagePostedEvent) Kind() Kind                 { return MessagePosted }
func (e *MessagePostedEvent) parts() (body, content any) { return &e.MessageFacts, &e.MessageTexts }

// Words is what a client is told as the text that knows attachments: what was said, or the name of the first file that came
// without words.
func (e *MessagePostedEvent) Words() string {
	if e.Text == "" && len(e.Attachments) > 0 {
		return e.Attachments[0].Filename
	}
	return e.Text
}

// Shown is what a client is told that knows only text: what was said, and a line with a link for each file.
func (e *MessagePostedEvent) Shown() string { return AppendAttachmentLines(e.Text, e.Attachments) }

// Addresses tells whether the message speaks to the agent.
func (e *MessagePostedEvent) Addresses(agent string) bool {
	if e.AddressAll {
		return true
	}
	for _, a := range e.Addressed {
		if a == agent {
			return true
		}
	}
	return false
}

// RoomStateChangedEvent: the room went from one state to another.
type RoomStateChangedEvent struct {
	From RoomState `json:"from"`
	To   RoomState `json:"to"`
	// Actor is the agent that caused it, empty when time did.
	Actor string `json:"actor,omitempty"`
	// Next is who may speak now, in a turns room that is open or active.
	Next string `json:"next,omitempty"`
}

// Kind implements [Payload].
func (e *RoomStateChangedEvent) Kind() Kind                 { return RoomStateChanged }
func (e *RoomStateChangedEvent) parts() (body, content any) { return e, nil }

// RoomClosedEvent: the room takes no more messages.
type RoomClosedEvent struct {
	Reason CloseReason `json:"reason"`
	Actor  string      `json:"actor,omitempty"`
}

// Kind implements [Payload].
func (e *RoomClosedEvent) Kind() Kind                 { return RoomClosed }
func (e *RoomClosedEvent) parts() (body, content any) { return e, nil }
