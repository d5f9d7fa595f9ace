package jsonview

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Object is a JSON object.
type Object = map[string]any

// Parse reads one JSON value.
func Parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	return v
}

// At follows keys and indexes into a value.
func At(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, ok := v.(Object)
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

// Text is At for strings.
func Text(t *testing.T, v any, path ...any) string {
	t.Helper()
	s, ok := At(t, v, path...).(string)
	require.True(t, ok, "%v of %v is not a string", path, v)
	return s
}

// List is At for lists.
func List(t *testing.T, v any, path ...any) []any {
	t.Helper()
	l, ok := At(t, v, path...).([]any)
	require.True(t, ok, "%v of %v is not a list", path, v)
	return l
}

// Column collects one field of the objects of a list.
func Column(t *testing.T, l []any, key string) []any {
	t.Helper()
	out := make([]any, len(l))
	for i := range l {
		out[i] = At(t, l[i], key)
	}
	return out
}

// Find returns the first object of a list with that value of a field.
func Find(t *testing.T, l []any, key string, value any) Object {
	t.Helper()
	for _, e := range l {
		if o := e.(Object); o[key] == value {
			return o
		}
	}
	require.Failf(t, "not found", "%s %v in %v", key, value, l)
	return nil
}

// Shape expects an object to have exactly the fields of a list such as "id string, status string?, rooms list": string,
// bool, int, number, list, object or any, with a question mark where null may be.
func Shape(t *testing.T, v any, fields string) Object {
	t.Helper()
	o, ok := v.(Object)
	require.True(t, ok, "%v is not an object", v)
	want := map[string]bool{}
	for field := range strings.SplitSeq(fields, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(field), " ")
		want[name] = true
		value, there := o[name]
		if !there {
			t.Errorf("%s is missing in %v", name, o)
			continue
		}
		base, nullable := strings.CutSuffix(kind, "?")
		if value == nil && (nullable || base == "any") {
			continue
		}
		if !isKind(base, value) {
			t.Errorf("%s is %v and not %s", name, value, kind)
		}
	}
	for name := range o {
		if !want[name] {
			t.Errorf("%s should not be in %v", name, o)
		}
	}
	return o
}

func isKind(kind string, value any) bool {
	switch v := value.(type) {
	case string:
		return kind == "string" || kind == "any"
	case bool:
		return kind == "bool" || kind == "any"
	case float64:
		return kind == "number" || kind == "any" || kind == "int" && v == float64(int64(v))
	case []any:
		return kind == "list" || kind == "any"
	case Object:
		return kind == "object" || kind == "any"
	}
	return false
}
