package core

import "time"

// Imported says that a room's first events were written elsewhere and came with a file.
type Imported struct {
	// Events is how many they are. What they tell of is over: nobody was or is told of it here, and whoever is a member sees
	// them as what lies before its joining.
	Events uint64 `json:"events"`
	// Hash is the SHA-256 of what came, in lower-case hexadecimal: the same content has the same.
	Hash string `json:"hash"`
	// At is when it came, From the form in which, Room the id that the room had there, empty if the form has none.
	At   time.Time `json:"at"`
	From string    `json:"from"`
	Room string    `json:"room,omitempty"`
}

// holds tells whether the event with a version is one of those that came with the room.
func (i *Imported) holds(version uint64) bool { return i != nil && VersionCount(version) <= i.Events }

// closedHere is the time from which a closed room's content is kept: a room that closed before it came here is kept for as
// long as if it had closed when it came.
func (i *Imported) closedHere(closed time.Time) time.Time {
	if i == nil || closed.IsZero() || closed.After(i.At) {
		return closed
	}
	return i.At
}

// eventsHere is how many of the room's events happened here after a version.
func (s *Summary) eventsHere(after uint64) uint64 {
	from := VersionCount(after)
	if s.Imported != nil {
		from = max(from, s.Imported.Events)
	}
	return max(VersionCount(s.Version), from) - from
}

// dated is a payload of something that happened at a time of its own, and not when it was decided to write it down.
type dated struct {
	Payload
	at time.Time
}

// atItsTime is a payload with the time at which it happened: now, unless it says otherwise.
func atItsTime(p Payload, now time.Time) (Payload, time.Time) {
	if d, ok := p.(dated); ok {
		return d.Payload, d.at
	}
	return p, now
}

// applyImported folds an event that came with a room into the index. It changes what is known of the room, and tells nobody
// anything. An agent that is a member sees what happens after it.
func (x *index) applyImported(sum *Summary, rec *Recorded) (change memberChange, changed bool) {
	sum.ImportedHead = rec.Position
	switch e := rec.Payload.(type) {
	case *MemberJoinedEvent:
		if !e.History {
			return x.joinedBefore(sum, rec, e), true
		}
		switch e.Side {
		case "a":
			sum.Sides[0] = e.Agent
		case "b":
			sum.Sides[1], sum.Connected = e.Agent, true
		}
	case *RoomStateChangedEvent:
		sum.State = e.To
		x.setDeadline(sum)
	case *RoomClosedEvent:
		sum.ClosedAt = rec.At
		x.setEnding(sum)
	case *RoomPurgedEvent:
		x.applyPurged(sum, rec)
	case *MessagePostedEvent:
		x.noteMedia(sum.ID, e)
	case *TaskDelegatedEvent:
		sum.Tasks++
	case *RoomChangedEvent:
		assign(&sum.Name, e.Name)
		assign(&sum.Description, e.Description)
		assign(&sum.Archived, e.Archived)
	}
	return memberChange{}, false
}

// joinedBefore makes an agent a member from the last event on that came with the room.
func (x *index) joinedBefore(sum *Summary, rec *Recorded, e *MemberJoinedEvent) memberChange {
	if x.s.Members[e.Agent] == nil {
		x.s.Members[e.Agent] = map[string][]*Interval{}
	}
	span := Interval{From: rec.Version - VersionCount(rec.Version) + sum.Imported.Events}
	x.s.Members[e.Agent][sum.ID] = append(x.s.Members[e.Agent][sum.ID], &span)
	x.joined(sum, e)
	return memberChange{agent: e.Agent, room: sum.ID, span: span}
}

// importOf finds the room that a content became, the oldest if there are several.
func (x *index) importOf(hash string) (room string, found bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var oldest *Summary
	for _, sum := range x.s.Rooms {
		if sum.Imported != nil && sum.Imported.Hash == hash && (oldest == nil || sum.Imported.At.Before(oldest.Imported.At)) {
			oldest = sum
		}
	}
	if oldest == nil {
		return "", false
	}
	return oldest.ID, true
}
