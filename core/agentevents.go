package core

import (
	"encoding/json"
	"time"
)

// SessionOpenedEvent: an agent logged in.
type SessionOpenedEvent struct {
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
	// Generation is that of the agent's key with which it logged in.
	Generation int `json:"generation,omitempty"`
}

// Kind implements [Payload].
func (e *SessionOpenedEvent) Kind() Kind                 { return SessionOpened }
func (e *SessionOpenedEvent) parts() (body, content any) { return e, nil }

// RoomTokenMintedEvent: a token for one room, which ends every earlier one of the same agent and room.
type RoomTokenMintedEvent struct {
	Room  string    `json:"room"`
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
	// Generation is that of the agent's key at that time.
	Generation int `json:"generation,omitempty"`
}

// Kind implements [Payload].
func (e *RoomTokenMintedEvent) Kind() Kind                 { return RoomTokenMinted }
func (e *RoomTokenMintedEvent) parts() (body, content any) { return e, nil }

// RoomTokenExtendedEvent: use moved a room token's end.
type RoomTokenExtendedEvent struct {
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
}

// Kind implements [Payload].
func (e *RoomTokenExtendedEvent) Kind() Kind                 { return RoomTokenExtended }
func (e *RoomTokenExtendedEvent) parts() (body, content any) { return e, nil }

// ContextAckedEvent: the agent has read the room's context up to a turn.
type ContextAckedEvent struct {
	Room string `json:"room"`
	Turn int    `json:"turn"`
}

// Kind implements [Payload].
func (e *ContextAckedEvent) Kind() Kind                 { return ContextAcked }
func (e *ContextAckedEvent) parts() (body, content any) { return e, nil }

// ConnectionOpenedEvent: a stream opened a connection, or took an existing one over.
type ConnectionOpenedEvent struct {
	ID         string `json:"id"`
	Generation int    `json:"generation"`
	Node       string `json:"node"`
	Scope      string `json:"scope"`
	Filter     string `json:"filter"`
	Spawn      bool   `json:"spawn,omitempty"`
	// Cursor is where its stream began to read.
	Cursor Position `json:"cursor"`
	// Rooms are the claims it holds now, in the order of claiming.
	Rooms []string `json:"rooms,omitempty"`
	// Client is what the client said about itself.
	Client json.RawMessage `json:"client,omitempty"`
}

// Kind implements [Payload].
func (e *ConnectionOpenedEvent) Kind() Kind                 { return ConnectionOpened }
func (e *ConnectionOpenedEvent) parts() (body, content any) { return e, nil }

// ConnectionSubscribedEvent: the claims of a connection changed.
type ConnectionSubscribedEvent struct {
	ID string `json:"id"`
	// Rooms are all its claims after the change.
	Rooms []string `json:"rooms"`
}

// Kind implements [Payload].
func (e *ConnectionSubscribedEvent) Kind() Kind                 { return ConnectionSubscribed }
func (e *ConnectionSubscribedEvent) parts() (body, content any) { return e, nil }

// ConnectionClosedEvent: a connection ended and its claims are free.
type ConnectionClosedEvent struct {
	ID         string     `json:"id"`
	Generation int        `json:"generation"`
	Reason     LapseCause `json:"reason"`
}

// Kind implements [Payload].
func (e *ConnectionClosedEvent) Kind() Kind                 { return ConnectionClosed }
func (e *ConnectionClosedEvent) parts() (body, content any) { return e, nil }

// RuntimeReportedEvent: the agent said what it is doing in a room, and what it can be told to do.
type RuntimeReportedEvent struct {
	RuntimeFacts
	RuntimeTexts
}

// RuntimeFacts is what stays of a report after its texts were erased.
type RuntimeFacts struct {
	Room string `json:"room"`
	// State is "working", "awaiting-input" or "idle".
	State string `json:"state"`
	// Thread and Anchor are ids of messages the work belongs to, empty if none.
	Thread string `json:"thread,omitempty"`
	Anchor string `json:"anchor,omitempty"`
	// Controls are the commands the agent can obey at the moment; nil: as before.
	Controls map[string]bool `json:"controls,omitempty"`
}

// RuntimeTexts is what the agent wrote about its work.
type RuntimeTexts struct {
	// Link opens the agent's session; nil: as before.
	Link   *string `json:"link,omitempty"`
	Detail string  `json:"detail,omitempty"`
}

// Kind implements [Payload].
func (e *RuntimeReportedEvent) Kind() Kind { return RuntimeReported }

func (e *RuntimeReportedEvent) parts() (body, content any) { return &e.RuntimeFacts, &e.RuntimeTexts }

// Runtime is the newest report of an agent about a room.
type Runtime struct {
	State    string          `json:"state"`
	Thread   string          `json:"thread,omitempty"`
	Anchor   string          `json:"anchor,omitempty"`
	Controls map[string]bool `json:"controls,omitempty"`
	Link     string          `json:"link,omitempty"`
	Detail   string          `json:"detail,omitempty"`
	At       time.Time       `json:"at"`
}

// PollerMovedEvent: one of the agent's pollers was handed what lies up to a position.
type PollerMovedEvent struct {
	Poller   string   `json:"poller"`
	Position Position `json:"position"`
}

// Kind implements [Payload].
func (e *PollerMovedEvent) Kind() Kind                 { return PollerMoved }
func (e *PollerMovedEvent) parts() (body, content any) { return e, nil }

// AgentEndedEvent: the agent was deleted. Its connections were closed in the same unit, and its stream ends here.
type AgentEndedEvent struct{}

// Kind implements [Payload].
func (e *AgentEndedEvent) Kind() Kind                 { return AgentEnded }
func (e *AgentEndedEvent) parts() (body, content any) { return e, nil }
