package console

import (
	"context"
	"html/template"
	"slices"
	"time"
	"unicode/utf8"

	"stele/adapters/matrix"
	"stele/core"
)

// Bounds of a piece of conversation: how many events it has, and after how many bytes of text it ends early. A page's first
// load stays below 100 KB.
const (
	pieceEvents = 60
	pieceBytes  = 24 << 10
	// shownCharacters and shownLines are how much of a message stands in the list; the rest is on the page of the event.
	shownCharacters = 4000
	shownLines      = 60
)

// item is an event in the list of a conversation.
type item struct {
	Room    string
	Version uint64
	At      time.Time
	// Message tells that somebody spoke; all else is a line.
	Message bool
	Mine    bool
	Sender  string
	// SenderID is who spoke, Text what was said or what happened, Cut that there is more of it.
	SenderID, Text string
	Cut            bool
	Turn           int
	Thread         bool
	Files          []core.Attachment
	Kind           core.Kind
}

// itemOf shows an event to a user.
func itemOf(e *core.Entry, self string) item {
	room, _ := e.Stream.RoomID()
	it := item{Room: room, Version: e.Version, At: e.At, Kind: e.Kind}
	p, ok := e.Payload.(*core.MessagePostedEvent)
	if !ok {
		it.Text = lineOf(e)
		return it
	}
	it.Message, it.Mine = true, self != "" && p.Sender == self
	it.Sender, it.SenderID, it.Turn, it.Thread, it.Files = p.SenderName, p.Sender, p.Turn, p.Thread != "", p.Attachments
	short, fewer := cut(p.Text, shownCharacters)
	text, lower := cutLines(short, shownLines)
	it.Text, it.Cut = text, fewer || lower
	return it
}

// cutLines shortens a text to so many lines.
func cutLines(text string, most int) (string, bool) {
	n := 0
	for i, r := range text {
		if r == '\n' {
			if n++; n == most {
				return text[:i], i+1 < len(text)
			}
		}
	}
	return text, false
}

// cut shortens a text to so many characters.
func cut(text string, most int) (string, bool) {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text, false
	}
	n := 0
	for i := range text {
		if n == most {
			return text[:i], true
		}
		n++
	}
	return text, false
}

// lineOf says in a line what happened, without what only some may read.
func lineOf(e *core.Entry) string {
	switch p := e.Payload.(type) {
	case *core.MemberJoinedEvent:
		return p.DisplayName() + " joined"
	case *core.RoomStateChangedEvent:
		return "the room is " + string(p.To)
	case *core.EventEmittedEvent:
		return "event " + p.Type
	case *core.DocumentCreatedEvent:
		return "document " + p.Name
	}
	if notice, ok := core.NoticeOf(e); ok {
		return notice.Text
	}
	if row, ok := matrix.RowOf(e.Kind); ok {
		return row.Says
	}
	return string(e.Kind)
}

// piece is a part of a conversation, oldest first.
type piece struct {
	Room  string
	Items []item
	// Earlier is the version before which there is more, 0 when there is not.
	Earlier uint64
}

// before reads what lies before a version, 0: the newest.
func (c *Console) before(ctx context.Context, room string, version uint64, self string) (piece, error) {
	out := piece{Room: room}
	sum, _ := c.node.Room(room)
	size := 0
	for e, err := range c.node.HistoryOf(room).Before(ctx, version) {
		if err != nil {
			return piece{}, err
		}
		if sum.State == core.StatePurged && len(e.Content) > 0 {
			// It may lie in the log for a moment still.
			continue
		}
		if len(out.Items) == pieceEvents || size >= pieceBytes {
			out.Earlier = out.Items[len(out.Items)-1].Version
			break
		}
		it := itemOf(e, self)
		// Hostile text grows when it is escaped.
		size += len(template.HTMLEscapeString(it.Text))
		out.Items = append(out.Items, it)
	}
	slices.Reverse(out.Items)
	return out, nil
}
