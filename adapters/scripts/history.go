package scripts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"stele/areyouai"
	"stele/internal/strictjson"
)

// objects reads JSON objects that stand one after the other.
type objects struct {
	src *bufio.Reader
	buf []byte
	// max bounds an object, in bytes.
	max int
	// line is where the newest object begins, taken how many lines ended so far.
	line, taken int
}

func newObjects(src *bufio.Reader) *objects { return &objects{src: src, max: maxUnit} }

var errNoPage = errors.New(`no page of history, {"room_id":…,"items":[…]}, and no transcript`)

// next returns the next object as soon as its last character is there, valid until the next call. Errors: io.EOF,
// *[LineError], and the reader's.
func (o *objects) next() ([]byte, error) {
	o.buf = o.buf[:0]
	depth, quoted, escaped := 0, false, false
	for {
		c, err := o.src.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && len(o.buf) > 0 {
				return nil, &LineError{Line: o.line, Err: errUnending}
			}
			return nil, err
		}
		if c == '\n' {
			o.taken++
		}
		if len(o.buf) == 0 {
			if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
				continue
			}
			if o.line = o.taken + 1; c != '{' {
				return nil, &LineError{Line: o.line, Err: errNoPage}
			}
		}
		if len(o.buf) >= o.max {
			return nil, &LineError{Line: o.line, Err: errTooLong}
		}
		o.buf = append(o.buf, c)
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return o.buf, nil
			}
		}
	}
}

// pageOf reads a page of history or a transcript. Of a transcript come the messages, numbered as if nothing else had happened
// after two had come, and how the people are called.
func pageOf(text []byte) (events []areyouai.Event, people map[string]string, err error) {
	var page struct {
		RoomID   string                        `json:"room_id"`
		Items    *[]areyouai.Event             `json:"items"`
		Messages *[]areyouai.TranscriptMessage `json:"messages"`
	}
	if err := strictjson.UnmarshalLimits(text, &page, plainLimits); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoPage, err)
	}
	switch {
	case page.Items != nil:
		return *page.Items, nil, nil
	case page.Messages == nil:
		return nil, nil, errNoPage
	}
	var told areyouai.TranscriptReply
	if err := strictjson.UnmarshalLimits(text, &told, plainLimits); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoPage, err)
	}
	people = map[string]string{}
	for _, m := range told.Messages {
		people[m.SenderID] = m.SenderName
	}
	return eventsOf(told), people, nil
}

// eventsOf makes the events that a transcript must come from: the room was made, two came, it became active, they spoke, and
// it ended. When that was, is told of the messages and of the end.
func eventsOf(t areyouai.TranscriptReply) []areyouai.Event {
	var events []areyouai.Event
	var at areyouai.Time
	switch {
	case len(t.Messages) > 0:
		at = t.Messages[0].CreatedAt
	case t.ClosedAt != nil:
		at = *t.ClosedAt
	default:
		at = areyouai.NewTime(time.Unix(0, 0))
	}
	add := func(typ areyouai.EventType, agent string) {
		events = append(events, areyouai.NewRoomEvent(int64(len(events)+1), typ, t.RoomID, agent, at))
	}
	add(areyouai.EventRoomCreated, t.AgentAID)
	add(areyouai.EventRoomJoined, t.AgentAID)
	if t.AgentBID != "" {
		add(areyouai.EventRoomJoined, t.AgentBID)
		add(areyouai.EventRoomStateChanged, t.AgentBID)
	}
	for _, m := range t.Messages {
		at = m.CreatedAt
		events = append(events, areyouai.NewMessageEvent(int64(len(events)+1), t.RoomID, m.ID, m.SenderID, m.Turn, m.Ciphertext, at))
	}
	if t.ClosedAt != nil {
		at = *t.ClosedAt
		add(areyouai.EventRoomStateChanged, "")
		add(areyouai.EventRoomClosed, "")
	}
	if t.PurgedAt != nil {
		at = *t.PurgedAt
		add(areyouai.EventRoomStateChanged, "")
		add(areyouai.EventRoomPurged, "")
	}
	return events
}
