package translation

// Transcript is what one participant saw of a room, from its first event to its last.
type Transcript struct {
	// Participant is for people; Agent is the id under which it took part.
	Participant, Agent string
	Legs               []Leg
}

// Leg is the time that a participant spent on one protocol, whatever happened to its connections meanwhile.
type Leg struct{ Readings []Reading }

// Reading is what one view showed during a leg.
type Reading struct {
	View View
	// After is the cursor with which it began; Until is the one with which it ended, both in the view's numbers.
	After, Until uint64
	// Lines are all that came, in the order in which it came.
	Lines []Line
}

// Numbers are one place in a room: that behind an event, or before the first one.
type Numbers struct{ Position, Version, Turn uint64 }

// In is the place as a cursor of a view.
func (n Numbers) In(v View) uint64 {
	switch v {
	case Switch:
		return n.Position
	case EdgeMessages:
		return n.Turn
	}
	return n.Version
}

// Place finds the place behind the last event that a cursor of a view has passed.
func Place(log []Event, v View, cursor uint64) Numbers {
	var at, behind Numbers
	for _, e := range log {
		behind.Position, behind.Version = e.Position, e.Version
		if e.Turn > 0 {
			behind.Turn = e.Turn
		}
		if n := v.Number(e); n > 0 && n <= cursor {
			at = behind
		}
	}
	return at
}

// End is the place at which a leg ended: an edge client may have seen a message that it has not yet seen as an event.
func (l Leg) End(log []Event) Numbers {
	var end Numbers
	for _, r := range l.Readings {
		if at := Place(log, r.View, r.Until); at.Version > end.Version {
			end = at
		}
	}
	return end
}
