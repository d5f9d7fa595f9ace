package translation

import (
	"slices"

	"stele/adapters/matrix"
)

// Filter knows what the views show: which kinds of events there is a frame for the matrix says, to whom that goes the
// protocols' pages.
type Filter struct{ rows map[string]matrix.Row }

// NewFilter reads the matrix.
func NewFilter() Filter {
	f := Filter{rows: map[string]matrix.Row{}}
	for _, row := range matrix.Rows() {
		f.rows[string(row.Kind)] = row
	}
	return f
}

// Shows tells whether a view shows an event to a receiver.
func (f Filter) Shows(v View, e Event, receiver string) bool {
	row, ok := f.rows[e.Kind]
	if !ok {
		return false
	}
	switch v {
	case Switch:
		return len(row.Switch.Frames) > 0 && concerns(e, receiver)
	case Areyouai:
		return len(row.Areyouai.Frames) > 0
	case EdgeMessages:
		return slices.Contains(row.Edge.Frames, "messages.appended")
	}
	return slices.Contains(row.Edge.Frames, "event")
}

// Of is what a view must show of an event to a receiver in a room; false: nothing.
func (f Filter) Of(v View, e Event, room, receiver string) (Line, bool) {
	if !f.Shows(v, e, receiver) {
		return Line{}, false
	}
	return Line{Number: v.Number(e), Says: v.says(e, room, receiver)}, true
}

// concerns: a Switch agent is not told what it said itself, nor that it arrived, and of a task only the other party is told.
func concerns(e Event, receiver string) bool {
	switch e.Kind {
	case kindMessage:
		return e.Sender != receiver
	case kindJoined:
		return e.Agent != receiver
	case kindDelegated, kindCancelled:
		return e.Performer == receiver && e.Requester != receiver
	case kindAccepted, kindUpdated, kindFinalised:
		return e.Requester == receiver && e.Performer != receiver
	}
	return true
}
