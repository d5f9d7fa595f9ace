package superjson

import (
	"errors"
	"io"
)

// Decoder reads texts that follow one another in a stream, with or without blanks
// between them.
type Decoder struct {
	r     io.Reader
	codec Codec
	// buf holds what was read and not yet decoded.
	buf []byte
	err error
}

// NewDecoder returns a decoder with the default settings.
func NewDecoder(r io.Reader) *Decoder { return Codec{}.NewDecoder(r) }

// NewDecoder returns a decoder with the settings of c, whose MaxBytes bounds each text.
func (c Codec) NewDecoder(r io.Reader) *Decoder {
	c.Limits = c.Limits.withDefaults()
	return &Decoder{r: r, codec: c}
}

// Decode reads the next text into what v points to, as [Codec.Unmarshal] does. It
// returns io.EOF when the stream ends between two texts, io.ErrUnexpectedEOF when it ends
// within one, and what the reader returned when that failed. A text that is read to its
// end and cannot be decoded does not spoil the next.
func (d *Decoder) Decode(v any) error {
	text, err := d.next()
	if err != nil {
		return err
	}
	err = d.codec.Unmarshal(text, v)
	d.buf = d.buf[len(text):]
	return err
}

// next returns the next text, which stays at the start of the buffer.
func (d *Decoder) next() ([]byte, error) {
	var s splitter
	for {
		d.buf = s.scan(d.buf)
		if s.done {
			return d.buf[:s.pos], nil
		}
		if len(d.buf) > d.codec.Limits.MaxBytes {
			d.err = fault(ErrTooLarge, "more than %d bytes", d.codec.Limits.MaxBytes)
		}
		if d.err != nil {
			return d.rest(&s)
		}
		if err := d.fill(); err != nil {
			d.err = err
		}
	}
}

// rest says how a stream ended. A bare word or number ends with it.
func (d *Decoder) rest(s *splitter) ([]byte, error) {
	switch {
	case !errors.Is(d.err, io.EOF):
		return nil, d.err
	case !s.started:
		return nil, io.EOF
	case s.bare:
		return d.buf, nil
	}
	return nil, io.ErrUnexpectedEOF
}

func (d *Decoder) fill() error {
	const chunk = 4096
	if cap(d.buf)-len(d.buf) < chunk {
		grown := make([]byte, len(d.buf), 2*len(d.buf)+chunk)
		copy(grown, d.buf)
		d.buf = grown
	}
	n, err := d.r.Read(d.buf[len(d.buf):cap(d.buf)])
	d.buf = d.buf[:len(d.buf)+n]
	if n > 0 && errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// splitter finds the end of a JSON value without judging it.
type splitter struct {
	pos   int
	depth int
	// started is set at the first byte that is not blank; bare at that of a word or a
	// number, which nothing but what follows ends.
	started, bare  bool
	text, escaping bool
	done           bool
}

// scan reads on in buf, of which it drops blanks before the value, and returns the rest.
func (s *splitter) scan(buf []byte) []byte {
	for s.pos < len(buf) && !s.done {
		c := buf[s.pos]
		blank := c == ' ' || c == '\n' || c == '\t' || c == '\r'
		if !s.started {
			if blank {
				buf = buf[1:]
				continue
			}
			s.started = true
			s.bare = c != '{' && c != '[' && c != '"'
		}
		if s.bare && (blank || s.pos > 0 && (c == '{' || c == '[' || c == '"')) {
			s.done = true
			return buf
		}
		s.pos++
		if !s.bare {
			s.step(c)
		}
	}
	return buf
}

func (s *splitter) step(c byte) {
	switch {
	case s.escaping:
		s.escaping = false
	case s.text:
		s.escaping = c == '\\'
		s.text = c != '"'
		s.done = !s.text && s.depth == 0
	case c == '"':
		s.text = true
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		s.done = s.depth <= 0
	}
}
