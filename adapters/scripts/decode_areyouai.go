package scripts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"stele/areyouai"
	"stele/core"
)

// areyouaiDecoder reads the events of rooms: an event stream, or pages of history and transcripts, one JSON object after the
// other. Which of the two it is, the first character tells. What a later page or connection repeats is not returned again.
type areyouaiDecoder struct {
	decoding
	read *areyouaiReading
	src  *bufio.Reader
	// stream or pages reads the text, once the first character was seen.
	stream *eventStream
	pages  *objects
	queue  []areyouai.Event
	err    error
}

func newAreyouaiDecoder(r io.Reader, o Options) *areyouaiDecoder {
	read := newAreyouaiReading(o)
	return &areyouaiDecoder{
		decoding: decoding{reading: read, place: read.place, room: o.Room}, read: read, src: bufio.NewReader(r),
	}
}

// Next implements [Decoder].
func (d *areyouaiDecoder) Next() (*core.Entry, error) {
	for d.err == nil {
		e, err := d.step()
		if err != nil {
			d.err = err
			break
		}
		if e != nil {
			return e, nil
		}
	}
	return nil, d.err
}

// step reads on; nil when what was read tells no event.
func (d *areyouaiDecoder) step() (*core.Entry, error) {
	switch {
	case len(d.queue) > 0:
		ev := d.queue[0]
		d.queue = d.queue[1:]
		return d.located(d.pages.line, func() (*core.Entry, error) { return d.event(ev) })
	case d.pages != nil:
		text, err := d.pages.next()
		if err != nil {
			return nil, err
		}
		return d.located(d.pages.line, func() (*core.Entry, error) { return nil, d.page(text) })
	case d.stream != nil:
		ev, err := d.stream.next()
		if err != nil {
			return nil, d.ended(err)
		}
		return d.located(d.stream.line, func() (*core.Entry, error) {
			switch {
			case ev.Comment:
				return d.takeComment(ev.Data, d.stream.line)
			case ev.Data == nil:
				return nil, nil
			}
			said, err := areyouai.ParseEventFrame(ev)
			if err == nil {
				err = whole(ev.Data)
			}
			if err != nil {
				return nil, err
			}
			return d.event(said)
		})
	}
	return nil, d.begin()
}

func (d *areyouaiDecoder) located(line int, read func() (*core.Entry, error)) (*core.Entry, error) {
	e, err := read()
	if err != nil {
		return nil, &LineError{Line: line, Err: err}
	}
	return e, nil
}

// begin looks at the first character, behind a byte order mark. White space before it is kept for whoever counts the lines.
func (d *areyouaiDecoder) begin() error {
	// Of a pipe no more is awaited than tells whether there is a mark.
	for n := 1; n <= len(byteOrderMark); n++ {
		head, _ := d.src.Peek(n)
		if !bytes.Equal(head, byteOrderMark[:n]) {
			break
		}
		if n == len(byteOrderMark) {
			_, _ = d.src.Discard(n)
		}
	}
	for n := 1; ; n++ {
		head, err := d.src.Peek(n)
		if len(head) < n {
			if errors.Is(err, bufio.ErrBufferFull) {
				return &LineError{Line: 1, Err: errNoField}
			}
			return err
		}
		switch c := head[n-1]; c {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			d.pages = newObjects(d.src)
			return nil
		default:
			d.stream = newEventStream(d.src)
			return nil
		}
	}
}

// event reads one event.
func (d *areyouaiDecoder) event(ev areyouai.Event) (*core.Entry, error) {
	read := d.read.entryFrom(ev)
	if read == nil {
		return nil, nil
	}
	return d.settle(read, func(e *core.Entry) bool {
		room, _ := e.Stream.RoomID()
		return e.Version <= d.place.known(room).version
	})
}

// page puts what a page or a transcript holds into the queue.
func (d *areyouaiDecoder) page(text []byte) error {
	events, people, err := pageOf(text)
	if err == nil {
		err = whole(text)
	}
	if err != nil {
		return err
	}
	for _, ev := range events {
		if ev.EventID <= 0 || ev.Type == "" || ev.RoomID == "" {
			return fmt.Errorf("%w: an event has an event_id from 1, a type and a room_id", errNoPage)
		}
	}
	for agent, name := range people {
		d.place.in(events[0].RoomID).call(agent, name)
	}
	d.queue = events
	return nil
}
