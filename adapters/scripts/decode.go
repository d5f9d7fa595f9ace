package scripts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"stele/core"
	"stele/internal/strictjson"
)

// maxUnit bounds what a decoder holds of its input at once: a line, a frame or a page, in bytes. It is what the log may hold
// of one event.
const maxUnit = 64 << 20

// NewDecoder returns a decoder that reads a conversation from its beginning. It reads no further than it must: an event is
// returned as soon as the text that tells it is there, so that the text may be a pipe that never ends.
//
// Of [Options], Room is the only room whose events are returned, and the room of an edge script that does not name it. Self is
// the agent whose Switch stream it is, and must be the one that the text was written for. Agent is the one that an edge address
// names.
func NewDecoder(s Script, r io.Reader, o Options) (Decoder, error) {
	switch s {
	case Core:
		return &coreDecoder{lines: newLines(r), room: o.Room, versions: map[string]uint64{}, positions: map[string]uint64{}}, nil
	case Switch:
		return newSwitchDecoder(r, o), nil
	case Areyouai:
		return newAreyouaiDecoder(r, o), nil
	case Edge:
		return newEdgeDecoder(r, o), nil
	}
	_, err := Parse(string(s))
	return nil, err
}

// LineError says where a text cannot be read. What came before it was returned; nothing can be read after it.
type LineError struct {
	// Line is counted from 1. It is where what cannot be read begins.
	Line int
	Err  error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong there.
func (e *LineError) Unwrap() error { return e.Err }

var (
	errTooLong  = fmt.Errorf("longer than %d MiB", maxUnit>>20)
	errUnending = errors.New("the text ends in the middle of a frame")
	errHalfPair = errors.New("a text holds half of a surrogate pair, which is not a character")
	errNoRoom   = errors.New("the frames do not tell which room they are of; name it")
)

// whole refuses JSON with half of a surrogate pair in a text: no script has a form for it, and no text is altered. What else is
// wrong with it is for others to find.
func whole(text []byte) error {
	err := strictjson.Check(text, strictjson.Limits{MaxBytes: len(text), MaxDepth: math.MaxInt, WholeText: true})
	if errors.Is(err, strictjson.ErrLoneSurrogate) {
		return errHalfPair
	}
	return nil
}

// exportMark begins the lines of an exported room that are no events: its header, contents of attachments, and its end.
var exportMark = []byte(`{"stele":`)

// coreDecoder reads the log's own words, also those of an exported room. What is repeated is not returned again.
type coreDecoder struct {
	lines *lines
	room  string
	// versions and positions are the highest numbers that were told, by room. An event that has passed neither is a repeated
	// one; the one or the other alone may have been counted from the beginning of a capture.
	versions, positions map[string]uint64
	err                 error
}

// Next implements [Decoder].
func (d *coreDecoder) Next() (*core.Entry, error) {
	for d.err == nil {
		line, err := d.lines.next()
		if err != nil {
			d.err = err
			break
		}
		if len(line) == 0 || bytes.HasPrefix(line, exportMark) {
			continue
		}
		e, err := core.ParsePlain(line)
		if err == nil {
			err = whole(line)
		}
		if err != nil {
			d.err = &LineError{Line: d.lines.number, Err: err}
			break
		}
		room, _ := e.Stream.RoomID()
		if at := uint64(e.Position); e.Version > 0 && e.Version <= d.versions[room] && at <= d.positions[room] {
			continue
		}
		noteNumber(d.versions, room, e.Version)
		noteNumber(d.positions, room, uint64(e.Position))
		if d.room == "" || room == d.room {
			return e, nil
		}
	}
	return nil, d.err
}

// decoding is what the decoders of wire formats have in common: what they read of the frames of an event becomes the event
// with its residue.
type decoding struct {
	reading reading
	place   *place
	room    string
	// comment is the residue that came before the frames that are to come, commentAt the line in which it stood.
	comment   []byte
	commentAt int
}

// ended is the error with which a text ends: a residue that waits for its frames shows that it was cut off.
func (d *decoding) ended(err error) error {
	if errors.Is(err, io.EOF) && d.comment != nil {
		return &LineError{Line: d.commentAt, Err: errUnending}
	}
	return err
}

// settle makes the event of what was read, nil when that is nothing new or of another room.
func (d *decoding) settle(read *core.Entry, seen func(*core.Entry) bool) (*core.Entry, error) {
	comment := d.comment
	d.comment = nil
	if read == nil && comment == nil {
		return nil, nil
	}
	e, err := restore(read, comment)
	if err != nil {
		return nil, err
	}
	room, _ := e.Stream.RoomID()
	repeated := seen != nil && seen(e)
	switch {
	case room == "":
		return nil, errNoRoom
	case repeated, comment != nil && e.Version <= d.place.known(room).version:
		return nil, nil
	}
	d.reading.note(e)
	if d.room != "" && room != d.room {
		return nil, nil
	}
	return e, nil
}
