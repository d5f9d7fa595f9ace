package core

import "bytes"

// noteTurns derives the deliveries and callbacks of a room's event. sum is the room as the event leaves it.
func (x *index) noteTurns(sum *Summary, rec *Recorded) error {
	switch e := rec.Payload.(type) {
	case *MemberJoinedEvent:
		// A room that begins with both its speakers is active from the start.
		if e.Side == "b" && sum.State == StateActive {
			x.turnReady(sum, rec, activated)
		}
	case *MemberLeftEvent:
		if b := x.s.Inboxes[e.Agent]; b != nil {
			b.withdraw(sum.ID)
		}
	case *RoomStateChangedEvent:
		x.takeBack(sum.ID)
		if e.To == StateActive {
			x.turnReady(sum, rec, activated)
		}
	case *RoomClosedEvent:
		x.ended(sum, rec, RoomWasClosed, string(e.Reason))
	case *RoomPurgedEvent:
		x.ended(sum, rec, RoomWasPurged, string(e.Reason))
	}
	if rec.Kind == MessagePosted {
		return x.noteSpoken(sum, rec)
	}
	x.notify(sum, rec, "")
	return nil
}

// noteSpoken wakes whoever is to answer a message: the other side, or on an open floor those that it speaks to.
func (x *index) noteSpoken(sum *Summary, rec *Recorded) error {
	if sum.Floor == FloorTurns {
		x.takeBack(sum.ID)
		if !sum.lastSpoken() {
			x.turnReady(sum, rec, peerSpoke)
		}
		x.notify(sum, rec, sum.Sides[(sum.Turn-1)%2])
		return nil
	}
	if !x.concerns(sum.ID, rec) {
		return nil
	}
	if err := rec.decode(); err != nil {
		return err
	}
	p := rec.Payload.(*MessagePostedEvent)
	if b := x.s.Inboxes[p.Sender]; b != nil {
		b.withdraw(sum.ID)
	}
	for _, agent := range x.inRoom[sum.ID] {
		if agent != p.Sender && p.Addresses(agent) {
			x.deliver(agent, Delivery{
				Position: rec.Position, Kind: TurnReady, Room: sum.ID, State: sum.State, Turn: sum.Turn, Next: agent,
				Reason: peerSpoke, At: rec.At,
			})
		}
	}
	x.notify(sum, rec, p.Sender)
	return nil
}

var (
	addressedField  = []byte(`"addressed":[`)
	addressAllField = []byte(`"address_all":true`)
)

// concerns tells whether a message on an open floor may change an inbox or an outbox, so that it must be looked into. Its
// facts hold no free text in which the fields' names could stand.
func (x *index) concerns(room string, rec *Recorded) bool {
	if rec.Payload != nil || bytes.Contains(rec.Body, addressedField) || bytes.Contains(rec.Body, addressAllField) {
		return true
	}
	for _, agent := range x.inRoom[room] {
		if b := x.s.Inboxes[agent]; b != nil && b.ready[room] != nil {
			return true
		}
		if entry := x.s.Agents[agent]; entry != nil && len(entry.State.Webhooks) > 0 {
			return true
		}
	}
	return false
}

// turnReady tells the next actor of a turns room that it may speak.
func (x *index) turnReady(sum *Summary, rec *Recorded, reason string) {
	next := sum.NextActor()
	if next == "" {
		return
	}
	x.deliver(next, Delivery{
		Position: rec.Position, Kind: TurnReady, Room: sum.ID, State: StateActive, Turn: sum.Turn, Next: next,
		Reason: reason, At: rec.At,
	})
}

// ended tells everybody in a room that it closed or was purged.
func (x *index) ended(sum *Summary, rec *Recorded, kind DeliveryKind, reason string) {
	for _, agent := range x.inRoom[sum.ID] {
		x.deliver(agent, Delivery{
			Position: rec.Position, Kind: kind, Room: sum.ID, State: sum.State, Reason: reason, At: rec.At,
			ClosedAt: sum.ClosedAt, PurgedAt: sum.PurgedAt,
		})
	}
}

// NextActor is who may speak next in a turns room, see [Room.NextActor].
func (s *Summary) NextActor() string {
	if s.Floor != FloorTurns || (s.State != StateOpen && s.State != StateActive) {
		return ""
	}
	return s.Sides[s.Turn%2]
}

// lastSpoken tells whether the room has had its last message: the unit with that closes it.
func (s *Summary) lastSpoken() bool { return s.MaxTurns > 0 && s.Turn >= s.MaxTurns }
