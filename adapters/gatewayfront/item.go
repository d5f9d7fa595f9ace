package gatewayfront

import (
	"bytes"
	"fmt"
	"time"

	"stele/adapters/scripts"
	"stele/core"
)

// Item is an event as it shows in one or more scripts.
type Item struct {
	Version  uint64    `json:"version"`
	Position uint64    `json:"position"`
	At       time.Time `json:"at"`
	Kind     core.Kind `json:"kind"`
	// Private: the event is for its parties alone, and only that it happened is shown.
	Private bool `json:"private"`
	// Frames are, by script, the pieces that the event is sent in, in their order and with their line ends: server-sent events,
	// or one line each. A script that does not show the event has none.
	Frames map[scripts.Script][]string `json:"frames"`
}

// Page is a part of a room's events.
type Page struct {
	RoomID string `json:"room_id"`
	Items  []Item `json:"items"`
	// NextAfter is the version to go on after, More tells whether there was more already.
	NextAfter uint64 `json:"next_after"`
	More      bool   `json:"more"`
}

// writer shows events one after the other.
type writer struct {
	view
	encoders []scripts.Encoder
	text     []byte
}

func newWriter(v view) (*writer, error) {
	w := &writer{view: v}
	for _, s := range v.formats {
		enc, err := scripts.NewEncoder(s, scripts.Options{
			Room: v.room.ID, ChannelType: v.room.ChannelType, Self: v.self, Agent: v.agent, Comments: v.comments, View: v.now,
		})
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", s, err)
		}
		w.encoders = append(w.encoders, enc)
	}
	return w, nil
}

// item shows an event in every script that was asked for, and tells how many bytes that is.
func (w *writer) item(e *core.Entry) (Item, int, error) {
	e, private := w.shownTo(e)
	out := Item{
		Version: e.Version, Position: uint64(e.Position), At: e.At, Kind: e.Kind, Private: private,
		Frames: make(map[scripts.Script][]string, len(w.formats)),
	}
	size := 0
	for i, s := range w.formats {
		var err error
		if w.text, err = w.append(w.text[:0], i, e); err != nil {
			return out, size, fmt.Errorf("show event %d of room %s in %s: %w", e.Version, w.room.ID, s, err)
		}
		size += len(w.text)
		out.Frames[s] = pieces(w.text, endOf(s))
	}
	return out, size, nil
}

// append appends what one of the scripts shows of an event.
func (w *writer) append(dst []byte, script int, e *core.Entry) ([]byte, error) {
	if w.formats[script] == scripts.Core {
		e = w.inPlainWords(e)
	}
	return w.encoders[script].Append(dst, e)
}

// raw appends what the one script shows of an event.
func (w *writer) raw(dst []byte, e *core.Entry) ([]byte, error) {
	e, _ = w.shownTo(e)
	return w.append(dst, 0, e)
}

// endOf is what ends a piece of a script.
func endOf(s scripts.Script) string {
	if s == scripts.Switch || s == scripts.Areyouai {
		return "\n\n"
	}
	return "\n"
}

// pieces cuts a text behind each end, so that together they are the text.
func pieces(text []byte, end string) []string {
	out := []string{}
	for len(text) > 0 {
		n := len(text)
		if i := bytes.Index(text, []byte(end)); i >= 0 {
			n = i + len(end)
		}
		out = append(out, string(text[:n]))
		text = text[n:]
	}
	return out
}
