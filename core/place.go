package core

import (
	"context"
	"fmt"
	"time"
)

// Numbering is one of the ways in which a place in a room is counted.
type Numbering int

// The numberings.
const (
	// ByPosition: the place in the order of the whole log. It may lie between two events of the room.
	ByPosition Numbering = iota
	// ByVersion: the number of one of the room's events.
	ByVersion
	// ByMessage: the number of one of the room's messages, see [MessageNumber].
	ByMessage
)

// String names the numbering.
func (b Numbering) String() string {
	switch b {
	case ByPosition:
		return "position"
	case ByVersion:
		return "version"
	}
	return "message number"
}

// Cursor says what somebody has seen of a room: everything up to and including what the number names. Zero is nothing, in
// each numbering.
type Cursor struct {
	By     Numbering
	Number uint64
}

// Place is a place in a room in all numberings at once: right behind one of its events, or before all of them.
type Place struct {
	// Position and Version are those of the newest event that was seen, At is when it happened; zero before all.
	Position Position
	Version  uint64
	At       time.Time
	// Message is the number of the newest message that was seen, zero before the first.
	Message uint64
}

// PlaceReason says why a cursor names no place.
type PlaceReason string

// The reasons.
const (
	// PlaceAhead: the room, or the log, does not go that far.
	PlaceAhead PlaceReason = "ahead"
	// PlaceUnknown: there is nothing with that number, or there was until a backup was restored.
	PlaceUnknown PlaceReason = "unknown"
	// PlaceTrimmed: the room's content was destroyed, so that there is nothing to go on with.
	PlaceTrimmed PlaceReason = "trimmed"
)

// PlaceError: a cursor names no place of its room.
type PlaceError struct {
	Room   string
	Cursor Cursor
	Reason PlaceReason
}

func (e *PlaceError) Error() string {
	switch e.Reason {
	case PlaceAhead:
		return fmt.Sprintf("%s %d lies beyond the end of room %s", e.Cursor.By, e.Cursor.Number, e.Room)
	case PlaceTrimmed:
		return fmt.Sprintf("the content of room %s was destroyed", e.Room)
	}
	return fmt.Sprintf("room %s has no %s %d", e.Room, e.Cursor.By, e.Cursor.Number)
}

// Place finds a cursor's place in a room, exactly, by reading at most a few hundred events however long the room is.
//
// A position stands for the newest event of the room at or before it, so that it may be that of an event of another room.
// A version or a message number must exist. A message number is the place right at that message: of what came between it
// and the next message its owner may have seen something or nothing, and is shown it again rather than not at all.
//
// Errors: [ErrNoRoom], *[PlaceError].
func (n *Node) Place(ctx context.Context, room string, at Cursor) (Place, error) {
	places, err := n.places(ctx, room)
	if err != nil {
		return Place{}, err
	}
	if reason := places.judge(at); reason != "" {
		return Place{}, &PlaceError{Room: room, Cursor: at, Reason: reason}
	}
	if at.Number == 0 {
		return Place{}, nil
	}
	if at.By == ByMessage {
		found, err := places.message(ctx, int(VersionCount(at.Number))-1)
		if err == nil && found.Message != at.Number {
			err = &PlaceError{Room: room, Cursor: at, Reason: PlaceUnknown}
		}
		return found, err
	}
	return places.upTo(ctx, func(m mark) bool {
		if at.By == ByVersion {
			return m.Version <= at.Number
		}
		return m.Position <= Position(at.Number)
	})
}

// Newest is the place right behind the newest event of a room. Errors: [ErrNoRoom], *[PlaceError].
func (n *Node) Newest(ctx context.Context, room string) (Place, error) {
	places, err := n.places(ctx, room)
	if err != nil {
		return Place{}, err
	}
	if places.state == StatePurged {
		return Place{}, &PlaceError{Room: room, Reason: PlaceTrimmed}
	}
	return places.upTo(ctx, func(mark) bool { return true })
}

// places looks for places in one room as it was at one moment.
type places struct {
	node    *Node
	stream  Stream
	head    Position
	applied Position
	state   RoomState
	newest  uint64
	turn    int
	known   func(version uint64) bool
	marks   marks
}

func (n *Node) places(ctx context.Context, room string) (*places, error) {
	if _, ok := n.index.summary(room); !ok {
		return nil, ErrNoRoom
	}
	// The head comes first: a room that is newer than it holds what is beyond it as well.
	applied := n.Applied()
	c, err := n.roomCell(ctx, room)
	if err != nil {
		return nil, err
	}
	defer c.unpin()
	c.mu.RLock()
	defer c.mu.RUnlock()
	r := c.live
	numbers := &Room{Version: r.Version, Jumps: r.Jumps[:len(r.Jumps):len(r.Jumps)]}
	return &places{
		node: n, stream: RoomStream(room), head: c.head, applied: max(applied, c.head), state: r.State, newest: r.Version,
		turn: r.Turn, known: numbers.HasVersion,
		// Marks are only ever appended to.
		marks: marks{List: c.marks.List[:len(c.marks.List):len(c.marks.List)], Last: c.marks.Last},
	}, nil
}

// judge tells why a cursor names no place, as far as that shows without reading.
func (s *places) judge(at Cursor) PlaceReason {
	if s.state == StatePurged {
		return PlaceTrimmed
	}
	if at.Number == 0 {
		return ""
	}
	switch at.By {
	case ByPosition:
		if _, lost := s.node.ForeignCursor(Position(at.Number)); lost {
			return PlaceUnknown
		}
		if Position(at.Number) > s.applied {
			return PlaceAhead
		}
	case ByVersion:
		if at.Number > s.newest {
			return PlaceAhead
		}
		if !s.known(at.Number) {
			return PlaceUnknown
		}
	case ByMessage:
		return s.judgeMessage(VersionLife(at.Number), VersionCount(at.Number))
	}
	return ""
}

func (s *places) judgeMessage(life, count uint64) PlaceReason {
	switch now := VersionLife(s.newest); {
	case life > now, life == now && count > uint64(s.turn):
		return PlaceAhead
	case count == 0, count > uint64(s.turn):
		return PlaceUnknown
	}
	return ""
}

// upTo returns the place behind the newest event whose numbers satisfy ok, which holds for a beginning of the room.
func (s *places) upTo(ctx context.Context, ok func(mark) bool) (Place, error) {
	found, err := s.walk(ctx, ok)
	if err != nil || found.turn == 0 {
		return found.Place, err
	}
	if found.Message == 0 {
		// No message lies between the mark and the place: the newest one is in an earlier piece.
		earlier, err := s.message(ctx, found.turn-1)
		if err != nil {
			return Place{}, err
		}
		found.Message = earlier.Message
	}
	return found.Place, nil
}

// message returns the place right behind the message of a turn.
func (s *places) message(ctx context.Context, turn int) (Place, error) {
	before := s.marks.before(func(m mark) bool { return m.Turn <= turn })
	for rec, err := range s.node.log.Read(ctx, s.stream, before.Position) {
		if err != nil {
			return Place{}, fmt.Errorf("read %s: %w", s.stream, err)
		}
		if rec.Position > s.head {
			break
		}
		got, posted, err := turnOf(&rec)
		if err != nil {
			return Place{}, err
		}
		if posted && got == turn {
			return Place{Position: rec.Position, Version: rec.Version, At: rec.At, Message: MessageNumber(rec.Version, turn)}, nil
		}
	}
	return Place{}, fmt.Errorf("%s has no message of turn %d", s.stream, turn)
}

// walked is a place with the number of messages up to it.
type walked struct {
	Place
	turn int
}

// walk goes from the newest mark that satisfies ok to the newest event that does. Message is set only if it met one.
func (s *places) walk(ctx context.Context, ok func(mark) bool) (walked, error) {
	from := s.marks.before(ok)
	out := walked{Place: Place{Position: from.Position, Version: from.Version, At: from.At}, turn: from.Turn}
	if from.Position == s.head {
		return out, nil
	}
	for rec, err := range s.node.log.Read(ctx, s.stream, from.Position) {
		if err != nil {
			return out, fmt.Errorf("read %s: %w", s.stream, err)
		}
		if rec.Position > s.head || !ok(mark{Position: rec.Position, Version: rec.Version}) {
			break
		}
		turn, posted, err := turnOf(&rec)
		if err != nil {
			return out, err
		}
		if posted {
			out.turn, out.Message = turn+1, MessageNumber(rec.Version, turn)
		}
		out.Position, out.Version, out.At = rec.Position, rec.Version, rec.At
	}
	return out, nil
}

// turnOf is the turn of the message that an event posted.
func turnOf(rec *Recorded) (turn int, posted bool, err error) {
	if rec.Kind != MessagePosted {
		return 0, false, nil
	}
	if err := rec.decode(); err != nil {
		return 0, false, err
	}
	p, ok := rec.Payload.(*MessagePostedEvent)
	if !ok {
		return 0, false, nil
	}
	return p.Turn, true, nil
}
