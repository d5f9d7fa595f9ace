package superjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Lone surrogates live in Go strings as the three bytes ED A0..BF 80..BF, which
// valid UTF-8 never contains. A high half followed by a low half is never kept that
// way: it is joined to the character it stands for.

// Valid returns the text as valid UTF-8, with U+FFFD for each lone surrogate and
// each invalid byte.
func (s String) Valid() string { return replaceSurrogates(string(s)) }

// Kept in this form, s may hold surrogates; the result may not.
func replaceSurrogates(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if _, ok := surrogateAt(s); ok {
			b.WriteRune(utf8.RuneError)
			s = s[3:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}

// surrogateAt reports the half pair at the beginning of s.
func surrogateAt(s string) (uint16, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2] < 0x80 || s[2] > 0xBF {
		return 0, false
	}
	return 0xD000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}

// appendUnit adds one UTF-16 unit of a \u escape, joining it to a high half before it.
func appendUnit(buf []byte, unit uint16) []byte {
	r := rune(unit)
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(buf, r)
	}
	if n := len(buf); n >= 3 && r >= 0xDC00 {
		if high, ok := surrogateAt(string(buf[n-3:])); ok && high < 0xDC00 {
			return utf8.AppendRune(buf[:n-3], utf16.DecodeRune(rune(high), r))
		}
	}
	return append(buf, 0xED, 0x80|byte(unit>>6)&0x3F, 0x80|byte(unit)&0x3F)
}

const hexDigits = "0123456789abcdef"

// plainByte tells the bytes that stand for themselves in a JSON string: ASCII but for
// controls, quotes and backslashes.
var plainByte = func() (table [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// appendString prints a JSON string as JSON.stringify does: only quotes,
// backslashes, control characters and lone surrogates are escaped.
func appendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	n := 0
	for n < len(s) && plainByte[s[n]] {
		n++
	}
	dst = append(dst, s[:n]...)
	if n < len(s) {
		dst = appendAwkward(dst, string(s[n:]))
	}
	return append(dst, '"')
}

// appendAwkward prints text with what is not plain ASCII in it.
func appendAwkward(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plainByte[c] {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		if unit, ok := surrogateAt(s[i:]); ok {
			dst = appendHex(dst, unit)
			size = 3
		} else {
			dst = appendEscape(dst, c)
		}
		i += size
		start = i
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c >= utf8.RuneSelf {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return appendHex(dst, uint16(c))
}

func appendHex(dst []byte, unit uint16) []byte {
	return append(dst, '\\', 'u',
		hexDigits[unit>>12], hexDigits[unit>>8&0xF], hexDigits[unit>>4&0xF], hexDigits[unit&0xF])
}
