package core_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestReferenceValue(t *testing.T) {
	for _, kind := range []string{"google_drive", "confluence", "github", "jira"} {
		got, err := core.ReferenceValue(kind, json.RawMessage(`{"a":{},"urls":["u",""],"b":[null]}`))
		require.NoError(t, err)
		require.Equal(t, `{"urls":["u",""]}`, string(got), "unknown keys are dropped")
	}
	for _, bad := range []string{
		``, `null`, `[]`, `"urls"`, `{}`, `{"URLS":["u"]}`, `{"urls":null}`, `{"urls":"u"}`, `{"urls":{}}`, `{"urls":[]}`,
		`{"urls":[null]}`, `{"urls":["u",null]}`, `{"urls":[1]}`, `{"urls":[["u"]]}`, `{"urls":[true]}`, `{"urls":["u"]`,
		"{\"urls\":[\"\xff\"]}",
	} {
		_, err := core.ReferenceValue("github", json.RawMessage(bad))
		invalid("value", "at least one string")(t, err)
	}
	long := strings.Repeat("u", core.MaxReferenceValueBytes-len(`{"urls":[""]}`))
	_, err := core.ReferenceValue("github", json.RawMessage(`{"urls":["`+long+`"]}`))
	require.NoError(t, err)
	_, err = core.ReferenceValue("github", json.RawMessage(`{"urls":["`+long+`u"]}`))
	tooLong("value", core.MaxReferenceValueBytes)(t, err)
}

// FuzzReferenceValue compares the check with one that is written with the standard library, and asserts that what is
// stored is accepted again as it is.
func FuzzReferenceValue(f *testing.F) {
	for _, seed := range []string{
		`{"urls":["https://example.org"]}`, `{"urls":[]}`, `{"urls":[null,"x"]}`, `{"urls":["\ud800\u0000"],"urls":["b"]}`,
		`{"urls":{"0":"x"}}`, `[{"urls":["x"]}]`, ` { "urls" : [ "a" , "b" ] , "more" : 1e9 } `, `{"urls":["x"]}{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		got, err := core.ReferenceValue("confluence", value)
		if err != nil {
			var bad *core.InvalidError
			var long *core.TooLongError
			require.True(t, errors.As(err, &bad) || errors.As(err, &long), "%v", err)
			if long == nil {
				require.False(t, plainlyGood(value), "%q is a value of the published form", value)
			}
			return
		}
		require.LessOrEqual(t, len(got), core.MaxReferenceValueBytes)
		var stored map[string][]string
		require.NoError(t, json.Unmarshal(got, &stored))
		require.Len(t, stored, 1)
		require.NotEmpty(t, stored["urls"])
		again, err := core.ReferenceValue("confluence", got)
		require.NoError(t, err)
		require.Equal(t, string(got), string(again))
	})
}

// plainlyGood tells that a value is an object with strings under "urls", said once and in valid UTF-8.
func plainlyGood(value []byte) bool {
	if strings.Count(string(value), "urls") != 1 || strings.ToValidUTF8(string(value), "") != string(value) || len(value) > 10_000 {
		return false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil || strings.Contains(string(value), "null") {
		return false
	}
	var urls []string
	return json.Unmarshal(fields["urls"], &urls) == nil && len(urls) > 0
}
