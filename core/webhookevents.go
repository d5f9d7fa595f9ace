package core

import "time"

// WebhookAddedEvent: the agent wants to be told of its rooms' events at an address.
type WebhookAddedEvent struct{ Webhook }

// Webhook is an address at which an agent is told of what happens in its rooms.
type Webhook struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// Secret is what requests are signed with, sealed by whoever adds the webhook: the core never sees it open.
	Secret string `json:"secret"`
	// KeyID names the secret towards the receiver.
	KeyID   string    `json:"key_id"`
	Enabled bool      `json:"enabled"`
	At      time.Time `json:"at"`
}

// Kind implements [Payload].
func (e *WebhookAddedEvent) Kind() Kind                 { return WebhookAdded }
func (e *WebhookAddedEvent) parts() (body, content any) { return e, nil }

// WebhookRemovedEvent: the agent no longer wants to be told there, nor of what still waits to be sent.
type WebhookRemovedEvent struct {
	ID string `json:"id"`
}

// Kind implements [Payload].
func (e *WebhookRemovedEvent) Kind() Kind                 { return WebhookRemoved }
func (e *WebhookRemovedEvent) parts() (body, content any) { return e, nil }

// WebhookTriedEvent: a node is about to send a callback, and nobody else may until a time.
type WebhookTriedEvent struct {
	Webhook string `json:"webhook"`
	// Position is that of the room's event the callback is about.
	Position Position `json:"position"`
	// Attempt counts from 1.
	Attempt int       `json:"attempt"`
	Until   time.Time `json:"until"`
}

// Kind implements [Payload].
func (e *WebhookTriedEvent) Kind() Kind                 { return WebhookTried }
func (e *WebhookTriedEvent) parts() (body, content any) { return e, nil }

// WebhookSettledEvent: an attempt is over. The callback was delivered, is given up, or will be tried again.
type WebhookSettledEvent struct {
	Webhook  string   `json:"webhook"`
	Position Position `json:"position"`
	// Outcome is what became of it; Again is when it may be tried again, for WebhookDeferred.
	Outcome WebhookOutcome `json:"outcome"`
	Again   time.Time      `json:"again"`
	// Status is the HTTP status of the answer, 0 without one; Why says in a few words what went wrong.
	Status int `json:"status,omitempty"`
	// Uncounted: the attempt that it settles was cut off by the gateway itself and does not count.
	Uncounted bool   `json:"uncounted,omitempty"`
	Why       string `json:"why,omitempty"`
}

// WebhookOutcome is what became of an attempt.
type WebhookOutcome string

// The outcomes of an attempt.
const (
	WebhookDelivered WebhookOutcome = "delivered"
	WebhookDeferred  WebhookOutcome = "deferred"
	WebhookDead      WebhookOutcome = "dead"
)

// Kind implements [Payload].
func (e *WebhookSettledEvent) Kind() Kind                 { return WebhookSettled }
func (e *WebhookSettledEvent) parts() (body, content any) { return e, nil }
