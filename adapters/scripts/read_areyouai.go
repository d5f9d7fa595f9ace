package scripts

import (
	"bytes"
	"fmt"

	"stele/areyouai"
	"stele/core"
	"stele/internal/sse"
)

// areyouaiReading reads the events of a room. An event says its version and room; its position is counted.
type areyouaiReading struct{ *place }

func newAreyouaiReading(o Options) *areyouaiReading { return &areyouaiReading{newPlace(o)} }

// entryOf implements [reading].
func (r *areyouaiReading) entryOf(frames []byte) (*core.Entry, error) {
	if len(frames) == 0 {
		return nil, nil
	}
	frame, err := sse.NewReader(bytes.NewReader(frames), maxUnit).Next()
	if err != nil {
		return nil, fmt.Errorf("read a frame: %w", err)
	}
	ev, err := areyouai.ParseEventFrame(frame)
	if err != nil {
		return nil, err
	}
	return r.entryFrom(ev), nil
}

// entryFrom reads an event; nil for one of a type that this program does not know.
func (r *areyouaiReading) entryFrom(ev areyouai.Event) *core.Entry {
	payload := r.payloadOf(ev)
	if payload == nil {
		return nil
	}
	e := r.next(ev.RoomID, payload, ev.CreatedAt.Time)
	e.Version = uint64(ev.EventID)
	return e
}

func (r *areyouaiReading) payloadOf(ev areyouai.Event) core.Payload {
	room := r.known(ev.RoomID)
	switch ev.Type {
	case areyouai.EventMessageCreated:
		turn := 0
		if ev.Turn != nil {
			turn = int(*ev.Turn)
		}
		p := &core.MessagePostedEvent{
			MessageFacts: core.MessageFacts{ID: ev.MessageID, Turn: turn, Sender: ev.SenderID},
			MessageTexts: core.MessageTexts{SenderName: room.nameOf(ev.SenderID), Text: ev.Ciphertext},
		}
		takeFiles(p)
		return p
	case areyouai.EventRoomCreated:
		return &core.RoomCreatedEvent{RoomFacts: core.RoomFacts{
			ID: ev.RoomID, Creator: ev.SenderID, Floor: core.FloorTurns, State: core.StateOpen,
		}}
	case areyouai.EventRoomJoined:
		return &core.MemberJoinedEvent{Agent: ev.SenderID, Name: room.nameOf(ev.SenderID)}
	case areyouai.EventRoomStateChanged:
		return room.stateAfter(ev.SenderID)
	case areyouai.EventRoomClosed:
		return &core.RoomClosedEvent{Reason: room.closeReason(ev.SenderID), Actor: ev.SenderID}
	case areyouai.EventRoomPurged:
		return &core.RoomPurgedEvent{Reason: core.PurgedByGrace}
	}
	return nil
}

// stateAfter is the change of state that comes next: a room goes one way only, and somebody's coming makes it active.
func (r *roomPlace) stateAfter(actor string) *core.RoomStateChangedEvent {
	e := &core.RoomStateChangedEvent{From: r.state, To: core.StateClosed, Actor: actor}
	switch r.state {
	case core.StateClosed, core.StatePurged:
		e.From, e.To = core.StateClosed, core.StatePurged
	case core.StateOpen, "":
		e.From, e.To = core.StateOpen, core.StateActive
	}
	return e
}

// closeReason is why a room closed: a member closed it, the last turn was taken, or nothing is left but time.
func (r *roomPlace) closeReason(actor string) core.CloseReason {
	switch {
	case r.maxTurns > 0 && r.turn >= r.maxTurns:
		return core.ClosedByMaxTurns
	case actor != "":
		return core.ClosedByMember
	}
	return core.ClosedByTTL
}
