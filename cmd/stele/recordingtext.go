package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// volatile is what differs from run to run, and what stands in its place, so that two recordings of the same conversation
// are the same.
var volatile = []struct {
	is   *regexp.Regexp
	show string
}{
	{regexp.MustCompile(`\b([a-z]+)_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "${1}_" + ellipsis},
	{regexp.MustCompile(`\b(dly)_[0-9A-Za-z_-]{20,}`), "${1}_" + ellipsis},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), ellipsis},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), ellipsis},
	{regexp.MustCompile(`("timestamp":)\d+`), "${1}" + ellipsis},
	{regexp.MustCompile(`(http://[^/\s:]+):\d+`), "${1}:8080"},
}

// normalise takes ids, times, hashes and ports out of a text.
func normalise(text string) string {
	for _, v := range volatile {
		text = v.is.ReplaceAllString(text, v.show)
	}
	return text
}

// tellingKeys are the fields that say most about a frame, the most important first. Where not all of them fit, the first
// ones stay.
var tellingKeys = []string{
	"switch", "areyouai", "edge_events", "edge_messages", "sequence", "seq", "event_id", "expected_turn", "kind", "type",
	"next_actor", "next_turn", "name", "sender_name", "method", "reason", "bundle_hash", "room_state", "state", "role",
}

// abridge leaves fields of a JSON text out until it fits into a width in characters: what it keeps is how it begins, the field
// that has a text, and of the rest its end and what says most.
func abridge(text, keep string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	tokens := fieldsOf(text)
	kept := make([]bool, len(tokens))
	kept[0] = true
	if i := slices.IndexFunc(tokens, func(t string) bool { return strings.Contains(t, keep) }); keep != "" && i >= 0 {
		kept[i] = true
	}
	try := func(i int) {
		if i >= 0 && !kept[i] {
			kept[i] = true
			kept[i] = utf8.RuneCountInString(joined(tokens, kept)) <= width
		}
	}
	try(len(tokens) - 1)
	for _, key := range tellingKeys {
		try(slices.IndexFunc(tokens, func(t string) bool { return strings.HasPrefix(t, `"`+key+`":`) }))
	}
	for i, t := range tokens {
		if strings.Contains(t, `":`) {
			try(i)
		}
	}
	return cut(joined(tokens, kept), width)
}

// joined puts the kept tokens together, with an ellipsis where something was left out.
func joined(tokens []string, kept []bool) string {
	var b strings.Builder
	for i, t := range tokens {
		switch {
		case kept[i]:
			b.WriteString(t)
		case i == 0 || kept[i-1]:
			b.WriteString(ellipsis)
		}
	}
	return b.String()
}

// fieldsOf cuts a text behind each opening bracket and comma that is not within a JSON string, and before the brackets that
// close it.
func fieldsOf(text string) (tokens []string) {
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '[' || c == ','):
			tokens = append(tokens, text[start:i+1])
			start = i + 1
		}
	}
	rest := text[start:]
	if bare := strings.TrimRight(rest, "]}"); !quoted && bare != "" && bare != rest {
		tokens, rest = append(tokens, bare), rest[len(bare):]
	}
	if rest != "" || len(tokens) == 0 {
		tokens = append(tokens, rest)
	}
	return tokens
}

// cut shortens a text to a width in characters.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	return string([]rune(text)[:width-1]) + ellipsis
}
