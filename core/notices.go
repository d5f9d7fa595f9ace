package core

import (
	"fmt"
	"strconv"
	"strings"
)

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

// ParseNotice is [NoticeOf] backwards: it finds the event of a room that a notice is of, as far as the notice tells it, and
// the room's version at which it happened. False for what [NoticeOf] does not say.
func ParseNotice(room string, n Notice) (p Payload, version uint64, ok bool) {
	number, ok := strings.CutPrefix(n.ID, "evt_"+room+"_")
	if !ok {
		return nil, 0, false
	}
	version, err := strconv.ParseUint(number, 10, 64)
	if err != nil || version == 0 {
		return nil, 0, false
	}
	for reason := range closeTexts {
		p := &RoomClosedEvent{Reason: reason}
		if said, _ := NoticeOf(noticed(room, version, p)); said == n {
			return p, version, true
		}
	}
	for reason := range purgeTexts {
		p := &RoomPurgedEvent{Reason: reason}
		if said, _ := NoticeOf(noticed(room, version, p)); said == n {
			return p, version, true
		}
	}
	return nil, 0, false
}

// noticed is as much of an event as a notice shows.
func noticed(room string, version uint64, p Payload) *Entry {
	return &Entry{Recorded: Recorded{Event: Event{Kind: p.Kind(), Version: version, Payload: p}, Stream: RoomStream(room)}}
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
