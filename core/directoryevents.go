package core

import (
	"encoding/json"
	"time"
)

// TokenCreatedEvent: an owner may register agents with the token of this hash.
type TokenCreatedEvent struct {
	Owner string `json:"owner"`
	Hash  string `json:"hash"`
	// By is who acted, here and below, where that is known: see [WithActor].
	By string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *TokenCreatedEvent) Kind() Kind                 { return TokenCreated }
func (e *TokenCreatedEvent) parts() (body, content any) { return e, nil }

// TokenRevokedEvent: a registration token works no more. Agents made with it live on.
type TokenRevokedEvent struct {
	Hash string `json:"hash"`
	By   string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *TokenRevokedEvent) Kind() Kind                 { return TokenRevoked }
func (e *TokenRevokedEvent) parts() (body, content any) { return e, nil }

// AgentRegisteredEvent: an agent exists, or its registration was overwritten.
type AgentRegisteredEvent struct {
	Agent
	By string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *AgentRegisteredEvent) Kind() Kind                 { return AgentRegistered }
func (e *AgentRegisteredEvent) parts() (body, content any) { return e, nil }

// AgentChangedEvent: what is known of an agent changed, or it got another key. It carries the whole record.
type AgentChangedEvent struct {
	Agent
	By string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *AgentChangedEvent) Kind() Kind                 { return AgentChanged }
func (e *AgentChangedEvent) parts() (body, content any) { return e, nil }

// AgentDeletedEvent: an agent is gone, its key is dead and its handle is free.
type AgentDeletedEvent struct {
	ID string `json:"id"`
	By string `json:"by,omitempty"`
}

// Kind implements [Payload].
func (e *AgentDeletedEvent) Kind() Kind                 { return AgentDeleted }
func (e *AgentDeletedEvent) parts() (body, content any) { return e, nil }

// GroupCreatedEvent: there is a new folder for rooms.
type GroupCreatedEvent struct {
	Group
}

// Kind implements [Payload].
func (e *GroupCreatedEvent) Kind() Kind                 { return GroupCreated }
func (e *GroupCreatedEvent) parts() (body, content any) { return &e.Group, nil }

// Group is a folder that rooms can be filed in. Names are not unique. A record is never changed in place.
type Group struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Color       string    `json:"color,omitempty"`
	Parent      string    `json:"parent,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
}

// ReferenceCreatedEvent: an owner has a new reference.
type ReferenceCreatedEvent struct {
	Reference
}

// Kind implements [Payload].
func (e *ReferenceCreatedEvent) Kind() Kind                 { return ReferenceCreated }
func (e *ReferenceCreatedEvent) parts() (body, content any) { return &e.Reference, nil }

// Reference points to something outside: a repository, a ticket, a folder. A record is never changed in place.
type Reference struct {
	ID              string `json:"id"`
	Type            string `json:"type"`
	Owner           string `json:"owner"`
	Name            string `json:"name"`
	Description     string `json:"description"`
	Instructions    string `json:"instructions"`
	ReadVisibility  string `json:"read_visibility"`
	WriteVisibility string `json:"write_visibility"`
	// Value is a JSON object in the form that the type asks for.
	Value     json.RawMessage `json:"value"`
	CreatedAt time.Time       `json:"created_at"`
}
