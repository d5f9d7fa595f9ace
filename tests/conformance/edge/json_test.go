package conformance

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// object is a JSON object.
type object = map[string]any

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	return v
}

// at follows keys and indexes into a value.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, ok := v.(object)
			require.True(t, ok, "%v: %v is not an object", path, v)
			require.Contains(t, o, p)
			v = o[p]
		case int:
			l, ok := v.([]any)
			require.True(t, ok, "%v: %v is not a list", path, v)
			require.Greater(t, len(l), p, "%v", path)
			v = l[p]
		}
	}
	return v
}

// text is at for strings.
func text(t *testing.T, v any, path ...any) string {
	t.Helper()
	s, ok := at(t, v, path...).(string)
	require.True(t, ok, "%v of %v is not a string", path, v)
	return s
}

// list is at for lists.
func list(t *testing.T, v any, path ...any) []any {
	t.Helper()
	l, ok := at(t, v, path...).([]any)
	require.True(t, ok, "%v of %v is not a list", path, v)
	return l
}
