package core

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxMessageBytes bounds every message; where no door names a limit in characters, it alone does on an open floor.
const MaxMessageBytes = 256 << 10

// MaxAttachments bounds the files of a message.
const MaxAttachments = 32

// PostMessage says something in a room.
type PostMessage struct {
	Sender string
	Text   string
	// Attachments are files that are in the media store already; a message with one may have no text.
	Attachments []Attachment
	// Thread is the root message of the thread it belongs to, as [Node.ThreadRoot] found it; empty: top level.
	Thread string
	// Expected, if set, must be the room's turn.
	Expected *int
	// MaxCharacters, if above 0, caps the text in Unicode characters, in a turns room in place of MaxTurnsMessage: the door
	// that names a limit has its own, lower or higher. No message has more than MaxMessageBytes.
	MaxCharacters int
	// Guard, if set, is asked after the checks of turn, floor and size; what it returns refuses the message. It must only
	// read the room and may be asked again when somebody else's write came first.
	Guard func(*Room) error
	// holders are the members that hold a role live, by the role's name in lower case; refuses tells which members the
	// sender may not address. Both are set by the node.
	holders map[string][]string
	refuses func(agent string) bool
}

// Posted is the answer to PostMessage.
type Posted struct {
	Message string    `json:"message"`
	Turn    int       `json:"turn"`
	State   RoomState `json:"state"`
	Next    string    `json:"next,omitempty"`
}

func (c PostMessage) decide(r *Room, env Env) ([]Payload, Posted, error) {
	if err := r.mayPost(c.Sender, c.Expected, env.Now); err != nil {
		return nil, Posted{}, err
	}
	if r.Floor == FloorTurns {
		// A turn is used up by words only, whatever door they come through. They stay as they are.
		if strings.TrimSpace(c.Text) == "" {
			return nil, Posted{}, &InvalidError{Field: "body", Reason: "must not be blank in a turn-based room"}
		}
	}
	if err := c.checkText(r); err != nil {
		return nil, Posted{}, err
	}
	if len(c.Attachments) > MaxAttachments {
		return nil, Posted{}, &InvalidError{Field: "files", Reason: fmt.Sprintf("at most %d files go with a message", MaxAttachments)}
	}
	if c.Guard != nil {
		if err := c.Guard(r); err != nil {
			return nil, Posted{}, err
		}
	}
	sender := r.Members[c.Sender]
	msg := &MessagePostedEvent{
		MessageFacts: MessageFacts{
			ID: env.IDs.Message(env.Now, r.Turn), Turn: r.Turn, Sender: c.Sender, Thread: c.Thread,
		},
		MessageTexts: MessageTexts{SenderName: sender.displayName(), Text: c.Text, Attachments: c.Attachments},
	}
	for _, a := range c.Attachments {
		msg.Media = append(msg.Media, a.Media)
	}
	msg.Addressed, msg.AddressAll = c.addressees(r)
	events := []Payload{msg}
	posted := Posted{Message: msg.ID, Turn: r.Turn, State: StateActive}
	last := r.MaxTurns > 0 && r.Turn+1 >= r.MaxTurns
	if last {
		msg.Last = true
		posted.State = StateClosed
		events = append(events,
			&RoomStateChangedEvent{From: r.State, To: StateClosed, Actor: c.Sender},
			&RoomClosedEvent{Reason: ClosedByMaxTurns, Actor: c.Sender})
	} else if r.Floor == FloorTurns {
		msg.Next = r.Sides[(r.Turn+1)%2]
		msg.Addressed = addOnce(msg.Addressed, msg.Next)
		posted.Next = msg.Next
	}
	return events, posted, nil
}

// addressees are the members that the message speaks to: everybody in a direct room, else those that it mentions, without
// those that do not let the sender address them.
func (c PostMessage) addressees(r *Room) (some []string, all bool) {
	refuses := c.refuses
	if refuses == nil {
		refuses = func(string) bool { return false }
	}
	if r.ChannelType != "direct" {
		return slices.DeleteFunc(r.mentioned(c.Text, c.Sender, c.holders), refuses), false
	}
	for id := range r.Members {
		if id != c.Sender && !refuses(id) {
			some = append(some, id)
		}
	}
	if len(some) == len(r.Members)-1 {
		return nil, true
	}
	slices.Sort(some)
	return some, false
}

// checkText refuses what no client could be shown as it is, and what is too long.
func (c PostMessage) checkText(r *Room) error {
	if !utf8.ValidString(c.Text) {
		return &InvalidError{Field: "body", Reason: "must be valid UTF-8, without halves of surrogate pairs"}
	}
	limit := c.MaxCharacters
	if r.Floor == FloorTurns && limit == 0 {
		limit = MaxTurnsMessage
	}
	if limit > 0 {
		if n := utf8.RuneCountInString(c.Text); n > limit {
			return &TooLongError{Field: "message", Unit: "characters", Max: limit, Got: n}
		}
	}
	if len(c.Text) > MaxMessageBytes {
		return &TooLongError{Field: "message", Unit: "bytes", Max: MaxMessageBytes, Got: len(c.Text)}
	}
	return nil
}

func addOnce(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// displayName is what other clients show for the member: the handle, which is unique, has no control characters, and is
// what one writes to address it. A name may be anybody's.
func (m *Member) displayName() string {
	if m.Handle != "" {
		return m.Handle
	}
	return m.Name
}
