package areyouai_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

func TestParseHistoryQuery(t *testing.T) {
	good := map[string]areyouai.HistoryQuery{
		"":                              {Since: 0, Limit: 200},
		"since=&limit=":                 {Since: 0, Limit: 200},
		"since=0&limit=1":               {Since: 0, Limit: 1},
		"since=17&limit=200":            {Since: 17, Limit: 200},
		"limit=201":                     {Since: 0, Limit: 200},
		"limit=99999999999999999999999": {Since: 0, Limit: 200},
		"since=9223372036854775807":     {Since: 9223372036854775807, Limit: 200},
	}
	for query, want := range good {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		got, err := areyouai.ParseHistoryQuery(q)
		require.NoError(t, err, query)
		require.Equal(t, want, got, query)
	}
	for _, query := range []string{
		"since=-1", "since=x", "since=1.0", "since=%2B1", "since=9223372036854775808", "since=0x1", "since=1_0",
		"limit=0", "limit=000", "limit=-1", "limit=x", "limit=1e2", "limit=%2B1",
	} {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		_, err = areyouai.ParseHistoryQuery(q)
		require.ErrorIs(t, err, areyouai.CodeInvalidRequest, query)
	}
}

// TestParseQuery: a query that is only half understood is refused as a whole.
func TestParseQuery(t *testing.T) {
	q, err := areyouai.ParseQuery("since=1&limit=&q=%C3%BC+b")
	require.NoError(t, err)
	require.Equal(t, url.Values{"since": {"1"}, "limit": {""}, "q": {"ü b"}}, q)
	for _, raw := range []string{"since=%zz", "since=1;limit=2", "since=1&%", "q=%e"} {
		_, err := areyouai.ParseQuery(raw)
		require.ErrorIs(t, err, areyouai.CodeInvalidRequest, raw)
		require.Contains(t, areyouai.AsError(err).Hint, "query string")
	}
}

func TestParseCursor(t *testing.T) {
	cases := []struct {
		since, header string
		want          int64
		hint          string
	}{
		{"", "", 0, ""},
		{"", "12", 12, ""},
		{"7", "12", 7, ""},
		{"0", "12", 0, ""},
		{" ", " 12 ", 12, ""},
		{"7", "rubbish", 7, ""},
		{"x", "12", 0, "since"},
		{"", "x", 0, "Last-Event-ID"},
		{"", "-1", 0, "Last-Event-ID"},
	}
	for _, c := range cases {
		got, err := areyouai.ParseCursor(c.since, c.header)
		if c.hint == "" {
			require.NoError(t, err, c)
			require.Equal(t, c.want, got, c)
			continue
		}
		require.ErrorIs(t, err, areyouai.CodeInvalidRequest, c)
		require.Contains(t, areyouai.AsError(err).Hint, c.hint)
	}
}

func TestSearchQuery(t *testing.T) {
	tags := []string{"Green Tea", "100%"}
	hits := map[string]bool{"": true, " TEA ": true, "coffee": true, "100%": true, "%": true, "_": false, "t%a": false, "milk": false}
	for q, want := range hits {
		require.Equal(t, want, areyouai.MatchesQuery(areyouai.NormalizeQuery(q), "Coffee", tags), q)
	}
	require.Len(t, []rune(areyouai.NormalizeQuery(strings.Repeat("é", 999))), areyouai.MaxSearchChars)
}

func TestCanTransition(t *testing.T) {
	states := []areyouai.RoomState{areyouai.StateOpen, areyouai.StateActive, areyouai.StateClosed, areyouai.StatePurged, "", "open"}
	allowed := map[string]bool{"OPEN ACTIVE": true, "OPEN CLOSED": true, "ACTIVE CLOSED": true, "CLOSED PURGED": true}
	for _, from := range states {
		for _, to := range states {
			pair := string(from) + " " + string(to)
			require.Equal(t, allowed[pair], areyouai.CanTransition(from, to), pair)
			err := areyouai.TransitionRequest{Current: from, Next: to}.Check()
			if allowed[pair] {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, areyouai.CodeConflict)
			}
		}
	}
}

func TestParseBearer(t *testing.T) {
	good := map[string]string{"Bearer as_1": "as_1", "Bearer  as_1 ": "as_1"}
	for in, want := range good {
		got, ok := areyouai.ParseBearer(in)
		require.True(t, ok, in)
		require.Equal(t, want, got)
	}
	for _, in := range []string{"", "Bearer", "Bearer ", "bearer as_1", "Basic as_1", "Bearer\tas_1", "Bearer " + strings.Repeat("x", 513)} {
		_, ok := areyouai.ParseBearer(in)
		require.False(t, ok, in)
	}
}

func TestPath(t *testing.T) {
	require.Equal(t, "/v1/rooms/room_1/state", areyouai.Path(areyouai.PathRoomState, "room_1"))
	require.Equal(t, "/v1/rooms/..%2Fx%3Fy/state", areyouai.Path(areyouai.PathRoomState, "../x?y"))
}

func TestHeaders(t *testing.T) {
	random := [8]byte{1, 2, 3}
	cases := map[string]struct {
		header http.Header
		want   string
	}{
		"none":        {http.Header{}, "req_0102030000000000"},
		"request id":  {http.Header{"X-Request-Id": {"a"}, "X-Correlation-Id": {"b"}}, "a"},
		"correlation": {http.Header{"X-Request-Id": {" "}, "X-Correlation-Id": {"b"}}, "b"},
		"cut":         {http.Header{"X-Request-Id": {strings.Repeat("x", 70)}}, strings.Repeat("x", 64)},
		"no forging":  {http.Header{"X-Request-Id": {"a\r\nb: c\x00\x1b\x7f"}}, "ab: c"},
		"any text":    {http.Header{"X-Request-Id": {"é\tb \xff"}}, "é\tb \xff"},
		"cut bytes":   {http.Header{"X-Request-Id": {strings.Repeat("é", 31) + "x" + "éé"}}, strings.Repeat("é", 31) + "x" + "\xc3"},
		"only faults": {http.Header{"X-Request-Id": {"\r\n"}, "X-Correlation-Id": {"ü"}}, "ü"},
	}
	for name, c := range cases {
		require.Equal(t, c.want, areyouai.RequestID(c.header, random), name)
	}
	h := http.Header{}
	areyouai.SetCommonHeaders(h, "req_1", false)
	require.Equal(t, "req_1", h.Get("X-Request-Id"))
	require.Empty(t, h.Get("Strict-Transport-Security"))
	areyouai.SetCommonHeaders(h, "req_1", true)
	require.NotEmpty(t, h.Get("Strict-Transport-Security"))
	areyouai.SetStreamHeaders(h)
	require.Equal(t, "no-store, no-cache, must-revalidate", h.Get("Cache-Control"))
	require.Equal(t, "no", h.Get("X-Accel-Buffering"))
}
