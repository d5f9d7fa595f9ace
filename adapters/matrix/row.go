package matrix

import "stele/core"

// Row says what the protocols show of events of one kind.
type Row struct {
	Kind core.Kind
	// Says is what has happened, in a few words.
	Says                   string
	Switch, Areyouai, Edge Cell
	// Asked tells where clients find what no stream tells them: operations, routes, an agent's own stream.
	Asked string
}

// Cell says what one protocol shows of an event.
type Cell struct {
	// Frames are the types of frames, none where the protocol has no word for the event. Switch and areyouai: the event's
	// type; edge: messages.appended, state.patch, state.snapshot and event.
	Frames []string
	// Keys are the keys of the room's state that the patch can have, edge only.
	Keys []string
	// Shown tells how, and to whom if not to everybody.
	Shown string
	// Not tells when the frames are not shown, or why there are none; empty when they always are.
	Not string
	// Lost are the fields that the frames do not carry, as the log's own words name them: position, version, at and room are
	// of every event, all others of its own.
	Lost []string
	// Partly are those that some events lose and some do not, and which.
	Partly map[string]string
}

// RowOf finds the row of a kind.
func RowOf(kind core.Kind) (Row, bool) {
	for _, r := range Rows() {
		if r.Kind == kind {
			return r, true
		}
	}
	return Row{}, false
}

// Rows returns the table, in the order in which the kinds are declared.
func Rows() []Row {
	var out []Row
	for _, part := range [][]Row{
		lifeRows(), endingRows(), settingRows(), roleRows(), documentRows(), dealingRows(), sharedRows(), listingRows(),
	} {
		out = append(out, part...)
	}
	return out
}
