package superjson

import (
	"fmt"
	"strconv"
)

// scanner reads JSON text into a tree. It exists beside the ordinary JSON packages
// because the tree must keep the order of keys, the digits of numbers and lone
// surrogates. The text has been checked for size and UTF-8.
type scanner struct {
	data []byte
	pos  int
	// depth counts down to the deepest nesting allowed.
	depth int
	// specials counts numbers that will need an annotation when printed again.
	specials int
}

func (s *scanner) fail(detail string) error {
	return &DecodeError{Offset: s.pos, Detail: detail, Err: ErrSyntax}
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not a blank, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos == len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

func (s *scanner) end() error {
	if s.peek() != 0 || s.pos < len(s.data) {
		return s.fail("text after the value")
	}
	return nil
}

func (s *scanner) value() (Value, error) {
	switch c := s.peek(); {
	case c == '"':
		text, err := s.str()
		return String(text), err
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == 't':
		return Bool(true), s.word("true")
	case c == 'f':
		return Bool(false), s.word("false")
	case c == 'n':
		return Null{}, s.word("null")
	}
	return nil, s.fail("expected a value")
}

func (s *scanner) word(w string) error {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return s.fail("expected " + w)
	}
	s.pos += len(w)
	return nil
}

func (s *scanner) enter() error {
	s.pos++
	s.depth--
	if s.depth < 0 {
		return &DecodeError{Offset: s.pos, Err: ErrTooDeep}
	}
	return nil
}

func (s *scanner) array() (Value, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	items := Array{}
	if s.peek() == ']' {
		s.pos++
		s.depth++
		return items, nil
	}
	for {
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
		more, err := s.more(']')
		if err != nil {
			return nil, err
		}
		if !more {
			return items, nil
		}
	}
}

func (s *scanner) object() (Value, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	if s.peek() == '}' {
		s.pos++
		s.depth++
		return NewObject(), nil
	}
	var members []Member
	for {
		key, err := s.key()
		if err != nil {
			return nil, err
		}
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		members = append(members, Member{key, v})
		more, err := s.more('}')
		if err != nil {
			return nil, err
		}
		if !more {
			return NewObject(members...), nil
		}
	}
}

func (s *scanner) key() (string, error) {
	if s.peek() != '"' {
		return "", s.fail("expected a key")
	}
	key, err := s.str()
	if err != nil {
		return "", err
	}
	if s.peek() != ':' {
		return "", s.fail("expected ':'")
	}
	s.pos++
	return key, nil
}

// more reads a comma, or the closing bracket, which ends a level.
func (s *scanner) more(closing byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case closing:
		s.pos++
		s.depth++
		return false, nil
	}
	return false, s.fail(fmt.Sprintf("expected ',' or '%c'", closing))
}

func (s *scanner) number() (Value, error) {
	start := s.pos
	if s.data[s.pos] == '-' {
		s.pos++
	}
	switch n := s.digits(); {
	case n == 0:
		return nil, s.fail("expected a digit")
	case n > 1 && s.data[s.pos-n] == '0':
		return nil, s.fail("a number with a leading zero")
	}
	if s.at('.') {
		if s.pos++; s.digits() == 0 {
			return nil, s.fail("expected a digit")
		}
	}
	if s.at('e') || s.at('E') {
		if s.pos++; s.at('+') || s.at('-') {
			s.pos++
		}
		if s.digits() == 0 {
			return nil, s.fail("expected a digit")
		}
	}
	n := numberFromJSON(string(s.data[start:s.pos]))
	if n.special() {
		s.specials++
	}
	return n, nil
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}

// str reads the string whose opening quote is next.
func (s *scanner) str() (string, error) {
	s.pos++
	start := s.pos
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return string(s.data[start : s.pos-1]), nil
		case c == '\\':
			return s.escaped(append([]byte(nil), s.data[start:s.pos]...))
		case c < 0x20:
			return "", s.fail("a control character in a string")
		}
		s.pos++
	}
	return "", s.fail("a string without an end")
}

// escaped reads on from the first backslash.
func (s *scanner) escaped(buf []byte) (string, error) {
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		s.pos++
		switch {
		case c == '"':
			return string(buf), nil
		case c < 0x20:
			return "", s.fail("a control character in a string")
		case c != '\\':
			buf = append(buf, c)
		default:
			var err error
			if buf, err = s.escape(buf); err != nil {
				return "", err
			}
		}
	}
	return "", s.fail("a string without an end")
}

func (s *scanner) escape(buf []byte) ([]byte, error) {
	if s.pos == len(s.data) {
		return nil, s.fail("a string without an end")
	}
	c := s.data[s.pos]
	s.pos++
	switch c {
	case '"', '\\', '/':
		return append(buf, c), nil
	case 'b':
		return append(buf, '\b'), nil
	case 'f':
		return append(buf, '\f'), nil
	case 'n':
		return append(buf, '\n'), nil
	case 'r':
		return append(buf, '\r'), nil
	case 't':
		return append(buf, '\t'), nil
	case 'u':
		unit, err := s.hex4()
		if err != nil {
			return nil, err
		}
		return appendUnit(buf, unit), nil
	}
	return nil, s.fail("an unknown escape")
}

func (s *scanner) hex4() (uint16, error) {
	if len(s.data)-s.pos < 4 {
		return 0, s.fail("expected four hex digits")
	}
	n, err := strconv.ParseUint(string(s.data[s.pos:s.pos+4]), 16, 16)
	if err != nil {
		return 0, s.fail("expected four hex digits")
	}
	s.pos += 4
	return uint16(n), nil
}
