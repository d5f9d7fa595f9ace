package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// ErrFrameTooLarge reports a frame longer than the reader allows, or as much
// without any frame or comment. The reader is of no use afterwards.
var ErrFrameTooLarge = errors.New("sse: frame too large")

// DefaultMaxFrameBytes is used when NewReader gets no limit: 4 MiB.
const DefaultMaxFrameBytes = 4 << 20

// Event is one frame or one comment that was read.
type Event struct {
	// ID is the frame's id; HasID tells an empty one from none.
	ID    string
	HasID bool
	// Event is the frame's event name, empty when it has none.
	Event string
	// Data is the payload, data lines joined by LF; nil when there was no data
	// line. For a comment it is the text. The caller owns it.
	Data []byte
	// Comment marks a comment. One that stands inside a frame comes before it.
	Comment bool
	// Retry is the wait in milliseconds the server asks for; 0 when it does not.
	Retry int
}

// Reader reads events from a stream. It is not safe for concurrent use.
type Reader struct {
	src     *bufio.Reader
	max     int
	size    int    // bytes of the frame so far
	raw     []byte // bytes consumed since the last event
	started bool
	pending Event
	fields  bool // the pending frame has at least one known field
}

// NewReader returns a reader of frames of at most maxFrameBytes each, line
// ends included; 0 or less means DefaultMaxFrameBytes.
func NewReader(r io.Reader, maxFrameBytes int) *Reader {
	if maxFrameBytes <= 0 {
		maxFrameBytes = DefaultMaxFrameBytes
	}
	return &Reader{src: bufio.NewReader(r), max: maxFrameBytes}
}

// Raw returns the bytes that the last call of Next consumed, exactly as they
// came; all of them in a row are the stream. It is valid until the next call.
func (r *Reader) Raw() []byte { return r.raw }

// Next returns the next frame or comment. A frame without any known field is
// passed over. At the end of the stream it returns io.EOF, or
// io.ErrUnexpectedEOF when the stream breaks off within a frame, which must
// not be used then.
func (r *Reader) Next() (Event, error) {
	r.raw = r.raw[:0]
	for {
		line, err := r.readLine()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if ev, ok := r.finish(); ok {
				return ev, nil
			}
			continue
		}
		if line[0] == ':' {
			ev := Event{Comment: true, Data: bytes.Clone(trimSpace(line[1:]))}
			r.takeEmptyLine()
			return ev, nil
		}
		r.field(line)
	}
}

// readLine returns the next line without its end. It lies in r.raw.
func (r *Reader) readLine() ([]byte, error) {
	start := len(r.raw)
	for {
		part, err := r.src.ReadSlice('\n')
		r.raw = append(r.raw, part...)
		r.size += len(part)
		// What stands between frames and tells nothing, such as empty lines, is held too, for Raw.
		if max(r.size, len(r.raw)) > r.max {
			return nil, ErrFrameTooLarge
		}
		switch {
		case err == nil:
			line := bytes.TrimSuffix(r.raw[start:len(r.raw)-1], []byte("\r"))
			if !r.started {
				r.started = true
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if r.fields || len(r.raw) > start {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, io.EOF
		default:
			return nil, err
		}
	}
}

// takeEmptyLine consumes the empty line after a comment if it is there
// already, so that Raw shows the comment as it was written. It never waits.
func (r *Reader) takeEmptyLine() {
	if r.fields {
		return
	}
	r.size = 0
	if r.src.Buffered() == 0 {
		return
	}
	if next, err := r.src.Peek(1); err == nil && next[0] == '\n' {
		_, _ = r.src.Discard(1)
		r.raw = append(r.raw, '\n')
	}
}

func (r *Reader) finish() (Event, bool) {
	ev, ok := r.pending, r.fields
	r.pending, r.fields, r.size = Event{}, false, 0
	return ev, ok
}

func (r *Reader) field(line []byte) {
	name, value, found := bytes.Cut(line, []byte(":"))
	if found {
		value = trimSpace(value)
	}
	switch string(name) {
	case "id":
		// The standard ignores ids with NUL, since no header could carry them.
		if bytes.IndexByte(value, 0) >= 0 {
			return
		}
		r.pending.ID, r.pending.HasID = string(value), true
	case "event":
		r.pending.Event = string(value)
	case "data":
		if r.pending.Data == nil {
			r.pending.Data = append(make([]byte, 0, len(value)), value...)
		} else {
			r.pending.Data = append(append(r.pending.Data, '\n'), value...)
		}
	case "retry":
		n, err := strconv.ParseUint(string(value), 10, 31)
		if err != nil {
			return
		}
		r.pending.Retry = int(n)
	default:
		return
	}
	r.fields = true
}

// trimSpace drops the one space that may follow the colon.
func trimSpace(value []byte) []byte {
	return bytes.TrimPrefix(value, []byte(" "))
}
