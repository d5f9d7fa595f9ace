package superjson

import "strings"

// RegExp is a JavaScript regular expression, kept as text and never compiled: its
// dialect is not Go's.
type RegExp struct {
	// Source is the part between the slashes, with its slashes escaped.
	Source string
	// Flags are letters of "dgimsuvy", in alphabetical order.
	Flags string

	mark *mark
}

// String returns /source/flags.
func (r RegExp) String() string {
	if r.Source == "" {
		return "/(?:)/" + r.Flags
	}
	return "/" + r.Source + "/" + r.Flags
}

// Kind implements [Value].
func (RegExp) Kind() Kind { return KindRegExp }
func (RegExp) value()     {}

// parseRegExp splits at the last slash, as the library does, so that an unescaped
// slash in the source survives.
func parseRegExp(s string) (RegExp, bool) {
	end := strings.LastIndexByte(s, '/')
	if end < 1 || s[0] != '/' {
		return RegExp{}, false
	}
	flags, ok := sortFlags(s[end+1:])
	return RegExp{Source: escapeSource(s[1:end]), Flags: flags}, ok
}

func sortFlags(flags string) (string, bool) {
	sorted := ""
	for _, f := range "dgimsuvy" {
		switch strings.Count(flags, string(f)) {
		case 0:
		case 1:
			sorted += string(f)
		default:
			return "", false
		}
	}
	both := strings.Contains(sorted, "u") && strings.Contains(sorted, "v")
	return sorted, len(sorted) == len(flags) && !both
}

// escapeSource is ECMAScript's EscapeRegExpPattern: what a slash outside a class or
// a line end would break between two slashes is escaped.
func escapeSource(s string) string {
	if s == "" {
		return "(?:)"
	}
	var b strings.Builder
	escaped, class := false, false
	for _, r := range replaceSurrogates(s) {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			if !escaped {
				b.WriteByte('\\')
			}
			b.WriteString(map[rune]string{'\n': "n", '\r': "r", '\u2028': "u2028", '\u2029': "u2029"}[r])
			escaped = false
			continue
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '[':
			class = true
		case r == ']':
			class = false
		case r == '/' && !class:
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
