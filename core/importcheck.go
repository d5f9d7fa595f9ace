package core

import (
	"fmt"
	"slices"
	"time"
)

// importBounds are what a text of an import may have where no door names a bound, in bytes.
const maxImportName = 4 << 10

var errNotFirst = &InvalidError{Field: "kind", Reason: "a room is created by its first event, and by no other"}

// check folds the events as they are and refuses what no room could have come to. It cuts times to whole milliseconds.
func (c *ImportRoom) check(now time.Time) (out RoomImported, err error) {
	switch {
	case len(c.Events) == 0:
		return out, &InvalidError{Field: "events", Reason: "there is nothing to import"}
	case len(c.Events) > MaxImportEvents:
		return out, &InvalidError{Field: "events", Reason: fmt.Sprintf("a room of more than %d events cannot be imported", MaxImportEvents)}
	}
	if c.Name != "" {
		if err := checkRoomName(c.Name); err != nil {
			return out, err
		}
	}
	r := &Room{}
	var before time.Time
	for i := range c.Events {
		e := &c.Events[i]
		if err := e.check(r, i, now); err != nil {
			return out, &ImportError{Line: e.Line, Number: i + 1, Err: err}
		}
		if e.At.Before(before) {
			out.Backwards++
		}
		before = e.At
		r.Apply(&Recorded{Event: Event{Kind: e.Payload.Kind(), Version: uint64(i + 1), At: e.At, Payload: e.Payload}})
	}
	if r.State != StatePurged {
		if i := slices.IndexFunc(c.Events, func(e ImportedEvent) bool { return e.Erased }); i >= 0 {
			return out, &ImportError{
				Line: c.Events[i].Line, Number: i + 1,
				Err: &InvalidError{Field: "erased", Reason: "only a room that was purged has lost content"},
			}
		}
	}
	out.Name, out.State, out.Messages = r.Name, r.State, r.Turn
	return out, nil
}

// notAhead brings the times of a clock that is a little ahead back to now.
func (c *ImportRoom) notAhead(now time.Time) {
	for i := range c.Events {
		if c.Events[i].At.After(now) {
			c.Events[i].At = now
		}
	}
}

// check holds an event against the room as the events before it left it.
func (e *ImportedEvent) check(r *Room, i int, now time.Time) error {
	e.At = millis(e.At)
	switch {
	case e.Payload == nil:
		return &InvalidError{Field: "event", Reason: "is missing"}
	case e.At.Year() < 1970 || e.At.Year() > 9999:
		return &InvalidError{Field: "at", Reason: "is missing, or no time at which a room was used"}
	case e.At.After(now.Add(importSkew)):
		return &InvalidError{Field: "at", Reason: "lies in the future"}
	}
	made, is := e.Payload.(*RoomCreatedEvent)
	if is != (i == 0) {
		return errNotFirst
	}
	if is {
		made.Imported = nil
		return checkMade(made)
	}
	if !ofRoom(e.Payload) {
		return &InvalidError{Field: "kind", Reason: "is of no event that a room has"}
	}
	if r.State == StatePurged && !outlivesPurge(e.Payload) {
		return &InvalidError{Field: "kind", Reason: "the room was purged before it"}
	}
	if joined, ok := e.Payload.(*MemberJoinedEvent); ok {
		// Who is nobody where the file was made may be somebody here.
		joined.History = false
	}
	if err := checkStep(r, e.Payload); err != nil || e.Erased {
		return err
	}
	return checkTexts(r, e.Payload)
}

// outlivesPurge tells what may happen in a purged room.
func outlivesPurge(p Payload) bool {
	switch p.(type) {
	case *MemberLeftEvent, *RoomPurgedEvent, *RoomChangedEvent, *RoleReleasedEvent:
		return true
	}
	return false
}

// checkMade refuses a creation that could not have been.
func checkMade(e *RoomCreatedEvent) error {
	if e.Floor != "" && e.Floor != FloorOpen && e.Floor != FloorTurns {
		return &InvalidError{Field: "floor", Reason: "must be open or turns"}
	}
	if e.State != StateOpen && e.State != StateActive {
		return &InvalidError{Field: "state", Reason: "a room begins OPEN or ACTIVE"}
	}
	if y := e.TTLAt.UTC().Year(); y > 9999 {
		return &InvalidError{Field: "ttl_at", Reason: "is no time"}
	}
	if e.MaxTurns < 0 {
		return &InvalidError{Field: "max_turns", Reason: "must not be negative"}
	}
	return firstError(
		checkBytes("id", e.ID, maxImportID), checkBytes("group", e.Group, maxImportID), checkBytes("creator", e.Creator, maxImportID),
		checkConversationName(e.Conversation), checkRoles(e.Roles),
		CreateRoom{Texts: e.RoomTexts}.normalise(&e.RoomFacts),
	)
}

func checkRoles(roles []RoleDef) error { return checkNames(nil, roles) }

var stateOrder = map[RoomState]int{StateOpen: 1, StateActive: 2, StateClosed: 3, StatePurged: 4}

// checkStep refuses what cannot follow on what the room has come to.
func checkStep(r *Room, p Payload) error {
	switch e := p.(type) {
	case *MemberJoinedEvent:
		return checkJoined(r, e)
	case *MemberLeftEvent:
		return checkImportID("agent", e.Agent)
	case *MessagePostedEvent:
		return checkPosted(r, e)
	case *RoomStateChangedEvent:
		if e.From != r.State || stateOrder[e.To] <= stateOrder[e.From] {
			return &InvalidError{Field: "to", Reason: fmt.Sprintf("a room that is %s cannot go from %.20q to %.20q", r.State, e.From, e.To)}
		}
	case *RoomClosedEvent:
		if r.State != StateClosed {
			return &InvalidError{Field: "kind", Reason: "the room is not CLOSED"}
		}
		return checkBytes("reason", string(e.Reason), maxImportID)
	case *RoomPurgedEvent:
		if r.State != StatePurged {
			return &InvalidError{Field: "kind", Reason: "the room is not PURGED"}
		}
		return checkBytes("reason", string(e.Reason), maxImportID)
	}
	return nil
}

func checkJoined(r *Room, e *MemberJoinedEvent) error {
	switch {
	case e.Side != "" && e.Side != "a" && e.Side != "b", e.Side != "" && r.Floor != FloorTurns:
		return &InvalidError{Field: "side", Reason: "must be a or b, in a room of turns"}
	case e.Side == "a" && r.Sides[0] != "", e.Side == "b" && r.Sides[1] != "":
		return &InvalidError{Field: "side", Reason: "is taken"}
	case r.Members[e.Agent] != nil:
		return &InvalidError{Field: "agent", Reason: "is a member already"}
	}
	return firstError(
		checkImportID("agent", e.Agent), checkBytes("name", e.Name, maxImportName), checkBytes("handle", e.Handle, maxImportName),
		checkBytes("alias", e.Alias, maxImportName),
	)
}

func checkPosted(r *Room, e *MessagePostedEvent) error {
	switch {
	case r.State != StateOpen && r.State != StateActive:
		return &InvalidError{Field: "kind", Reason: "nothing is said in a room that is " + string(r.State)}
	case e.Turn != r.Turn:
		return &InvalidError{Field: "turn", Reason: fmt.Sprintf("is %d and should be %d", e.Turn, r.Turn)}
	case len(e.Media) > MaxAttachments || len(e.Attachments) > MaxAttachments:
		return &InvalidError{Field: "attachments", Reason: fmt.Sprintf("at most %d files go with a message", MaxAttachments)}
	}
	for i, a := range e.Attachments {
		if i >= len(e.Media) || e.Media[i] != a.Media || a.Size < 0 {
			return &InvalidError{Field: "attachments", Reason: "must describe the media of the message, in their order"}
		}
		if err := firstError(
			checkImportID("media", a.Media), checkBytes("filename", a.Filename, maxImportName), checkBytes("type", a.Type, maxImportID),
		); err != nil {
			return err
		}
	}
	for _, id := range e.Media {
		if err := checkImportID("media", id); err != nil {
			return err
		}
	}
	if e.Thread != "" {
		if err := checkImportID("thread", e.Thread); err != nil {
			return err
		}
	}
	return firstError(
		checkImportID("id", e.ID), checkImportID("sender", e.Sender), checkBytes("sender_name", e.SenderName, maxImportName),
		checkSaid(e.Text),
	)
}

// checkSaid bounds what was said. In the forms that know only text the lines of a message's files stand behind it.
func checkSaid(text string) error {
	words := text
	if len(text) > MaxMessageBytes {
		words, _ = SplitAttachmentLines(text)
	}
	return firstError(
		checkBytes("text", words, MaxMessageBytes), checkBytes("text", text, MaxMessageBytes+MaxAttachments*maxFileLine),
	)
}
