package areyouaifront

import (
	"bytes"
	"strconv"

	"github.com/labstack/echo/v4"

	"stele/areyouai"
	"stele/core"
)

// history returns a page of a room's events. Members read it until the room is purged, also after it closed.
func (f *Front) history(c echo.Context) error {
	r, err := newRequest(c)
	if err != nil {
		return err
	}
	if r.cred, err = f.session(c); err != nil {
		return err
	}
	values, err := r.query()
	if err != nil {
		return err
	}
	q, err := f.opts.Sizes.ParseHistoryQuery(values)
	if err != nil {
		return err
	}
	if err := f.mayRead(r, q.Since); err != nil {
		return err
	}
	w := &historyWriter{front: f, request: r, since: q.Since, left: q.Limit}
	return (&longReply{front: f, request: r, page: w.page}).write()
}

// maxHistoryBytes ends a page of the history early. None of messages that were posted through this door reaches it; other
// doors let in longer ones.
const maxHistoryBytes = 16 << 20

// historyWriter writes a page of the history. Its items are the objects of the stream's frames as they are.
type historyWriter struct {
	front   *Front
	request *request
	// since is the last event that was written, and left how many more there may be.
	since int64
	left  int
	begun bool
	bytes int
}

// page appends events, and what stands around all of them.
func (w *historyWriter) page(buf []byte) (out []byte, last bool, err error) {
	if !w.begun {
		if buf, err = w.begin(buf); err != nil {
			return buf, false, err
		}
	}
	more, err := w.events(&buf)
	if err == nil {
		// Asked after the events were read: in a room that was purged meanwhile some are missing.
		err = w.front.mayRead(w.request, w.since)
	}
	if err != nil || more {
		return buf, false, err
	}
	buf = append(buf, `],"next_since":`...)
	buf = strconv.AppendInt(buf, w.since, 10)
	return append(buf, "}\n"...), true, nil
}

// begin appends what stands before the events.
func (w *historyWriter) begin(buf []byte) ([]byte, error) {
	w.begun = true
	empty, err := areyouai.AppendReply(nil, areyouai.NewHistoryReply(w.request.id, w.since, nil))
	if err != nil {
		return buf, err
	}
	before, _, _ := bytes.Cut(empty, itemsEnd)
	return append(append(buf, before...), itemsEnd[:len(itemsEnd)-1]...), nil
}

// itemsEnd is where the events of an empty page would stand. It cannot stand within an id: quotation marks are escaped there.
var itemsEnd = []byte(`"items":[]`)

// events appends events, up to about a page of them, and tells whether more may follow.
func (w *historyWriter) events(buf *[]byte) (more bool, err error) {
	for e, err := range w.front.node.HistoryOf(w.request.id).After(w.request.ctx(), uint64(w.since)) {
		if err != nil {
			return false, err
		}
		frame := w.front.frameOf(e)
		if frame == nil {
			continue
		}
		if w.bytes > 0 {
			*buf = append(*buf, ',')
		}
		*buf = append(*buf, objectOf(frame)...)
		w.since = int64(e.Version)
		w.bytes += len(frame)
		if w.left--; w.left == 0 || w.bytes >= maxHistoryBytes {
			return false, nil
		}
		if len(*buf) >= replyPage {
			return true, nil
		}
	}
	return false, nil
}

// mayRead checks that the caller may read the room's events after one of them (areyouai: events/history, order of the
// errors).
func (f *Front) mayRead(r *request, since int64) error {
	var refused error
	err := f.node.ViewRoom(r.ctx(), r.id, func(room *core.Room) {
		switch {
		case room.State == core.StatePurged:
			refused = &core.RoomNotActiveError{Room: room.ID, State: room.State}
		case room.Members[r.cred.Agent] == nil:
			refused = core.ErrNotMember
		case since > 0 && !room.HasVersion(uint64(since)):
			// Also an event that was lost when a backup was restored: what came instead must not be taken for its sequel.
			refused = areyouai.InvalidRequest("The event to continue after is not an event of this room. Start again without it.")
		}
	})
	if err != nil {
		return err
	}
	return refused
}
