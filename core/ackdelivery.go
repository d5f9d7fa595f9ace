package core

import (
	"slices"
	"time"
)

// DeliveryAckedEvent: the agent has a delivery.
type DeliveryAckedEvent struct {
	// Position is that of the delivery, At when it was made, and Until when it could no longer be received.
	Position Position  `json:"position"`
	At       time.Time `json:"at"`
	Until    time.Time `json:"until,omitzero"`
}

// Kind implements [Payload].
func (e *DeliveryAckedEvent) Kind() Kind                 { return DeliveryAcked }
func (e *DeliveryAckedEvent) parts() (body, content any) { return e, nil }

// maxAcks is how many acknowledgements are remembered: a client goes on after the newest of them.
const maxAcks = 256

// applyAcked remembers an acknowledgement and forgets those of deliveries that expired.
func (a *AgentState) applyAcked(rec *Recorded, e *DeliveryAckedEvent) {
	a.Acks = slices.DeleteFunc(a.Acks, func(e DeliveryAckedEvent) bool { return !rec.At.Before(e.expires()) })
	if len(a.Acks) == maxAcks {
		a.Acks = slices.Delete(a.Acks, 0, 1)
	}
	a.Acks = append(a.Acks, *e)
}

func (e *DeliveryAckedEvent) expires() time.Time { return endOf(e.At, e.Until) }

// ackOf finds the acknowledgement of the delivery made at a position, nil when there is none.
func (a *AgentState) ackOf(p Position) *DeliveryAckedEvent {
	if i := slices.IndexFunc(a.Acks, func(e DeliveryAckedEvent) bool { return e.Position == p }); i >= 0 {
		return &a.Acks[i]
	}
	return nil
}

// ackDelivery records that the agent has a delivery.
type ackDelivery struct {
	position  Position
	at, until time.Time
}

func (c ackDelivery) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if a.Ended {
		return nil, struct{}{}, ErrNoAgent
	}
	if a.ackOf(c.position) != nil {
		return nil, struct{}{}, nil
	}
	return []Payload{&DeliveryAckedEvent{Position: c.position, At: c.at, Until: c.until}}, struct{}{}, nil
}
