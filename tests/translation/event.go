package translation

import (
	"fmt"
	"strings"

	"stele/internal/strictjson"
)

// Kinds of events, as the log names them.
const (
	kindCreated   = "room.created"
	kindJoined    = "member.joined"
	kindLeft      = "member.left"
	kindMessage   = "message.posted"
	kindState     = "room.state_changed"
	kindClosed    = "room.closed"
	kindPurged    = "room.purged"
	kindEmitted   = "event.emitted"
	kindPatched   = "state.patched"
	kindDelegated = "task.delegated"
	kindCancelled = "task.cancelled"
	kindAccepted  = "task.accepted"
	kindUpdated   = "task.updated"
	kindFinalised = "task.finalised"
)

// Event is an event of a room as it lies in the log.
type Event struct {
	// Position is its place in the whole log, Version its place in the room.
	Position, Version uint64
	Kind              string
	// Turn counts messages from 1; it is 0 for everything else.
	Turn uint64
	facts
}

// facts are what the tests look at in the events of all kinds.
type facts struct {
	ID         string   `json:"id"`
	Agent      string   `json:"agent"`
	Creator    string   `json:"creator"`
	Actor      string   `json:"actor"`
	Sender     string   `json:"sender"`
	SenderName string   `json:"sender_name"`
	Text       string   `json:"text"`
	Turn0      uint64   `json:"turn"`
	Addressed  []string `json:"addressed"`
	Everybody  bool     `json:"address_all"`
	Task       string   `json:"task"`
	Requester  string   `json:"requester"`
	Performer  string   `json:"performer"`
	Summary    string   `json:"summary"`
	Type       string   `json:"type"`
	Patch      Patch    `json:"patch"`
}

// NewEvent decodes an event from what the log's file holds of it. Content may be empty.
func NewEvent(position, version uint64, kind string, body, content []byte) (Event, error) {
	e := Event{Position: position, Version: version, Kind: kind}
	for _, part := range [][]byte{body, content} {
		if len(part) == 0 {
			continue
		}
		if err := strictjson.Unmarshal(part, &e.facts); err != nil {
			return Event{}, fmt.Errorf("event %d of kind %s: %w", position, kind, err)
		}
	}
	if kind == kindMessage {
		e.Turn = e.Turn0 + 1
	}
	return e, nil
}

// Mark is the word by which a test recognises what it caused: the first of a message, the type of an emitted event, the summary
// of a task. It is empty for everything else.
func (e Event) Mark() string {
	switch e.Kind {
	case kindMessage:
		mark, _, _ := strings.Cut(e.Text, " ")
		return mark
	case kindEmitted:
		return e.Type
	case kindDelegated:
		return e.Summary
	}
	return ""
}

func (e Event) addresses(agent string) bool {
	if e.Everybody {
		return true
	}
	for _, a := range e.Addressed {
		if a == agent {
			return true
		}
	}
	return false
}
