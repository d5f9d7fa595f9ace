package agentswitch_test

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

func body(t *testing.T, err error) string {
	t.Helper()
	var refused agentswitch.Error
	require.ErrorAs(t, err, &refused)
	return string(refused.AppendBody(nil))
}

func status(t *testing.T, err error) int {
	t.Helper()
	var refused agentswitch.Error
	require.ErrorAs(t, err, &refused)
	return refused.Status()
}

func TestParseRegisterRequest(t *testing.T) {
	got, err := agentswitch.ParseRegisterRequest([]byte(`{"agent_type":"claude-code","name":"a.b-c_1","description":"",
		"options":{"auto_session":"yes","repo_dir":"","novel":[]},"overwrite":1,"icon_url":null,"parent_agent_id":"p","unknown":5}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.RegisterRequest{
		AgentType: "claude-code", Name: "a.b-c_1", Overwrite: true, ParentAgentID: ptr("p"),
		Options: map[string]json.RawMessage{"auto_session": json.RawMessage(`"yes"`), "repo_dir": json.RawMessage(`""`), "novel": json.RawMessage(`[]`)},
	}, got)
}

func TestParseRegisterRequestRefuses(t *testing.T) {
	with := func(fields string) string {
		return `{"agent_type":"codex","name":"a","description":"d",` + fields + `}`
	}
	tests := []struct {
		name, in string
		status   int
		want     string // part of the body
	}{
		{"nothing", ``, 422, `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`},
		{"broken", `{"a":`, 422, `{"detail":[{"type":"json_invalid","loc":["body",5],"msg":"JSON decode error","input":{},"ctx":{"error":"unexpected end"}}]}`},
		{"not UTF-8", "{\"a\":\"\xff\"}", 422, `"type":"json_invalid","loc":["body",0]`},
		{"list", `[1]`, 422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[1]}]}`},
		{"all missing", `{}`, 422, `{"detail":[{"type":"missing","loc":["body","agent_type"],"msg":"Field required","input":{}},` +
			`{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","description"],"msg":"Field required","input":{}}]}`},
		{
			"mistyped", `{"agent_type":1,"name":null,"description":"","options":[],"overwrite":"maybe"}`, 422,
			`{"detail":[{"type":"string_type","loc":["body","agent_type"],"msg":"Input should be a valid string","input":1},` +
				`{"type":"string_type","loc":["body","name"],"msg":"Input should be a valid string","input":null},` +
				`{"type":"dict_type","loc":["body","options"],"msg":"Input should be a valid dictionary","input":[]},` +
				`{"type":"bool_parsing","loc":["body","overwrite"],"msg":"Input should be a valid boolean, unable to interpret input","input":"maybe"}]}`,
		},
		{"overwrite null", with(`"overwrite":null`), 422, `"type":"bool_type"`},
		{"too large", with(`"x":"` + strings.Repeat("x", 1<<20) + `"`), 413, `too large`},
		{"unknown type", `{"agent_type":"hal","name":"a","description":"d"}`, 400, `{"detail":"Unknown agent type: hal"}`},
		{"capital name", `{"agent_type":"codex","name":"Alice","description":"d"}`, 400, `Invalid agent name`},
		{"name with newline", `{"agent_type":"codex","name":"alice\n","description":"d"}`, 400, `Invalid agent name`},
		{"name begins with a point", `{"agent_type":"codex","name":".a","description":"d"}`, 400, `Invalid agent name`},
		{"empty name", `{"agent_type":"codex","name":"","description":"d"}`, 400, `Invalid agent name`},
		{
			"options", with(`"options":{"auto_session":[],"repo_dir":5}`), 400,
			`{"detail":[{"type":"bool_type","loc":["auto_session"],"msg":"Input should be a valid boolean","input":[],"url":"https://errors.pydantic.dev/2.13/v/bool_type"},` +
				`{"type":"string_type","loc":["repo_dir"],"msg":"Input should be a valid string","input":5,"url":"https://errors.pydantic.dev/2.13/v/string_type"}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := agentswitch.ParseRegisterRequest([]byte(tt.in))
			require.Equal(t, tt.status, status(t, err))
			require.Contains(t, body(t, err), tt.want)
		})
	}
}

func TestIconURL(t *testing.T) {
	parse := func(icon string) error {
		_, err := agentswitch.ParseRegisterRequest([]byte(`{"agent_type":"codex","name":"a","description":"d","icon_url":"` + icon + `"}`))
		return err
	}
	for _, icon := range []string{"https://example.org/a.png", "https://8.8.8.8/a", "https://[2606:4700::1]/a", "https://example.org:8443/a?b#c"} {
		require.NoError(t, parse(icon), icon)
	}
	for _, icon := range []string{
		"http://example.org/a", "//example.org/a", "a.png", "https:///a", "https://u:p@example.org/", "javascript:alert(1)", "",
		"https://localhost/", "https://LOCALHOST./", "https://a.local/", "https://x.internal/", "https://127.0.0.1/", "https://127.1/", "https://2130706433/",
		"https://0x7f000001/", "https://10.0.0.1/", "https://169.254.169.254/", "https://100.64.0.1/", "https://192.168.1.1/", "https://0.0.0.0/",
		"https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[fe80::1]/", "https://[fc00::1]/", "https://224.0.0.1/", "https://203.0.113.5/",
		"https://example.org/" + strings.Repeat("x", 2048),
	} {
		err := parse(icon)
		require.Error(t, err, icon)
		require.Equal(t, http.StatusBadRequest, status(t, err))
	}
}

func TestDescribeKnownAgent(t *testing.T) {
	model := func(agentType, options string) agentswitch.ConnectionModel {
		var raw map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(options), &raw))
		parsed, err := agentswitch.ParseKnownOptions(agentType, raw)
		require.NoError(t, err)
		agent, ok := agentswitch.DescribeKnownAgent(agentType, parsed)
		require.True(t, ok)
		require.True(t, agent.Profile.MessageExchange)
		require.NotEmpty(t, agent.Tools)
		return agent.Profile.ConnectionModel
	}
	require.Equal(t, agentswitch.ModelSessionAddressable, model("claude-code", `{}`))
	require.Equal(t, agentswitch.ModelSessionPassive, model("claude-code", `{"channels_enabled":false}`))
	require.Equal(t, agentswitch.ModelAutoSession, model("claude-code", `{"channels_enabled":false,"auto_session":true}`))
	require.Equal(t, agentswitch.ModelSessionAddressable, model("codex", `{"channels_enabled":false}`))
	require.Equal(t, agentswitch.ModelAutoSession, model("opencode", `{"auto_session":true}`))
	_, ok := agentswitch.DescribeKnownAgent("hal", agentswitch.KnownOptions{})
	require.False(t, ok)

	options, err := agentswitch.MarshalOptions(agentswitch.KnownOptions{AutoSession: true, RepoDir: ptr("/x")})
	require.NoError(t, err)
	parsed, err := agentswitch.ParseKnownOptions("claude-code", options)
	require.NoError(t, err)
	require.Equal(t, agentswitch.KnownOptions{AutoSession: true, RepoDir: ptr("/x")}, parsed)
}

func TestParseBeatRequest(t *testing.T) {
	for in, cursor := range map[string]uint64{
		`{"connection_id":"c"}`:                                           0,
		`{"connection_id":"c","cursor":12}`:                               12,
		`{"connection_id":"c","cursor":"12"}`:                             12,
		`{"connection_id":"c","cursor":12.0}`:                             12,
		`{"connection_id":"c","cursor":-3}`:                               0,
		`{"connection_id":"c","cursor":9007199254740993}`:                 9007199254740993,
		`{"connection_id":"c","cursor":100000000000000000000}`:            math.MaxInt64,
		`{"connection_id":"c","cursor":9223372036854775808,"novel":null}`: math.MaxInt64,
	} {
		got, err := agentswitch.ParseBeatRequest([]byte(in))
		require.NoError(t, err, in)
		require.Equal(t, agentswitch.BeatRequest{ConnectionID: "c", Cursor: cursor}, got, in)
	}
	for in, issue := range map[string]string{
		`{"cursor":1}`:                          `"type":"missing","loc":["body","connection_id"]`,
		`{"connection_id":"c","cursor":1.5}`:    `"type":"int_from_float"`,
		`{"connection_id":"c","cursor":1e3}`:    `"type":"int_from_float"`,
		`{"connection_id":"c","cursor":null}`:   `"type":"int_type"`,
		`{"connection_id":"c","cursor":"head"}`: `"type":"int_parsing"`,
		`{"connection_id":"c","cursor":"--1"}`:  `"type":"int_parsing"`,
		`{"connection_id":5}`:                   `"type":"string_type","loc":["body","connection_id"],"msg":"Input should be a valid string","input":5`,
	} {
		_, err := agentswitch.ParseBeatRequest([]byte(in))
		require.Equal(t, 422, status(t, err), in)
		require.Contains(t, body(t, err), issue)
	}
}

func TestParseSmallRequests(t *testing.T) {
	sub, err := agentswitch.ParseSubscribeRequest([]byte(`{"connection_id":"c","room_id":"r","takeover":true}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.SubscribeRequest{ConnectionID: "c", RoomID: "r", Takeover: true}, sub)
	_, err = agentswitch.ParseSubscribeRequest([]byte(`{"connection_id":"c"}`))
	require.Contains(t, body(t, err), `"loc":["body","room_id"]`)
	_, err = agentswitch.ParseSubscribeRequest(nil)
	require.Equal(t, 422, status(t, err))

	message, err := agentswitch.ParseMessageRequest([]byte(`{"room_id":"r","content":"","metadata":{"a":1}}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.MessageRequest{RoomID: "r"}, message)
	_, err = agentswitch.ParseMessageRequest([]byte(`{"room_id":"r"}`))
	require.Equal(t, 422, status(t, err))
	_, err = agentswitch.ParseMessageRequest([]byte(`x`))
	require.Equal(t, 422, status(t, err))

	typing, err := agentswitch.ParseTypingRequest([]byte(`{"room_id":"r","is_typing":true}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.TypingRequest{RoomID: "r", IsTyping: true}, typing)
	_, err = agentswitch.ParseTypingRequest([]byte(`{"room_id":"r"}`))
	require.Contains(t, body(t, err), `"loc":["body","is_typing"]`)
	_, err = agentswitch.ParseTypingRequest(nil)
	require.Equal(t, 422, status(t, err))

	args, err := agentswitch.ParseArguments(nil)
	require.NoError(t, err)
	require.Empty(t, args)
	args, err = agentswitch.ParseArguments([]byte(`{"limit":5}`))
	require.NoError(t, err)
	require.Equal(t, map[string]json.RawMessage{"limit": json.RawMessage("5")}, args)
	document := strings.Repeat("\\u0001", agentswitch.MaxDocumentBytes)
	args, err = agentswitch.ParseArguments([]byte(`{"name":"n","content":"` + document + `"}`))
	require.NoError(t, err, "the largest document fits, however it is written")
	require.Len(t, args["content"], len(document)+2)
	_, err = agentswitch.ParseArguments([]byte(`{"content":"` + document + document + `"}`))
	require.Equal(t, 413, status(t, err))
	for _, in := range []string{`[]`, `null`, `"x"`, `{`} {
		_, err = agentswitch.ParseArguments([]byte(in))
		require.Equal(t, 422, status(t, err), in)
	}
}

func open(t *testing.T, query, lastEventID string) (agentswitch.OpenRequest, error) {
	t.Helper()
	q, err := url.ParseQuery(query)
	require.NoError(t, err)
	h := http.Header{}
	if lastEventID != "" {
		h.Set("Last-Event-ID", lastEventID)
	}
	return agentswitch.ParseOpenQuery(q, h)
}

func TestParseOpenQuery(t *testing.T) {
	got, err := open(t, "connection_id=c", "")
	require.NoError(t, err)
	require.Equal(t, agentswitch.OpenRequest{
		ConnectionID: "c", Scope: agentswitch.ScopeSingle, Filter: agentswitch.FilterAll, StartFrom: agentswitch.StartFrom{Head: true},
	}, got)

	got, err = open(t, "connection_id=c&scope=all&filter=addressed&spawn_capable=On&rooms=,r-2,,%20r-1,&start_from=5&protocol=2&protocol_accepts=1&client=x&client_version=&timeout=1.5", "7")
	require.NoError(t, err)
	require.Equal(t, agentswitch.OpenRequest{
		ConnectionID: "c", Scope: agentswitch.ScopeAll, Filter: agentswitch.FilterAddressed, SpawnCapable: true, Rooms: []string{"r-2", "r-1"},
		StartFrom:   agentswitch.StartFrom{Cursor: 7},
		Declaration: agentswitch.Declaration{Protocol: ptr(2), ProtocolAccepts: ptr(1), Client: ptr("x"), ClientVersion: ptr("")},
	}, got)
}

func TestParseOpenQueryRefusesInOrder(t *testing.T) {
	tests := []struct {
		name, query, lastEventID string
		status                   int
		want                     string
	}{
		{
			"values before everything", "scope=x&spawn_capable=maybe&protocol=one&protocol_accepts=&timeout=soon", "y", 422,
			`{"detail":[{"type":"bool_parsing","loc":["query","spawn_capable"],"msg":"Input should be a valid boolean, unable to interpret input","input":"maybe"},` +
				`{"type":"int_parsing","loc":["query","protocol"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"one"},` +
				`{"type":"int_parsing","loc":["query","protocol_accepts"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":""},` +
				`{"type":"float_parsing","loc":["query","timeout"],"msg":"Input should be a valid number, unable to parse string as a number","input":"soon"}]}`,
		},
		{"then the id", "scope=x&filter=y&start_from=z", "", 400, "connection_id"},
		{"then the scope", "connection_id=c&scope=x&filter=y&start_from=z", "", 400, "scope must"},
		{"empty scope", "connection_id=c&scope=", "", 400, "scope must"},
		{"then the filter", "connection_id=c&filter=y&start_from=z", "", 400, "filter must"},
		{"then the start", "connection_id=c&start_from=z", "", 400, "start_from"},
		{"the header counts", "connection_id=c&start_from=5", "z", 400, "Last-Event-ID"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.query, tt.lastEventID)
			require.Equal(t, tt.status, status(t, err))
			require.Contains(t, body(t, err), tt.want)
		})
	}
}

func TestParseStartFrom(t *testing.T) {
	head := agentswitch.StartFrom{Head: true}
	after := func(n uint64) agentswitch.StartFrom { return agentswitch.StartFrom{Cursor: n} }
	for _, tt := range []struct {
		header, query string
		want          agentswitch.StartFrom
	}{
		{"", "", head},
		{"", "head", head},
		{"head", "5", head},
		{"", "5", after(5)},
		{"6", "5", after(6)},
		{"6", "nonsense", after(6)},
		{"", "0", after(0)},
		{"", "-4", after(0)},
		{"", "+4", after(4)},
		{"", " 4 ", after(4)},
		{"", "99999999999999999999", after(agentswitch.MaxCursor)},
	} {
		got, ok := agentswitch.ParseStartFrom(tt.header, tt.query)
		require.True(t, ok, "%q %q", tt.header, tt.query)
		require.Equal(t, tt.want, got, "%q %q", tt.header, tt.query)
	}
	for _, bad := range []string{"HEAD", "1.5", "0x1", "1_000", "-", "+", "-+1", " "} {
		_, ok := agentswitch.ParseStartFrom("", bad)
		require.False(t, ok, bad)
	}
	require.Equal(t, "head", head.String())
	require.Equal(t, "5", after(5).String())
}

func TestWantsStream(t *testing.T) {
	for accept, want := range map[string]bool{"text/event-stream": true, "a/b, text/event-stream;q=1": true, "*/*": false, "application/json": false} {
		require.Equal(t, want, agentswitch.WantsStream(http.Header{"Accept": {accept}}), accept)
	}
	require.False(t, agentswitch.WantsStream(http.Header{}))
	require.True(t, agentswitch.WantsStream(http.Header{"Accept": {"a/b", "text/event-stream"}}))
}

func TestParsePollQuery(t *testing.T) {
	for timeout, want := range map[string]time.Duration{"": 0, "0": 0, "-1": 0, "2.5": 2500 * time.Millisecond} {
		got, err := agentswitch.ParsePollQuery(url.Values{"timeout": {timeout}})
		if timeout == "" {
			require.Equal(t, 422, status(t, err))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, got.Timeout)
	}
	got, err := agentswitch.ParsePollQuery(url.Values{})
	require.NoError(t, err)
	require.Equal(t, agentswitch.DefaultPollTimeout, got.Timeout)
	got, err = agentswitch.ParsePollQuery(url.Values{"timeout": {"1e300"}})
	require.NoError(t, err)
	require.Positive(t, got.Timeout)
	_, err = agentswitch.ParsePollQuery(url.Values{"timeout": {"nan"}})
	require.Equal(t, 422, status(t, err))
}

// bodyParsers are all that read a request's body.
func bodyParsers() []func([]byte) error {
	return []func([]byte) error{
		refusalOf(agentswitch.ParseRegisterRequest), refusalOf(agentswitch.ParseFullRegistration), refusalOf(agentswitch.ParseBulkRegistration),
		refusalOf(agentswitch.ParseAgentPatch), refusalOf(agentswitch.ParseBeatRequest), refusalOf(agentswitch.ParseSubscribeRequest),
		refusalOf(agentswitch.ParseMessageRequest), refusalOf(agentswitch.ParseTypingRequest), refusalOf(agentswitch.ParseRuntimeState),
		refusalOf(agentswitch.ParseStatusReport), refusalOf(agentswitch.ParseRenewRequest), refusalOf(agentswitch.ParsePreToolCall),
		refusalOf(agentswitch.ParsePreLLMRequest), refusalOf(agentswitch.ParsePostToolResult), refusalOf(agentswitch.ParsePostLLMResponse),
		refusalOf(agentswitch.ParseEventReport), refusalOf(agentswitch.ParseDelegateTask), refusalOf(agentswitch.ParseAcceptTask),
		refusalOf(agentswitch.ParseUpdateTask), refusalOf(agentswitch.ParseFinaliseTask), refusalOf(agentswitch.ParseCancelTask),
		refusalOf(agentswitch.ParseArguments),
	}
}

func refusalOf[T any](parse func([]byte) (T, error)) func([]byte) error {
	return func(in []byte) error {
		_, err := parse(in)
		return err
	}
}

// FuzzRequests shows that every body is either read or refused in a form that
// can be written.
func FuzzRequests(f *testing.F) {
	f.Add([]byte(`{"agent_type":"claude-code","name":"a","description":"d","options":{"auto_session":1},"overwrite":"yes","icon_url":"https://x.org"}`))
	f.Add([]byte(`{"connection_id":"c","cursor":1e3,"room_id":"r","takeover":null,"content":"x","is_typing":0}`))
	f.Add([]byte("{\"a\":\"\xff\"}"))
	f.Add([]byte(`{"name":"n","description":"d","connector_type":"c","integration_profile":` + fullProfile + `,"tools":[{"name":"t","description":"","parameters":{}}],"metadata":{}}`))
	f.Add([]byte(`{"agent_type":"codex","parent_agent_id":"p","subagents":[{"subagent_name":"a","description":""},{"subagent_name":"a","description":""}]}`))
	f.Add([]byte(`{"room_id":"r","state":"idle","presence":"online","control_capabilities":{"reset":"on"},"deeplink_url":null}`))
	f.Add([]byte(`{"room_id":"r","tool_name":"t","model":"m","arguments":{},"messages":[null],"result":[],"response":{},"usage":{},"request_id":"q"}`))
	f.Add([]byte(`{"room_id":"r","events":[{"type":"llm_call","model":"m","messages":[{}],"response":1,"request_id":"q","timestamp":1e2,"duration_ms":"nan"}]}`))
	f.Add([]byte(`{"task_id":"t","update":"u","outcome":"o","reason":"r","performer_agent_id":"a","summary":"s"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		check := func(err error) {
			if err == nil {
				return
			}
			var refused agentswitch.Error
			require.True(t, errors.As(err, &refused))
			require.GreaterOrEqual(t, refused.Status(), 400)
			require.True(t, json.Valid(refused.AppendBody(nil)))
		}
		for _, parse := range bodyParsers() {
			check(parse(in))
		}
	})
}

func FuzzParseOpenQuery(f *testing.F) {
	f.Add("connection_id=c&scope=all&filter=addressed&start_from=5&spawn_capable=t&rooms=a,b&protocol=1&timeout=inf", "7")
	f.Add("start_from=head&protocol=99999999999999999999", "-1")
	f.Fuzz(func(t *testing.T, query, lastEventID string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Skip()
		}
		got, err := agentswitch.ParseOpenQuery(q, http.Header{"Last-Event-Id": {lastEventID}})
		if err != nil {
			var refused agentswitch.Error
			require.True(t, errors.As(err, &refused))
			require.True(t, json.Valid(refused.AppendBody(nil)))
			return
		}
		require.NotEmpty(t, got.ConnectionID)
		require.LessOrEqual(t, got.StartFrom.Cursor, uint64(agentswitch.MaxCursor))
		require.NotContains(t, got.Rooms, "")
	})
}

func TestParseHistoryQuery(t *testing.T) {
	at := func(text string) *time.Time {
		got, err := time.Parse(time.RFC3339Nano, text)
		require.NoError(t, err)
		got = got.UTC()
		return &got
	}
	for query, want := range map[string]agentswitch.HistoryQuery{
		"":                                {Limit: 50},
		"since=&before=":                  {Limit: 50},
		"limit=7":                         {Limit: 7},
		"limit=%207%20":                   {Limit: 7},
		"limit=0":                         {},
		"limit=-3":                        {},
		"since=2026-01-31":                {Limit: 50, Since: at("2026-01-31T00:00:00Z")},
		"since=2026-01-31T12:00":          {Limit: 50, Since: at("2026-01-31T12:00:00Z")},
		"since=2026-01-31+12:00:05":       {Limit: 50, Since: at("2026-01-31T12:00:05Z")},
		"before=2026-01-31T12:00:05Z":     {Limit: 50, Before: at("2026-01-31T12:00:05Z")},
		"before=2026-01-31T12:00:05.25":   {Limit: 50, Before: at("2026-01-31T12:00:05.25Z")},
		"before=2026-01-31T12:00%2B02:00": {Limit: 50, Before: at("2026-01-31T10:00:00Z")},
		"before=2026-01-31T12:00-0130":    {Limit: 50, Before: at("2026-01-31T13:30:00Z")},
	} {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		got, err := agentswitch.ParseHistoryQuery(q)
		require.NoError(t, err, query)
		require.Equal(t, want, got, query)
	}
	for query, want := range map[string]struct {
		status int
		body   string
	}{
		"limit=": {422, `{"detail":[{"type":"int_parsing","loc":["query","limit"],` +
			`"msg":"Input should be a valid integer, unable to parse string as an integer","input":""}]}`},
		"limit=x&since=x": {422, `{"detail":[{"type":"int_parsing","loc":["query","limit"],` +
			`"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"}]}`},
		"since=yesterday":          {400, `{"detail":"since must be a time in ISO 8601, such as 2026-01-31T12:00:00Z"}`},
		"since=1767323045678":      {400, `{"detail":"since must be a time in ISO 8601, such as 2026-01-31T12:00:00Z"}`},
		"before=2026-02-30":        {400, `{"detail":"before must be a time in ISO 8601, such as 2026-01-31T12:00:00Z"}`},
		"before=2026-01-31T25:00Z": {400, `{"detail":"before must be a time in ISO 8601, such as 2026-01-31T12:00:00Z"}`},
	} {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		_, err = agentswitch.ParseHistoryQuery(q)
		require.Equal(t, want.status, status(t, err), query)
		require.Equal(t, want.body, body(t, err), query)
	}
}

func FuzzParseHistoryQuery(f *testing.F) {
	f.Add("since=2026-01-31T12:00:00Z&before=2026-01-31&limit=5")
	f.Add("since=%00&limit=99999999999999999999")
	f.Fuzz(func(t *testing.T, query string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Skip()
		}
		got, err := agentswitch.ParseHistoryQuery(q)
		if err != nil {
			var refused agentswitch.Error
			require.True(t, errors.As(err, &refused))
			require.True(t, json.Valid(refused.AppendBody(nil)))
			return
		}
		require.GreaterOrEqual(t, got.Limit, 0)
	})
}
