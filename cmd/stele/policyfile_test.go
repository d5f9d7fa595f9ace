package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/internal/strictjson"
)

func TestPolicyFiles(t *testing.T) {
	all := []string{"*"}
	for _, tc := range []struct {
		text  string
		rules []core.AddressingRule
		wrong string
	}{
		{`{"rules":[]}`, []core.AddressingRule{}, ""},
		{`{"rules":[{"rooms":["*"],"owner_agents":true}]}`, []core.AddressingRule{{Rooms: all, OwnerAgents: true}}, ""},
		{
			`{"rules":[{"rooms":["*"],"groups":["g"],"users":["u"],"agents":["a"],"owner":true,"owner_agents":false}]}`,
			[]core.AddressingRule{{Rooms: all, Groups: []string{"g"}, Users: []string{"u"}, Agents: []string{"a"}, Owner: true}},
			"",
		},
		{``, nil, "is no addressing policy"},
		{`[]`, nil, "is no addressing policy"},
		{`{}`, nil, `it has no "rules"`},
		{`{"rules":[],"rule":[]}`, nil, `it has no field "rule"`},
		{`{"rules":{}}`, nil, "is no addressing policy"},
		{`{"rules":[[]]}`, nil, "rule 1: "},
		{`{"rules":[{"rooms":["*"],"Owner":true}]}`, nil, `rule 1: it has no field "Owner"`},
		{`{"rules":[{"rooms":["*"],"owner":"yes"}]}`, nil, "rule 1: "},
		{`{"rules":[{"rooms":"*"}]}`, nil, "rule 1: "},
		{`{"rules":[{"rooms":["*"],"groups":[],"owner":true}]}`, nil, "rule 1: groups must not be empty"},
		{strings.Repeat(" ", maxPolicyFile+1), nil, "is longer than"},
	} {
		path := filepath.Join(t.TempDir(), "policy.json")
		require.NoError(t, os.WriteFile(path, []byte(tc.text), 0o600))
		policy, err := readPolicy(path)
		if tc.wrong != "" {
			require.ErrorContains(t, err, tc.wrong, tc.text)
			continue
		}
		require.NoError(t, err, tc.text)
		require.Equal(t, tc.rules, policy.Rules, tc.text)
	}
}

// FuzzPolicy: what is accepted means the same after it was written and read again.
func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{
		`{"rules":[]}`, `{"rules":[{"rooms":["*"],"owner_agents":true}]}`, `{"rules":[{"rooms":["r"],"groups":["g"],"agents":["a"]}]}`,
		`{"rules":null}`, `{"rules":[null]}`, `{"rules":[{"rooms":null}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		policy, err := parsePolicy(data)
		if err != nil {
			return
		}
		encoded, err := strictjson.Marshal(policy)
		require.NoError(t, err)
		again, err := parsePolicy(encoded)
		require.NoError(t, err)
		twice, err := strictjson.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(twice))
	})
}
