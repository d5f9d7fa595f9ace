package core

import (
	"encoding/json"
	"time"
)

// SessionOpenedEvent: an agent logged in.
type SessionOpenedEvent struct {
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
}

// Kind implements [Payload].
func (e *SessionOpenedEvent) Kind() Kind                 { return SessionOpened }
func (e *SessionOpenedEvent) parts() (body, content any) { return e, nil }

// RoomTokenMintedEvent: a token for one room, which ends every earlier one of the same agent and room.
type RoomTokenMintedEvent struct {
	Room  string    `json:"room"`
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
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

// TokenCreatedEvent: an owner may register agents with the token of this hash.
type TokenCreatedEvent struct {
	Owner string `json:"owner"`
	Hash  string `json:"hash"`
}

// Kind implements [Payload].
func (e *TokenCreatedEvent) Kind() Kind                 { return TokenCreated }
func (e *TokenCreatedEvent) parts() (body, content any) { return e, nil }

// AgentRegisteredEvent: an agent exists, or its registration was overwritten.
type AgentRegisteredEvent struct {
	Agent
}

// Kind implements [Payload].
func (e *AgentRegisteredEvent) Kind() Kind                 { return AgentRegistered }
func (e *AgentRegisteredEvent) parts() (body, content any) { return &e.Agent, nil }
