package core

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Agent is a participant, whatever door it came through. It is a record of the directory.
type Agent struct {
	ID string `json:"id"`
	// Name is what people see. Handle is how it is addressed: unique, "^[a-z0-9][a-z0-9._-]*$".
	Name        string `json:"name"`
	Handle      string `json:"handle"`
	Description string `json:"description,omitempty"`
	// Owner is whose registration token made it; empty when no token was needed.
	Owner string `json:"owner,omitempty"`
	// KeyHash is the SHA-256 of its API key.
	KeyHash string `json:"key_hash"`
	// Model is its connection model ("always_on", "session_addressable", "session_passive", "auto_session" or empty),
	// which decides what counts as present. RegisteredModel is what it was at registration.
	Model           string `json:"model,omitempty"`
	RegisteredModel string `json:"registered_model,omitempty"`
	// KnownType, Connector, Profile, Options, IconURL and Parent are what registration said about its runtime.
	KnownType string          `json:"known_type,omitempty"`
	Connector string          `json:"connector,omitempty"`
	Profile   json.RawMessage `json:"profile,omitempty"`
	Options   json.RawMessage `json:"options,omitempty"`
	IconURL   string          `json:"icon_url,omitempty"`
	Parent    string          `json:"parent,omitempty"`
	// Tools and Models are what it said it can use; Metadata is a JSON object of its own.
	Tools    []Ability       `json:"tools,omitempty"`
	Models   []Ability       `json:"models,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// Policy says who may address it; nil: everybody.
	Policy    *AddressingPolicy `json:"policy,omitempty"`
	CreatedAt time.Time         `json:"created_at"`
	// KeyedAt is when it got its present key. KeyGeneration counts the keys before it: what was opened under one of those
	// ended with it.
	KeyedAt       time.Time `json:"keyed_at"`
	KeyGeneration int       `json:"key_generation,omitempty"`
}

// Ability is a tool or a model of an agent. Parameters is a JSON object or nil.
type Ability struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// AddressingPolicy says who may address an agent: whoever matches one of its rules. Without rules, everybody.
type AddressingPolicy struct {
	Rules []AddressingRule `json:"rules"`
}

// AddressingRule lets senders address an agent in some rooms. A rule matches when room, group and sender all do.
type AddressingRule struct {
	// Rooms are ids of rooms, or "*" for all; Groups likewise, where nil means all.
	Rooms  []string `json:"rooms"`
	Groups []string `json:"groups,omitempty"`
	// Users and Agents are ids of senders. Owner lets the owner in person, OwnerAgents the agents of the same owner.
	Users       []string `json:"users"`
	Agents      []string `json:"agents"`
	Owner       bool     `json:"owner"`
	OwnerAgents bool     `json:"owner_agents"`
}

// AgentState is what an agent's own stream folds to: what the agent said about its reading and its connections.
type AgentState struct {
	Version     uint64                 `json:"version"`
	Connections map[string]*Connection `json:"connections,omitempty"`
	// Closed remembers why the newest connections ended, oldest first, at most closedRemembered.
	Closed []ClosedConnection `json:"closed,omitempty"`
	// Tokens are the live room tokens by room.
	Tokens map[string]RoomToken `json:"tokens,omitempty"`
	// Acked is the highest turn acknowledged per room.
	Acked map[string]int `json:"acked,omitempty"`
	// Runtime is the newest report by room.
	Runtime map[string]Runtime `json:"runtime,omitempty"`
	// Pollers are the positions up to which each poller was handed events.
	Pollers map[string]Position `json:"pollers,omitempty"`
	// Acks are the newest deliveries that the agent said it has, oldest first, at most maxAcks.
	Acks []DeliveryAckedEvent `json:"acks,omitempty"`
	// Webhooks by id. Attempts counts, by webhook and by the position of the event they tell of, the attempts to send notices
	// that are not settled.
	Webhooks map[string]Webhook          `json:"webhooks,omitempty"`
	Attempts map[string]map[Position]int `json:"attempts,omitempty"`
	// Ended: the agent was deleted, and nothing is opened for it any more.
	Ended bool `json:"ended,omitempty"`
}

// RoomToken opens one room for one agent until a time.
type RoomToken struct {
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
	// Generation is that of the agent's key under which it was made.
	Generation int `json:"generation,omitempty"`
}

// ClosedConnection is the end of a connection's life.
type ClosedConnection struct {
	ID         string     `json:"id"`
	Generation int        `json:"generation"`
	Reason     LapseCause `json:"reason"`
}

const closedRemembered = 64

// Apply folds one event into the agent's state.
func (a *AgentState) Apply(rec *Recorded) {
	a.Version = rec.Version
	switch e := rec.Payload.(type) {
	case *ConnectionOpenedEvent:
		born := e.Generation
		if old := a.Connections[e.ID]; old != nil {
			born = old.Born
		}
		set(&a.Connections, e.ID, &Connection{
			ID: e.ID, Generation: e.Generation, Born: born, Node: e.Node, Scope: e.Scope, Filter: e.Filter, Spawn: e.Spawn,
			Cursor: e.Cursor, Rooms: e.Rooms, ClaimedAt: rec.Position,
		})
	case *ConnectionSubscribedEvent:
		if old := a.Connections[e.ID]; old != nil {
			c := *old
			c.claims(e.Rooms, rec.Position)
			a.Connections[e.ID] = &c
		}
	case *ConnectionClosedEvent:
		delete(a.Connections, e.ID)
		if len(a.Closed) == closedRemembered {
			a.Closed = slices.Delete(a.Closed, 0, 1)
		}
		a.Closed = append(a.Closed, ClosedConnection{ID: e.ID, Generation: e.Generation, Reason: e.Reason})
	case *RoomTokenMintedEvent:
		set(&a.Tokens, e.Room, RoomToken{Hash: e.Hash, Until: e.Until, Generation: e.Generation})
	case *RoomTokenExtendedEvent:
		for room, t := range a.Tokens {
			if t.Hash == e.Hash {
				t.Until = e.Until
				a.Tokens[room] = t
			}
		}
	case *ContextAckedEvent:
		if have, ok := a.Acked[e.Room]; !ok || have < e.Turn {
			set(&a.Acked, e.Room, e.Turn)
		}
	case *RuntimeReportedEvent:
		a.applyRuntime(rec, e)
	case *PollerMovedEvent:
		set(&a.Pollers, e.Poller, e.Position)
	case *DeliveryAckedEvent:
		a.applyAcked(rec, e)
	case *WebhookAddedEvent, *WebhookRemovedEvent, *WebhookTriedEvent, *WebhookSettledEvent:
		a.applyWebhook(rec)
	case *AgentEndedEvent:
		// Why its connections ended stays known: their streams ask for it.
		*a = AgentState{Version: a.Version, Closed: a.Closed, Ended: true}
	}
}

func (a *AgentState) applyRuntime(rec *Recorded, e *RuntimeReportedEvent) {
	old := a.Runtime[e.Room]
	now := Runtime{
		State: e.State, Thread: e.Thread, Anchor: e.Anchor, Controls: old.Controls, Link: old.Link, Detail: e.Detail, At: rec.At,
	}
	if e.Controls != nil {
		now.Controls = e.Controls
	}
	assign(&now.Link, e.Link)
	set(&a.Runtime, e.Room, now)
}

func set[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// Clone returns a state that shares nothing that Apply changes.
func (a *AgentState) Clone() *AgentState {
	c := *a
	c.Connections = maps.Clone(a.Connections)
	c.Closed = slices.Clone(a.Closed)
	c.Tokens = maps.Clone(a.Tokens)
	c.Acked = maps.Clone(a.Acked)
	c.Runtime = maps.Clone(a.Runtime)
	c.Pollers = maps.Clone(a.Pollers)
	c.Acks = slices.Clone(a.Acks)
	c.Webhooks = maps.Clone(a.Webhooks)
	c.Attempts = maps.Clone(a.Attempts)
	return &c
}

// AckContext records that the agent has read a room up to a turn.
type AckContext struct {
	Room string
	Turn int
}

func (c AckContext) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if a.Ended {
		return nil, struct{}{}, ErrNoAgent
	}
	if have, ok := a.Acked[c.Room]; ok && have >= c.Turn {
		return nil, struct{}{}, nil
	}
	return []Payload{&ContextAckedEvent{Room: c.Room, Turn: c.Turn}}, struct{}{}, nil
}
