package conformance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// answer is a whole response.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   string
}

// is expects a status.
func (a answer) is(status int) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s: %s", a.what, a.body)
	return a
}

// says expects the answer to contain all of the texts.
func (a answer) says(texts ...string) answer {
	a.t.Helper()
	for _, text := range texts {
		require.Contains(a.t, a.body, text, a.what)
	}
	return a
}

// exactly expects the body byte for byte.
func (a answer) exactly(body string) answer {
	a.t.Helper()
	require.Equal(a.t, body, strings.TrimSuffix(a.body, "\n"), a.what)
	return a
}

// json expects a JSON answer and returns it.
func (a answer) json() any {
	a.t.Helper()
	require.Equal(a.t, "application/json", strings.Split(a.header.Get("Content-Type"), ";")[0], a.what)
	return parse(a.t, a.body)
}

// refused expects a refusal of the usual shape and returns its text.
func (a answer) refused(status int) string {
	a.t.Helper()
	o := a.is(status).object()
	require.Len(a.t, o, 1, "%s: %s", a.what, a.body)
	text, ok := o["detail"].(string)
	require.True(a.t, ok, "%s: %s", a.what, a.body)
	require.NotEmpty(a.t, text)
	return text
}

// invalid expects a refusal that lists what is wrong, and returns the list.
func (a answer) invalid(status int) []object {
	a.t.Helper()
	o := a.is(status).object()
	list, ok := o["detail"].([]any)
	require.True(a.t, ok, "%s: %s", a.what, a.body)
	require.NotEmpty(a.t, list)
	out := make([]object, len(list))
	for i, e := range list {
		out[i] = e.(object)
		require.IsType(a.t, "", out[i]["type"])
		require.IsType(a.t, "", out[i]["msg"])
		require.IsType(a.t, []any{}, out[i]["loc"])
		require.Contains(a.t, out[i], "input")
	}
	return out
}

// object expects a JSON object.
func (a answer) object() object {
	a.t.Helper()
	o, ok := a.json().(object)
	require.True(a.t, ok, "%s: not an object: %s", a.what, a.body)
	return o
}
