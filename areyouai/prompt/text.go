package prompt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "..."

// oneLine collapses every run of white space to one space, escapes what could
// end a line, and cuts to n code points, "..." included.
func oneLine(s string, n int) string {
	return escapeFit(strings.Join(strings.Fields(s), " "), n, utf8.RuneCountInString)
}

// cut shortens s to at most n code points and marks that it did.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	keep := n - len(ellipsis)
	for i := range s {
		if keep == 0 {
			return s[:i] + ellipsis
		}
		keep--
	}
	return s
}

// escapeLine makes s one line without losing anything: backslashes are
// doubled, and characters that end a line or control a terminal or the order
// of text become \n, \r, \t or \u escapes.
func escapeLine(s string) string {
	if !needsEscape(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for len(s) > 0 {
		size := appendEscaped(&b, s)
		s = s[size:]
	}
	return b.String()
}

// escapeFit is escapeLine of s when that measures n or less; else of the
// longest beginning that fits together with "...". It never cuts within a
// character or an escape.
func escapeFit(s string, n int, measure func(string) int) string {
	var b strings.Builder
	used, fits := 0, 0
	for len(s) > 0 {
		start := b.Len()
		size := appendEscaped(&b, s)
		used += measure(b.String()[start:])
		if used > n {
			return b.String()[:fits] + ellipsis
		}
		if used+len(ellipsis) <= n {
			fits = b.Len()
		}
		s = s[size:]
	}
	return b.String()
}

func byteLen(s string) int { return len(s) }

// appendEscaped writes the first character of s and returns its size in s.
// A byte that is not UTF-8 is written as \x and two hex digits.
func appendEscaped(b *strings.Builder, s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		fmt.Fprintf(b, `\x%02x`, s[0])
	case r == '\\':
		b.WriteString(`\\`)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case risky(r):
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		b.WriteString(s[:size])
	}
	return size
}

func needsEscape(s string) bool {
	for i, r := range s {
		if r == '\\' || risky(r) {
			return true
		}
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return true
		}
	}
	return false
}

// risky reports control characters (line ends among them), the Unicode line
// and paragraph separators, and the marks that reorder text, with which a
// message could look like something else to whoever reads the prompt
// (CWE-117, CWE-1007).
func risky(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}
