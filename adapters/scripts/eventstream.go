package scripts

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"stele/internal/sse"
)

// eventStream reads server-sent events and counts their lines. Readers that follow the standard pass over lines that they do
// not know; here such a line shows that the text is no such stream, and ends it.
type eventStream struct {
	reader *sse.Reader
	// line is the number of the line in which the newest frame began, read how many lines were taken.
	line, taken int
}

func newEventStream(r io.Reader) *eventStream {
	return &eventStream{reader: sse.NewReader(&fieldGuard{src: &lineEnds{src: r}, line: 1, start: true}, maxUnit)}
}

// lineEnds passes a text on with LF for each end of a line: the standard has CR LF, LF and CR. A CR ends its line at once, so
// that nobody waits for what comes behind it.
type lineEnds struct {
	src io.Reader
	// ended: the newest character was a CR, and an LF behind it is of the same end.
	ended bool
}

// Read implements [io.Reader].
func (l *lineEnds) Read(p []byte) (int, error) {
	for {
		n, err := l.src.Read(p)
		kept := 0
		for _, c := range p[:n] {
			again := c == '\n' && l.ended
			if l.ended = c == '\r'; l.ended {
				c = '\n'
			}
			if !again {
				p[kept] = c
				kept++
			}
		}
		// An LF alone that belongs to the CR before it is no reason to say that nothing came.
		if kept > 0 || n == 0 || err != nil {
			return kept, err
		}
	}
}

// next returns the next frame or comment. Errors: io.EOF, *[LineError], and the reader's.
func (s *eventStream) next() (sse.Event, error) {
	ev, err := s.reader.Next()
	raw := s.reader.Raw()
	s.line = s.taken + 1
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
		s.line++
	}
	s.taken += bytes.Count(raw, []byte{'\n'})
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = &LineError{Line: s.line, Err: errUnending}
	case errors.Is(err, sse.ErrFrameTooLarge):
		err = &LineError{Line: s.line, Err: errTooLong}
	}
	return ev, err
}

var errNoField = errors.New("no line of an event stream: it begins with none of id, event, data, retry and a colon")

// streamFields are what a line of an event stream can begin with.
var streamFields = []string{"id", "event", "data", "retry"}

// longestField is how much of a line tells whether it is one of an event stream.
const longestField = len("event:")

// fieldGuard passes a text on up to the first line that no event stream has.
type fieldGuard struct {
	src  io.Reader
	line int
	// start: what is read next is of the beginning of a line, of which head came already.
	start bool
	head  []byte
	err   error
}

// Read implements [io.Reader].
func (g *fieldGuard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.src.Read(p)
	for i, c := range p[:n] {
		if bad := g.take(c); bad {
			g.err = &LineError{Line: g.line, Err: errNoField}
			return i, g.err
		}
	}
	g.err = err
	return n, err
}

// take follows one byte and tells whether it shows a line that is none.
func (g *fieldGuard) take(c byte) (bad bool) {
	if c == '\n' {
		bad = g.start && !slices.Contains(streamFields, string(g.head)) && len(g.head) > 0
		if bad {
			return true
		}
		g.line++
		g.start, g.head = true, g.head[:0]
		return false
	}
	if !g.start {
		return false
	}
	g.head = append(g.head, c)
	if g.line == 1 {
		if bytes.Equal(g.head, byteOrderMark) {
			g.head = g.head[:0]
			return false
		}
		if bytes.HasPrefix(byteOrderMark, g.head) {
			return false
		}
	}
	if c == ':' {
		g.start = false
		name := string(g.head[:len(g.head)-1])
		return name != "" && !slices.Contains(streamFields, name)
	}
	return len(g.head) > longestField
}
