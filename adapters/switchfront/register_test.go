package switchfront_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegisterKeepsTheProfileOfTheType(t *testing.T) {
	g := newGateway(t, setup{})
	r := g.do("POST", "/agents/register-known", g.token, `{"agent_type":"claude-code","name":"cc","description":"d",
		"options":{"auto_session":"yes","repo_dir":"","subagent_name":"s","nobody":1},"icon_url":"https://example.com/i.png","extra":1}`)
	require.Equal(t, 200, r.status, r.body)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Regexp(t, `^\{"id":"agt_[0-9a-f-]{36}","api_key":"ak_[A-Za-z0-9_-]+"\}$`, r.body)
	a, ok := g.node.AgentByHandle("cc")
	require.True(t, ok)
	require.Equal(t, "acme", a.Owner)
	require.Equal(t, "auto_session", a.Model)
	require.Equal(t, "claude-code", a.KnownType)
	require.Equal(t, "Claude Code", a.Connector)
	require.Equal(t, "https://example.com/i.png", a.IconURL)
	require.JSONEq(t, `{"channels_enabled":true,"auto_session":true,"repo_dir":null,"subagent_name":"s"}`, string(a.Options))
	require.JSONEq(t, `{"connection_model":"auto_session","message_exchange":true,
		"pre_invocation_mediation":["tool_calls"],"post_invocation_mediation":[],"event_reporting":["tool_calls"],
		"task_protocol":{"can_delegate":true,"can_accept":true},
		"command_capabilities":{"reset":"session_dependent","compact":"session_dependent","interrupt":"session_dependent"}}`,
		string(a.Profile))
	for name, tc := range map[string][2]string{
		"passive":   {`"agent_type":"claude-code","options":{"channels_enabled":false}`, "session_passive"},
		"session":   {`"agent_type":"claude-code"`, "session_addressable"},
		"codex":     {`"agent_type":"codex","options":{"channels_enabled":false}`, "session_addressable"},
		"open-code": {`"agent_type":"opencode","options":{"auto_session":true}`, "auto_session"},
	} {
		r := g.do("POST", "/agents/register-known", g.token, `{"name":"`+name+`","description":"d",`+tc[0]+`}`)
		require.Equal(t, 200, r.status, r.body)
		a, _ := g.node.AgentByHandle(name)
		require.Equal(t, tc[1], a.Model, name)
		if name == "codex" {
			require.Equal(t, `{"auto_session":false,"repo_dir":null}`, string(a.Options), "it has no channels")
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	g := newGateway(t, setup{})
	g.register("taken")
	other := "registration-token-of-another-owner"
	require.NoError(t, g.node.AddRegistrationToken(context.Background(), "umbrella", other))
	const good = `"agent_type":"claude-code","description":"d"`
	for name, tc := range map[string]struct {
		token, body string
		status      int
		contains    string
	}{
		"no body":            {g.token, ``, 422, `{"detail":[{"type":"missing","loc":["body"]`},
		"no json":            {g.token, `{`, 422, `"type":"json_invalid"`},
		"no object":          {g.token, `[]`, 422, `"loc":["body"]`},
		"nothing in it":      {g.token, `{}`, 422, `"loc":["body","agent_type"]`},
		"no description":     {g.token, `{"agent_type":"codex","name":"n"}`, 422, `{"type":"missing","loc":["body","description"],"msg":"Field required"`},
		"name is a number":   {g.token, `{` + good + `,"name":5}`, 422, `{"type":"string_type","loc":["body","name"]`},
		"overwrite is odd":   {g.token, `{` + good + `,"name":"n","overwrite":"perhaps"}`, 422, `"type":"bool_parsing","loc":["body","overwrite"]`},
		"options is a list":  {g.token, `{` + good + `,"name":"n","options":[]}`, 422, `{"type":"dict_type","loc":["body","options"]`},
		"unknown type":       {g.token, `{"agent_type":"toaster","name":"n","description":"d"}`, 400, `Unknown agent type: toaster`},
		"bad option":         {g.token, `{` + good + `,"name":"n","options":{"auto_session":"perhaps"}}`, 400, `{"detail":[{"type":"bool_parsing","loc":["auto_session"]`},
		"option has a url":   {g.token, `{` + good + `,"name":"n","options":{"repo_dir":5}}`, 400, `"url":`},
		"bad name":           {g.token, `{` + good + `,"name":"Bad Name"}`, 400, `{"detail":"`},
		"name with newline":  {g.token, `{` + good + `,"name":"n\n"}`, 400, `{"detail":"`},
		"endless name":       {g.token, `{` + good + `,"name":"` + strings.Repeat("n", 300) + `"}`, 400, `{"detail":"`},
		"http icon":          {g.token, `{` + good + `,"name":"n","icon_url":"http://example.com/"}`, 400, `{"detail":"`},
		"icon at home":       {g.token, `{` + good + `,"name":"n","icon_url":"https://127.0.0.1/"}`, 400, `{"detail":"`},
		"unknown parent":     {g.token, `{` + good + `,"name":"n","parent_agent_id":"agt_x"}`, 400, `parent_agent_id`},
		"taken":              {g.token, `{` + good + `,"name":"taken"}`, 409, `overwrite`},
		"taken, said no":     {g.token, `{` + good + `,"name":"taken","overwrite":false}`, 409, `overwrite`},
		"another owner's":    {other, `{` + good + `,"name":"taken"}`, 409, `overwrite`},
		"taking from others": {other, `{` + good + `,"name":"taken","overwrite":true}`, 403, `belongs to another owner`},
		"large body":         {g.token, `{"name":"` + strings.Repeat("n", 2<<20) + `"}`, 413, `{"detail":"`},
	} {
		t.Run(name, func(t *testing.T) {
			before := g.node.Applied()
			r := g.do("POST", "/agents/register-known", tc.token, tc.body)
			require.Equal(t, tc.status, r.status, r.body)
			require.Contains(t, r.body, tc.contains)
			require.Equal(t, "application/json", r.header.Get("Content-Type"))
			require.True(t, json.Valid([]byte(r.body)))
			require.Equal(t, before, g.node.Applied(), "a refusal changes nothing")
		})
	}
}

// TestLostRegistrationIsRepairedByOverwriting: the key of a lost answer is nowhere else. The old key must be dead at
// once, and the agent stay who it was.
func TestLostRegistrationIsRepairedByOverwriting(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	r := g.do("POST", "/agents/register-known", g.token,
		`{"agent_type":"codex","name":"alice","description":"again","overwrite":true}`)
	require.Equal(t, 200, r.status, r.body)
	var again struct {
		ID  string `json:"id"`
		Key string `json:"api_key"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &again))
	require.Equal(t, a.id, again.ID)
	require.Equal(t, "Invalid credentials", g.do("GET", "/version", a.key, "").body)
	a.key = again.Key
	require.Contains(t, a.op("", "list_rooms", "").body, room)
}
