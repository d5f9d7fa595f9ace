package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// screen is a terminal. What agents wrote reaches it, so it shows what would steer it (CWE-150) and what is no text. Line breaks
// and tabs pass. It is for one goroutine.
type screen struct {
	to io.Writer
	// rest is the beginning of a character of which the end is to come.
	rest []byte
}

// Write implements [io.Writer].
func (s *screen) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	whole := len(text)
	for i := range min(utf8.UTFMax-1, len(text)) {
		if at := len(text) - 1 - i; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(strings.ToValidUTF8(string(text[:whole]), "\ufffd"), "\n") {
		said, ended := strings.CutSuffix(line, "\n")
		for i, part := range strings.Split(said, "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(visible(part))
		}
		if ended {
			b.WriteByte('\n')
		}
	}
	s.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(s.to, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// visible keeps what people wrote from steering the terminal, or from turning the order of what stands around it (CWE-150).
func visible(s string) string {
	steers := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if steers(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
