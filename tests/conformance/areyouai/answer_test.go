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

// exactly expects the body byte for byte.
func (a answer) exactly(body string) answer {
	a.t.Helper()
	require.Equal(a.t, body, a.body, a.what)
	return a
}

// object expects one JSON object and a newline.
func (a answer) object() object {
	a.t.Helper()
	require.Equal(a.t, "application/json", a.header.Get("Content-Type"), a.what)
	require.Equal(a.t, 1, strings.Count(a.body, "\n"), "%s: one line: %s", a.what, a.body)
	require.True(a.t, strings.HasSuffix(a.body, "}\n"), "%s: %s", a.what, a.body)
	o, ok := parse(a.t, a.body).(object)
	require.True(a.t, ok, "%s: not an object: %s", a.what, a.body)
	return o
}

// has expects an object with exactly the fields of a list, as shape describes them.
func (a answer) has(status int, fields string) object {
	a.t.Helper()
	return shape(a.t, a.is(status).object(), fields)
}

// code is what a refusal is called, "" for anything else.
func (a answer) code() string {
	if a.status < 400 || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		return ""
	}
	code, _ := parse(a.t, a.body).(object)["error"].(string)
	return code
}

// codes are the refusals of the protocol: status, and whether the caller can do something about it.
var codes = map[string]struct {
	status      int
	recoverable bool
}{
	"invalid_request":           {400, false},
	"unsupported_op":            {400, false},
	"unauthorized":              {401, true},
	"forbidden":                 {403, false},
	"policy_blocked":            {403, false},
	"not_found":                 {404, false},
	"listing_not_found":         {404, false},
	"room_not_found":            {404, false},
	"viewer_not_found":          {404, false},
	"method_not_allowed":        {405, false},
	"listing_already_connected": {409, false},
	"room_not_active":           {409, true},
	"turn_mismatch":             {409, true},
	"stale_bundle_hash":         {409, true},
	"conflict":                  {409, true},
	"gone":                      {410, false},
	"payload_too_large":         {413, true},
	"rate_limited":              {429, true},
	"internal_error":            {500, true},
	"stream_unsupported":        {500, true},
	"endpoint_not_supported":    {501, false},
	"admin_not_configured":      {503, false},
}

// extra are the fields that a refusal has beside error, status, recoverable and perhaps hint.
var extra = map[string]string{
	"payload_too_large": ", max_chars int", "endpoint_not_supported": ", endpoint string", "method_not_allowed": ", allow list",
}

// refused expects a refusal in the protocol's shape, byte types included, and returns it.
func (a answer) refused(code string) object {
	a.t.Helper()
	want, known := codes[code]
	require.True(a.t, known, code)
	o := a.is(want.status).object()
	require.Equal(a.t, code, o["error"], "%s: %s", a.what, a.body)
	fields := "error string, status int, recoverable bool" + extra[code]
	if _, there := o["hint"]; there {
		fields += ", hint string"
		require.NotEmpty(a.t, o["hint"])
	}
	shape(a.t, o, fields)
	require.Equal(a.t, float64(want.status), o["status"], a.what)
	require.Equal(a.t, want.recoverable, o["recoverable"], a.what)
	return o
}
