package operations

import (
	"context"
	"errors"
	"time"

	"stele/core"
)

// PlaceNames are the cursors of the three protocols, of which one names a place.
const PlaceNames = "switch, areyouai, edge_events, edge_messages"

// PlaceQuery is a place in a room as one of the protocols counts it: exactly one field is set.
type PlaceQuery struct {
	// Switch is a sequence, Areyouai the event_id of an event (since), EdgeEvents and EdgeMessages the seq of an edge event
	// and of an edge message. Zero is before everything.
	Switch, Areyouai, EdgeEvents, EdgeMessages *int
}

// Named is the field of a name out of [PlaceNames], nil for any other name.
func (q *PlaceQuery) Named(name string) **int {
	switch name {
	case "switch":
		return &q.Switch
	case "areyouai":
		return &q.Areyouai
	case "edge_events":
		return &q.EdgeEvents
	case "edge_messages":
		return &q.EdgeMessages
	}
	return nil
}

// cursor is what the query means. Errors: *[ArgumentError] unless exactly one field is set, and to no negative number.
func (q *PlaceQuery) cursor() (core.Cursor, error) {
	var out core.Cursor
	given := 0
	for _, field := range [...]struct {
		name  string
		value *int
		by    core.Numbering
	}{
		{"switch", q.Switch, core.ByPosition},
		{"areyouai", q.Areyouai, core.ByVersion},
		{"edge_events", q.EdgeEvents, core.ByVersion},
		{"edge_messages", q.EdgeMessages, core.ByMessage},
	} {
		switch {
		case field.value == nil:
			continue
		case *field.value < 0:
			return out, argument(field.name, "a cursor is a number from 0 on")
		}
		given++
		out = core.Cursor{By: field.by, Number: uint64(*field.value)}
	}
	if given != 1 {
		return out, &ArgumentError{Reason: "give exactly one of " + PlaceNames + ": the cursor that you have"}
	}
	return out, nil
}

// Cursors are the cursors of one place in a room, one per protocol and stream.
type Cursors struct {
	Switch       uint64 `json:"switch"`
	Areyouai     uint64 `json:"areyouai"`
	EdgeEvents   uint64 `json:"edge_events"`
	EdgeMessages uint64 `json:"edge_messages"`
}

// TranslatedCursor is the answer to translate_cursor.
type TranslatedCursor struct {
	RoomID string `json:"room_id"`
	Cursors
	// At is when the newest event up to the place happened, null before all.
	At *string `json:"at"`
	// Head is the place behind the newest event there is.
	Head Cursors `json:"head"`
}

// TranslatePlace converts a place that one protocol counts into the same place as the others count it. Errors:
// *[ArgumentError], and those of [core.Node.Place].
func TranslatePlace(ctx context.Context, node *core.Node, room string, q PlaceQuery) (TranslatedCursor, error) {
	at, err := q.cursor()
	if err != nil {
		return TranslatedCursor{}, err
	}
	place, err := node.Place(ctx, room, at)
	if err != nil {
		return TranslatedCursor{}, err
	}
	head, err := node.Newest(ctx, room)
	if err != nil {
		return TranslatedCursor{}, err
	}
	out := TranslatedCursor{RoomID: room, Cursors: cursorsOf(place), Head: cursorsOf(head)}
	if !place.At.IsZero() {
		text := place.At.UTC().Format(time.RFC3339Nano)
		out.At = &text
	}
	return out, nil
}

func cursorsOf(p core.Place) Cursors {
	return Cursors{Switch: uint64(p.Position), Areyouai: p.Version, EdgeEvents: p.Version, EdgeMessages: p.Message}
}

type translateCursorArgs struct {
	Switch       *int    `op:"switch,default=null"`
	Areyouai     *int    `op:"areyouai,default=null"`
	EdgeEvents   *int    `op:"edge_events,default=null"`
	EdgeMessages *int    `op:"edge_messages,default=null"`
	RoomID       *string `op:"room_id,default=null"`
}

func translateCursor() *operation {
	return define("translate_cursor",
		"Find the place in a room up to which you have read, as the other protocols of this gateway count it, to go on there "+
			"with another client and neither miss nor repeat anything. Give exactly one: switch, the sequence of a Switch event; "+
			"areyouai, the event_id of an areyouai event; edge_events or edge_messages, the seq of an edge event or message. "+
			"0 is before everything. A cursor means that you have seen everything up to and including what it names. "+ofRoom+
			"Returns room_id, the same place as switch, areyouai, edge_events and edge_messages, at (when that event "+
			"happened, null before all) and head, the same four numbers of the newest event there is.",
		func(ctx context.Context, r *Registry, c Caller, a translateCursorArgs) (any, error) {
			room, err := r.roomOr(c, a.RoomID)
			if err != nil {
				return nil, err
			}
			out, err := TranslatePlace(ctx, r.node, room, PlaceQuery{
				Switch: a.Switch, Areyouai: a.Areyouai, EdgeEvents: a.EdgeEvents, EdgeMessages: a.EdgeMessages,
			})
			var place *core.PlaceError
			if errors.As(err, &place) {
				return nil, &ArgumentError{Reason: place.Error()}
			}
			return out, err
		})
}
