package core

import (
	"slices"
	"time"
)

// DeliveryAckedEvent: the agent has a delivery.
type DeliveryAckedEvent struct {
	// Position is that of the delivery, and At when it was made.
	Position Position  `json:"position"`
	At       time.Time `json:"at"`
}

// Kind implements [Payload].
func (e *DeliveryAckedEvent) Kind() Kind                 { return DeliveryAcked }
func (e *DeliveryAckedEvent) parts() (body, content any) { return e, nil }

// maxAcks is how many acknowledgements are remembered: a client goes on after the newest of them.
const maxAcks = 256

// applyAcked remembers an acknowledgement and forgets those of deliveries that expired.
func (a *AgentState) applyAcked(rec *Recorded, e *DeliveryAckedEvent) {
	a.Acks = slices.DeleteFunc(a.Acks, func(e DeliveryAckedEvent) bool { return !rec.At.Before(e.At.Add(DeliveryLife)) })
	if len(a.Acks) == maxAcks {
		a.Acks = slices.Delete(a.Acks, 0, 1)
	}
	a.Acks = append(a.Acks, *e)
}

func (a *AgentState) hasAcked(p Position) bool {
	return slices.ContainsFunc(a.Acks, func(e DeliveryAckedEvent) bool { return e.Position == p })
}

// ackDelivery records that the agent has a delivery.
type ackDelivery struct {
	position Position
	at       time.Time
}

func (c ackDelivery) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if a.Ended {
		return nil, struct{}{}, ErrNoAgent
	}
	if a.hasAcked(c.position) {
		return nil, struct{}{}, nil
	}
	return []Payload{&DeliveryAckedEvent{Position: c.position, At: c.at}}, struct{}{}, nil
}
