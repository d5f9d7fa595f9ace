package core

import "fmt"

// SystemSender is the sender of notices that no participant wrote.
const SystemSender = "system"

// Notice is what people are told of an event that is no message, where a client only knows messages.
type Notice struct {
	// ID is as stable as a message's id.
	ID   string
	Text string
}

// NoticeOf returns the notice for an event, if it deserves one.
func NoticeOf(e *Entry) (Notice, bool) {
	switch p := e.Payload.(type) {
	case *RoomClosedEvent:
		return Notice{ID: EventID(e), Text: fmt.Sprintf("The room is closed (%s).", closeTexts[p.Reason])}, true
	case *RoomPurgedEvent:
		return Notice{ID: EventID(e), Text: fmt.Sprintf("What was said in the room is deleted (%s).", purgeTexts[p.Reason])}, true
	}
	return Notice{}, false
}

var closeTexts = map[CloseReason]string{
	ClosedByMember:   "a member closed it",
	ClosedByMaxTurns: "all its turns are used",
	ClosedByTTL:      "its time is over",
}

var purgeTexts = map[PurgeReason]string{
	PurgedByGrace:     "it has been closed for long enough",
	PurgedByRetention: "it has been closed for the longest time that is kept",
}

// EventID is an id for an event that has none of its own.
func EventID(e *Entry) string {
	room, _ := e.Stream.RoomID()
	return fmt.Sprintf("evt_%s_%d", room, e.Version)
}
