package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// scanner walks a document once. Its methods return false after noting the
// first fault, so that the good path carries no error values.
type scanner struct {
	data     []byte
	pos      int
	depth    int
	maxDepth int
	fault    string // of the grammar; empty when err says more
	err      error
	traits   traits
}

func (s *scanner) failure() error {
	if s.err != nil {
		return s.err
	}
	return &SyntaxError{Offset: s.pos, Msg: s.fault}
}

func (s *scanner) fail(fault string) bool {
	s.fault = fault
	if s.pos >= len(s.data) {
		s.pos, s.fault = len(s.data), "unexpected end"
	}
	return false
}

func (s *scanner) failWith(err error) bool {
	s.err = err
	return false
}

// peek returns the byte at the current position, or 0 at the end; 0 is no
// part of the grammar.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.traits.space = true
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) document() bool {
	s.skipSpace()
	if !s.value() {
		return false
	}
	s.skipSpace()
	if s.pos < len(s.data) {
		return s.fail("data after the value")
	}
	return true
}

func (s *scanner) value() bool {
	switch c := s.peek(); c {
	case '{':
		return s.object()
	case '[':
		return s.array()
	case '"':
		return s.str()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		if c == '-' || isDigit(c) {
			return s.number()
		}
		return s.fail("expected a value")
	}
}

func (s *scanner) enter() bool {
	s.pos++
	s.depth++
	if s.depth > s.maxDepth {
		return s.failWith(ErrTooDeep)
	}
	s.skipSpace()
	return true
}

func (s *scanner) leave() bool {
	s.pos++
	s.depth--
	return true
}

func (s *scanner) object() bool {
	if !s.enter() {
		return false
	}
	if s.peek() == '}' {
		return s.leave()
	}
	for {
		if s.peek() != '"' {
			return s.fail("expected a field name")
		}
		if !s.str() {
			return false
		}
		s.skipSpace()
		if s.peek() != ':' {
			return s.fail("expected a colon")
		}
		s.pos++
		s.skipSpace()
		if !s.value() {
			return false
		}
		s.skipSpace()
		switch s.peek() {
		case ',':
			s.pos++
			s.skipSpace()
		case '}':
			return s.leave()
		default:
			return s.fail("expected a comma or the end of the object")
		}
	}
}

func (s *scanner) array() bool {
	if !s.enter() {
		return false
	}
	if s.peek() == ']' {
		return s.leave()
	}
	for {
		if !s.value() {
			return false
		}
		s.skipSpace()
		switch s.peek() {
		case ',':
			s.pos++
			s.skipSpace()
		case ']':
			return s.leave()
		default:
			return s.fail("expected a comma or the end of the array")
		}
	}
}

func (s *scanner) word(w string) bool {
	for i := range len(w) {
		if s.peek() != w[i] {
			return s.fail("expected " + w)
		}
		s.pos++
	}
	return true
}

func (s *scanner) number() bool {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	switch c := s.peek(); {
	case c == '0':
		s.pos++
	case isDigit(c):
		s.digits()
	default:
		return s.fail("expected a digit")
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.fail("expected a digit after the decimal point")
		}
	}
	exponent := false
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.fail("expected a digit in the exponent")
		}
		exponent = true
	}
	if s.pos-start > MaxNumberBytes {
		return s.failWith(ErrTooLarge)
	}
	// 300 digits are below the greatest double, 1.8e308.
	if exponent || s.pos-start > 300 {
		s.traits.oddNumber = true
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.pos
	for isDigit(s.peek()) {
		s.pos++
	}
	return s.pos > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (s *scanner) str() bool {
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return true
		case c == '\\':
			if !s.escape() {
				return false
			}
		case c < ' ':
			return s.fail("control character in a string")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return s.failWith(ErrInvalidUTF8)
			}
			s.pos += size
		}
	}
	return s.fail("unexpected end")
}

func (s *scanner) escape() bool {
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return true
	case 'u':
		return s.unicodeEscape()
	default:
		return s.fail("unknown escape")
	}
}

// unicodeEscape stands on the u of a \u escape and consumes the second half of
// a surrogate pair with the first.
func (s *scanner) unicodeEscape() bool {
	r, ok := hex4(s.data[s.pos+1:])
	if !ok {
		return s.fail("expected four hexadecimal digits")
	}
	s.pos += 5
	if !utf16.IsSurrogate(r) {
		return true
	}
	if pairsWith(r, s.data[s.pos:]) {
		s.pos += 6
	} else {
		s.traits.loneSurrogate = true
	}
	return true
}

// pairsWith reports whether rest begins with the escape that makes a pair
// with the surrogate r.
func pairsWith(r rune, rest []byte) bool {
	if len(rest) < 2 || rest[0] != '\\' || rest[1] != 'u' {
		return false
	}
	low, ok := hex4(rest[2:])
	return ok && utf16.DecodeRune(r, low) != utf8.RuneError
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
