package core

import (
	"slices"
	"strings"
)

// mentioned lists the members that the text speaks to by "@handle", "@alias" or the "@role" that they hold, sorted by id,
// without the sender. holders are the members that hold a role live, by its name in lower case.
//
// A name matches without regard to case and wherever it stands, also inside a word ("bob@alice" speaks to alice); it
// must not be followed by another character of a name, so "@ann" is not in "@anna". Emphasis marks inside a handle are
// looked through ("@*ann*"). A full stop, hyphen or underscore at the end of a sentence is not part of a name.
func (r *Room) mentioned(text, sender string, holders map[string][]string) []string {
	if !strings.Contains(text, "@") {
		return nil
	}
	lower := strings.ToLower(text)
	plain := withoutEmphasis(lower)
	tokens, aliases := mentionTokens(plain), mentionTokens(lower)
	var out []string
	for id, m := range r.Members {
		if id == sender {
			continue
		}
		if hasName(tokens, m.Handle) || hasName(aliases, m.Alias) {
			out = append(out, id)
		}
	}
	for role, agents := range holders {
		if !mentionsRole(plain, role) {
			continue
		}
		for _, id := range agents {
			if id != sender && r.Members[id] != nil {
				out = append(out, id)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func withoutEmphasis(text string) string {
	if !strings.ContainsAny(text, "*~") {
		return text
	}
	return strings.NewReplacer("*", "", "~", "").Replace(text)
}

// mentionsRole tells whether the text speaks to a role. The name of a role may have characters that no other name has.
func mentionsRole(plain, role string) bool {
	role = withoutEmphasis(role)
	if role == "" {
		return false
	}
	for rest := plain; ; {
		_, after, found := strings.Cut(rest, "@"+role)
		if !found {
			return false
		}
		sentence := strings.TrimLeft(after, ".-_")
		if sentence == "" || isSpaceByte(sentence[0]) || !isNameByte(after[0]) {
			return true
		}
		rest = after
	}
}

// mentionTokens collects what follows each "@": the run of name characters, as it stands and without the marks that may
// end a sentence.
func mentionTokens(text string) map[string]bool {
	tokens := map[string]bool{}
	for {
		_, rest, found := strings.Cut(text, "@")
		if !found {
			return tokens
		}
		end := 0
		for end < len(rest) && isNameByte(rest[end]) {
			end++
		}
		name := rest[:end]
		if name != "" {
			tokens[name] = true
		}
		if end == len(rest) || isSpaceByte(rest[end]) {
			if trimmed := strings.TrimRight(name, ".-_"); trimmed != "" {
				tokens[trimmed] = true
			}
		}
		text = rest
	}
}

func hasName(tokens map[string]bool, name string) bool {
	return name != "" && tokens[strings.ToLower(name)]
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
}

func isSpaceByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
