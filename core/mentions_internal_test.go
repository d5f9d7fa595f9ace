package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMentions(t *testing.T) {
	r := &Room{Members: map[string]*Member{
		"1": {Agent: "1", Handle: "alice"}, "2": {Agent: "2", Handle: "bob", Alias: "Boss"},
		"3": {Agent: "3", Handle: "cc-bug"}, "4": {Agent: "4", Handle: "v1.2"}, "5": {Agent: "5", Handle: "me"},
	}}
	for text, want := range map[string][]string{
		"":                       nil,
		"hello":                  nil,
		"@":                      nil,
		"@nobody":                nil,
		"@alice":                 {"1"},
		"@ALICE, hi":             {"1"},
		"(@alice)":               {"1"},
		"@alice's":               {"1"},
		"bob@alice":              {"1"},
		"@alice.":                {"1"},
		"@alice. And":            {"1"},
		"@alice.x":               nil,
		"@alice-":                {"1"},
		"@aliced":                nil,
		"@*alice*":               {"1"},
		"**@ali~ce** please":     {"1"},
		"@cc-bug-2":              nil,
		"@cc-bug: @bob":          {"2", "3"},
		"@boss do":               {"2"},
		"@v1.2 and @v1.2.":       {"4"},
		"@me too":                nil,
		"@@alice":                {"1"},
		"@alice @alice @bob":     {"1", "2"},
		"\u202e@alice\u202c ok":  {"1"},
		"line\n@alice\r\nline 2": {"1"},
	} {
		require.Equal(t, want, r.mentioned(text, "5", nil), "%q", text)
	}
}
