package chaos

import (
	"context"
	"fmt"
	"strings"

	"stele/core"
	"stele/internal/strictjson"
)

// History is all that [Check] looks at.
type History struct {
	// Records are in the order of their Wall.
	Records []Record
	// Log is the log of all rooms in the end, in log order.
	Log []Entry
}

// Entry is an event of a room as the log holds it in the end.
type Entry struct {
	Room     string `json:"log_room"`
	Position uint64 `json:"position"`
	Version  uint64 `json:"version"`
	// Turn is the message's, from 1; 0 for an event that is none.
	Turn uint64 `json:"turn,omitempty"`
	// Mark is that of the command which made the event, empty when it has none.
	Mark string `json:"mark,omitempty"`
	Kind string `json:"kind,omitempty"`
}

// number returns the entry's number on a line, and false when a reader on it need not get the entry.
func (e Entry) number(l Line) (n uint64, must bool) {
	switch l {
	case Positions:
		return e.Position, e.Turn > 0
	case Versions:
		return e.Version, true
	case Turns:
		return e.Turn, e.Turn > 0
	}
	return 0, false
}

// Prefixes of the marks of commands that are no messages; the name of the room follows, or the topic of its listing.
const (
	CreateMark  = "create "
	ConnectMark = "connect "
)

// ReadLog returns the events of all rooms that a log holds. A message is marked with its text; what came with it in one
// unit, such as the end of a room by its last turn, has the same mark. Creating a room is marked with its name, and so is
// connecting to its listing.
func ReadLog(ctx context.Context, log core.Log) ([]Entry, error) {
	head, err := log.Head(ctx)
	if err != nil || head == 0 {
		return nil, err
	}
	marker := marker{names: map[string]string{}, unit: map[string]string{}}
	var out []Entry
	for batch, err := range log.Tail(ctx, 0) {
		if err != nil {
			return nil, err
		}
		for i := range batch {
			e, ok, err := marker.entry(&batch[i])
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, e)
			}
		}
		if batch[len(batch)-1].Position >= head {
			break
		}
	}
	return out, ctx.Err()
}

// marker finds the command that an event came with. The log does not tell units apart, so it goes by what can only come
// together.
type marker struct {
	names map[string]string
	// unit is the mark of the room's newest event.
	unit map[string]string
}

func (m *marker) entry(rec *core.Recorded) (Entry, bool, error) {
	room, ok := rec.Stream.RoomID()
	if !ok {
		return Entry{}, false, nil
	}
	e := Entry{Room: room, Position: uint64(rec.Position), Version: rec.Version, Kind: string(rec.Kind)}
	switch rec.Kind {
	case core.RoomCreated:
		var facts core.RoomFacts
		if err := decode(rec, rec.Body, &facts); err != nil {
			return Entry{}, false, err
		}
		m.names[room] = facts.Name
		m.unit[room] = CreateMark + facts.Name
	case core.MemberJoined:
		var joined core.MemberJoinedEvent
		if err := decode(rec, rec.Body, &joined); err != nil {
			return Entry{}, false, err
		}
		if joined.Side == "b" || !strings.HasPrefix(m.unit[room], CreateMark) {
			m.unit[room] = ConnectMark + m.names[room]
		}
	case core.MessagePosted:
		var facts core.MessageFacts
		var texts core.MessageTexts
		if err := decode(rec, rec.Body, &facts); err != nil {
			return Entry{}, false, err
		}
		if err := decode(rec, rec.Content, &texts); err != nil {
			return Entry{}, false, err
		}
		e.Turn = uint64(facts.Turn) + 1
		m.unit[room] = texts.Text
	}
	e.Mark = m.unit[room]
	return e, true, nil
}

func decode(rec *core.Recorded, data []byte, into any) error {
	if err := strictjson.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s at position %d: %w", rec.Kind, rec.Position, err)
	}
	return nil
}
