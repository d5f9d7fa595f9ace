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

// TestRoleMentions: the name of a role may hold what no other name does, and is found by the same rule.
func TestRoleMentions(t *testing.T) {
	r := &Room{Members: map[string]*Member{"1": {Agent: "1"}, "2": {Agent: "2"}, "5": {Agent: "5"}}}
	for role, texts := range map[string]map[string]bool{
		"judge": {"@judge": true, "@JUDGE.": true, "x@judge!": true, "@judges": false, "@judge.x": false, "@ju*dge*": true, "judge": false},
		"qa/lead": {
			"@qa/lead": true, "@QA/Lead: go": true, "@qa/lead. So": true, "@qa/leads": false, "@qa/lead.x": false,
			"@qa/lead-2": false, "@qa/lead-2 @qa/lead": true, "@qa": false, "@qa/": false,
		},
		"ärztin": {"@Ärztin, bitte": true, "@ärztin1": false},
		"vip*":   {"@vip": true, "@vip*": true, "@vip1": false},
		"***":    {"@***": false, "@": false},
	} {
		for text, want := range texts {
			got := r.mentioned(text, "5", map[string][]string{role: {"1", "5", "gone"}})
			require.Equal(t, want, len(got) == 1, "%q in %q", role, text)
		}
	}
	require.Equal(t, []string{"1", "2"}, r.mentioned("@a @b", "5", map[string][]string{"a": {"2", "1"}, "b": {"1"}}), "each once")
}
