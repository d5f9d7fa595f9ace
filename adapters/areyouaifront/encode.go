package areyouaifront

import (
	"bytes"
	"fmt"

	"stele/areyouai"
	"stele/core"
)

// frame returns the event's SSE frame, made once and shared by all readers; nil for an event that this protocol has no
// word for.
func (f *Front) frameOf(e *core.Entry) []byte { return e.Encoded(f.frames, f.encode) }

// encodeFrame makes the frame.
func encodeFrame(e *core.Entry) []byte {
	ev, ok := eventOf(e)
	if !ok {
		return nil
	}
	frame, err := areyouai.AppendEventFrame(nil, ev)
	if err != nil {
		// Only a time beyond the year 9999 cannot be written, and none such is decided.
		panic(fmt.Errorf("encode event %d of %s: %w", e.Version, e.Stream, err))
	}
	return frame
}

var (
	dataField = []byte("\ndata: ")
	frameEnd  = []byte("\n\n")
)

// objectOf returns the event object inside a frame: a page of history shows the very bytes that the stream does.
func objectOf(frame []byte) []byte {
	_, data, _ := bytes.Cut(frame, dataField)
	return bytes.TrimSuffix(data, frameEnd)
}

// eventOf puts an event of a room into the protocol's words; false when there are none for it. The version is the
// event's id: contiguous within a room, except where a restored backup began a new life of the log.
func eventOf(e *core.Entry) (areyouai.Event, bool) {
	room, _ := e.Stream.RoomID()
	id, at := int64(e.Version), areyouai.NewTime(e.At)
	lifecycle := func(t areyouai.EventType, sender string) (areyouai.Event, bool) {
		return areyouai.NewRoomEvent(id, t, room, sender, at), true
	}
	switch p := e.Payload.(type) {
	case *core.MessagePostedEvent:
		return areyouai.NewMessageEvent(id, room, p.ID, p.Sender, int64(p.Turn), p.Shown(), at), true
	case *core.RoomCreatedEvent:
		return lifecycle(areyouai.EventRoomCreated, p.Creator)
	case *core.MemberJoinedEvent:
		return lifecycle(areyouai.EventRoomJoined, p.Agent)
	case *core.RoomStateChangedEvent:
		return lifecycle(areyouai.EventRoomStateChanged, p.Actor)
	case *core.RoomClosedEvent:
		return lifecycle(areyouai.EventRoomClosed, p.Actor)
	case *core.RoomPurgedEvent:
		return lifecycle(areyouai.EventRoomPurged, "")
	}
	return areyouai.Event{}, false
}
