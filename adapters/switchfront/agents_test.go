package switchfront_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	agentswitch "stele/switch"
)

const otherToken = "registration-token-of-umbrella"

// registerBy registers an agent of a known type with a token of one's choice; more are further fields.
func (g *gateway) registerBy(token, name, more string) *agent {
	g.t.Helper()
	r := g.do("POST", "/agents/register-known", token, fmt.Sprintf(`{"agent_type":"claude-code","name":%q,"description":"d"%s}`, name, more))
	require.Equal(g.t, 200, r.status, r.body)
	var out agentswitch.RegisterAnswer
	require.NoError(g.t, json.Unmarshal([]byte(r.body), &out))
	return &agent{g: g, id: out.ID, key: out.APIKey, name: name}
}

const wholeProfile = `{"connection_model":"always_on","message_exchange":false,"pre_invocation_mediation":["a"],
	"post_invocation_mediation":["b"],"event_reporting":[],"task_protocol":{"can_delegate":true,"can_accept":false},
	"command_capabilities":{"reset":"always"}}`

func TestRegisterAFullProfile(t *testing.T) {
	g := newGateway(t, setup{})
	body := `{"name":"bot","description":"d","connector_type":"Robot Arm","integration_profile":` + wholeProfile + `,
		"tools":[{"name":"grip","description":"closes","parameters":{"type":"object"}},{"name":"drop","description":"","parameters":null}],
		"models":[{"name":"m","description":"thinks"}],"metadata":{"site":"harbour"},"icon_url":"https://example.com/i.png"}`
	r := g.do("POST", "/agents", g.token, body)
	require.Equal(t, 200, r.status, r.body)
	require.Regexp(t, `^\{"id":"agt_[0-9a-f-]{36}","api_key":"ak_[A-Za-z0-9_-]+"\}$`, r.body)
	a, ok := g.node.AgentByHandle("bot")
	require.True(t, ok)
	require.JSONEq(t, `{"connection_model":"always_on","message_exchange":false,"pre_invocation_mediation":["a"],
		"post_invocation_mediation":["b"],"event_reporting":[],"task_protocol":{"can_delegate":true,"can_accept":false},
		"command_capabilities":{"reset":"always","compact":"unsupported","interrupt":"unsupported"}}`, string(a.Profile))
	require.Equal(t, []core.Ability{
		{Name: "grip", Description: "closes", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "drop"},
	}, a.Tools)
	require.Equal(t, []core.Ability{{Name: "m", Description: "thinks"}}, a.Models)
	require.Equal(t, []string{"acme", "always_on", "", "Robot Arm", `{"site":"harbour"}`, "https://example.com/i.png"},
		[]string{a.Owner, a.Model, a.KnownType, a.Connector, string(a.Metadata), a.IconURL})
	require.Nil(t, a.Policy, "everybody may address a new agent")

	minimal := `{"name":"bot","description":"again","connector_type":"x","metadata":{},"integration_profile":
		{"connection_model":"session_passive","message_exchange":true,"pre_invocation_mediation":[],"post_invocation_mediation":[],
		"event_reporting":[],"task_protocol":{"can_delegate":true,"can_accept":true}}`
	require.Equal(t, 409, g.do("POST", "/agents", g.token, minimal+`}`).status)
	r = g.do("POST", "/agents", g.token, minimal+`,"overwrite":true}`)
	require.Equal(t, 200, r.status, r.body)
	again, _ := g.node.AgentByHandle("bot")
	require.Equal(t, a.ID, again.ID)
	require.Empty(t, again.Tools)
	require.Empty(t, again.Models)
	require.Nil(t, again.Metadata)
	require.Equal(t, "https://example.com/i.png", again.IconURL, "an icon stays where none is given")
}

func TestRegisterAFullProfileRefuses(t *testing.T) {
	g := newGateway(t, setup{})
	g.register("taken")
	require.NoError(t, g.node.AddRegistrationToken(t.Context(), "umbrella", otherToken))
	const good = `"description":"d","connector_type":"c","integration_profile":` + wholeProfile
	for name, tc := range map[string]struct {
		token, body string
		status      int
		contains    string
	}{
		"nothing in it":      {g.token, `{}`, 422, `{"type":"missing","loc":["body","connector_type"]`},
		"no profile":         {g.token, `{"name":"n","description":"d","connector_type":"c"}`, 422, `"loc":["body","integration_profile"]`},
		"bad profile":        {g.token, `{"name":"n","description":"d","connector_type":"c","integration_profile":{"connection_model":"sometimes"}}`, 422, `{"type":"literal_error","loc":["body","integration_profile","connection_model"]`},
		"tool without name":  {g.token, `{"name":"n",` + good + `,"tools":[{"description":"d"}]}`, 422, `"loc":["body","tools",0,"name"]`},
		"parameters no dict": {g.token, `{"name":"n",` + good + `,"tools":[{"name":"t","description":"d","parameters":[]}]}`, 422, `"type":"dict_type","loc":["body","tools",0,"parameters"]`},
		"metadata no dict":   {g.token, `{"name":"n",` + good + `,"metadata":[]}`, 422, `"loc":["body","metadata"]`},
		"bad name":           {g.token, `{"name":"Bad",` + good + `}`, 400, `{"detail":"`},
		"icon at home":       {g.token, `{"name":"n",` + good + `,"icon_url":"https://10.0.0.1/i"}`, 400, `icon_url`},
		"taken":              {g.token, `{"name":"taken",` + good + `}`, 409, `overwrite`},
		"taking from others": {otherToken, `{"name":"taken",` + good + `,"overwrite":true}`, 403, `belongs to another owner`},
	} {
		t.Run(name, func(t *testing.T) {
			before := g.node.Applied()
			r := g.do("POST", "/agents", tc.token, tc.body)
			require.Equal(t, tc.status, r.status, r.body)
			require.Contains(t, r.body, tc.contains)
			require.Equal(t, before, g.node.Applied(), "a refusal changes nothing")
		})
	}
}

func TestOnlyRegistrationTokensRegister(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	for _, path := range []string{"/agents", "/agents/register-known", "/agents/register-known-bulk"} {
		r := g.do("POST", path, a.key, `{}`)
		require.Equal(t, 401, r.status)
		require.Equal(t, `{"detail":"Invalid registration token"}`, r.body)
		require.Equal(t, "Invalid credentials", g.do("POST", path, "nothing", `{}`).body)
	}
	// The token works until it is revoked, and then for nothing.
	g.register("bob")
	require.NoError(t, g.node.RevokeTokens(t.Context(), g.node.RegistrationTokens()[0].ID))
	require.Equal(t, "Invalid credentials", g.do("POST", "/agents/register-known", g.token, `{}`).body)
	require.Equal(t, 200, g.do("GET", "/version", a.key, "").status, "agents made with it live on")
}

func TestRegisterBelowAParent(t *testing.T) {
	g := newGateway(t, setup{})
	parent := g.registerBy(g.token, "boss", `,"options":{"channels_enabled":false,"repo_dir":"/repo","auto_session":true}`)
	body := func(more string) string {
		return `{"agent_type":"claude-code","parent_agent_id":"` + parent.id + `","subagents":[{"subagent_name":"a","description":"first"},
			{"subagent_name":"b","description":"second"}]` + more + `}`
	}
	r := g.do("POST", "/agents/register-known-bulk", g.token, body(""))
	require.Equal(t, 200, r.status, r.body)
	var out agentswitch.BulkAnswer
	require.NoError(t, json.Unmarshal([]byte(r.body), &out))
	require.Len(t, out.Results, 2)
	for i, sub := range []string{"a", "b"} {
		got := out.Results[i]
		require.Equal(t, []string{sub, "boss." + sub}, []string{got.SubagentName, got.Name})
		a, ok := g.node.Agent(got.ID)
		require.True(t, ok)
		require.Equal(t, []string{"boss." + sub, parent.id, "acme", []string{"first", "second"}[i]}, []string{a.Handle, a.Parent, a.Owner, a.Description})
		require.Equal(t, `{"channels_enabled":false,"auto_session":false,"repo_dir":"/repo","subagent_name":"`+sub+`"}`, string(a.Options),
			"channels and folder are the parent's")
		require.Equal(t, 200, g.do("GET", "/version", got.APIKey, "").status)
	}

	r = g.do("POST", "/agents/register-known-bulk", g.token, body(""))
	require.Equal(t, 409, r.status)
	require.Contains(t, r.body, "boss.a, boss.b")
	r = g.do("POST", "/agents/register-known-bulk", g.token, body(`,"overwrite":true,"options":{"repo_dir":"/mine"}`))
	require.Equal(t, 200, r.status, r.body)
	require.Equal(t, 401, g.do("GET", "/version", out.Results[0].APIKey, "").status, "the keys from before are dead")
	a, _ := g.node.Agent(out.Results[0].ID)
	require.Contains(t, string(a.Options), `"repo_dir":"/mine"`)
}

func TestRegisterBelowAParentRefuses(t *testing.T) {
	g := newGateway(t, setup{})
	require.NoError(t, g.node.AddRegistrationToken(t.Context(), "umbrella", otherToken))
	parent := g.registerBy(g.token, "boss", "")
	g.registerBy(g.token, "boss.old", "")
	const one = `"subagents":[{"subagent_name":"new","description":"d"}]`
	to := `"agent_type":"codex","parent_agent_id":"` + parent.id + `",`
	for name, tc := range map[string]struct {
		token, body string
		status      int
		contains    string
	}{
		"nothing in it":     {g.token, `{}`, 422, `"loc":["body","parent_agent_id"]`},
		"unknown type":      {g.token, `{"agent_type":"toaster","parent_agent_id":"` + parent.id + `",` + one + `}`, 400, `Unknown agent type: toaster`},
		"nobody":            {g.token, `{` + to + `"subagents":[]}`, 400, `{"detail":"`},
		"twice":             {g.token, `{` + to + `"subagents":[{"subagent_name":"x","description":"d"},{"subagent_name":"x","description":"d"}]}`, 400, `{"detail":"`},
		"bad name":          {g.token, `{` + to + `"subagents":[{"subagent_name":"ok","description":"d"},{"subagent_name":"X","description":"d"}]}`, 400, `{"detail":"`},
		"bad options":       {g.token, `{` + to + one + `,"options":{"auto_session":"perhaps"}}`, 400, `{"detail":[{"type":"bool_parsing"`},
		"unknown parent":    {g.token, `{"agent_type":"codex","parent_agent_id":"agt_none",` + one + `}`, 404, `{"detail":"`},
		"another's parent":  {otherToken, `{` + to + one + `}`, 403, `belongs to another owner`},
		"one of them there": {g.token, `{` + to + `"subagents":[{"subagent_name":"new","description":"d"},{"subagent_name":"old","description":"d"}]}`, 409, `boss.old`},
	} {
		t.Run(name, func(t *testing.T) {
			before := g.node.Applied()
			r := g.do("POST", "/agents/register-known-bulk", tc.token, tc.body)
			require.Equal(t, tc.status, r.status, r.body)
			require.Contains(t, r.body, tc.contains)
			require.Equal(t, before, g.node.Applied(), "all or nothing")
		})
	}
}

func TestPatchAgent(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	patch := func(body string) core.Agent {
		r := g.do("PATCH", a.path(""), a.key, body)
		require.Equal(t, 200, r.status, r.body)
		require.Equal(t, `{"ok":true}`, r.body)
		got, _ := g.node.Agent(a.id)
		return got
	}
	before, _ := g.node.Agent(a.id)
	want := before
	want.Description = "new"
	require.Equal(t, want, patch(`{"description":"new","nobody":1}`))
	got := patch(`{"integration_profile":` + wholeProfile + `}`)
	require.Equal(t, "always_on", got.Model)
	require.Contains(t, string(got.Profile), `"pre_invocation_mediation":["a"]`)
	require.JSONEq(t, `{"k":[1,{"d":2}]}`, string(patch(`{"metadata":{"k":[1,{"d":2}]}}`).Metadata))
	got = patch(`{"metadata":{}}`)
	require.Nil(t, got.Metadata)
	require.Equal(t, "new", got.Description, "what is not named stays")
	at := g.node.Applied()
	patch(`{}`)
	patch(`{"description":null}`)
	require.Equal(t, at, g.node.Applied())

	for name, tc := range map[string]struct {
		path, key, body string
		status          int
		contains        string
	}{
		"another agent":      {b.path(""), a.key, `{}`, 403, "Not authorized for this agent"},
		"registration token": {a.path(""), g.token, `{}`, 401, "Not authenticated"},
		"no token":           {a.path(""), "", `{}`, 401, "Missing or invalid Authorization header"},
		"bad profile":        {a.path(""), a.key, `{"integration_profile":{}}`, 422, `"loc":["body","integration_profile","connection_model"]`},
		"bad metadata":       {a.path(""), a.key, `{"metadata":5}`, 422, `"loc":["body","metadata"]`},
		"no object":          {a.path(""), a.key, `[]`, 422, `"loc":["body"]`},
	} {
		r := g.do("PATCH", tc.path, tc.key, tc.body)
		require.Equal(t, tc.status, r.status, name)
		require.Contains(t, r.body, tc.contains, name)
	}
	require.Equal(t, at, g.node.Applied())
}

// TestDeletedAgentIsGoneAtOnce: its key, its streams on every gateway, its rooms, and its name.
func TestDeletedAgentIsGoneAtOnce(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	g := newGateway(t, setup{log: store.Open(), node: core.Options{NodeID: "one", SweepEvery: time.Hour}})
	other := newGateway(t, setup{log: store.Open(), node: core.Options{NodeID: "two", SweepEvery: time.Hour}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	require.NoError(t, other.node.CatchUp(t.Context()))
	here := a.open("here", "&rooms="+room).hello()
	there := a.on(other).open("there", "&scope=all").hello()

	require.Equal(t, 403, g.do("DELETE", b.path(""), a.key, "").status)
	require.Equal(t, 401, g.do("DELETE", a.path(""), g.token, "").status)
	r := g.do("DELETE", a.path(""), a.key, "")
	require.Equal(t, 200, r.status, r.body)
	require.Equal(t, `{"ok":true}`, r.body)
	for _, s := range []*tap{here, there} {
		require.Equal(t, evicted("agent deleted"), s.next())
		s.ended()
	}
	require.NoError(t, other.node.CatchUp(t.Context()))
	for _, g := range []*gateway{g, other} {
		r := g.do("POST", a.path("/connection/beat"), a.key, `{"connection_id":"here"}`)
		require.Equal(t, 401, r.status)
		require.Equal(t, "Invalid credentials", r.body)
		refused, err := a.on(g).tryOpen("here", "")
		require.NoError(t, err)
		require.Equal(t, 401, refused.status)
		require.Equal(t, 401, g.do("DELETE", a.path(""), a.key, "").status)
	}
	require.NotContains(t, b.op("", "list_agents", "").body, a.id)
	require.NotContains(t, fmt.Sprint(b.must("", "get_room_detail", `{"room_id":"`+room+`"}`)["agent_names"]), "alice")
	fresh := g.register("alice")
	require.NotEqual(t, a.id, fresh.id)
	require.Equal(t, 403, fresh.op("", "get_room_detail", `{"room_id":"`+room+`"}`).status, "a namesake is somebody else")
}

// TestOptionsMeanTheSameWheneverTheyAreGiven compares an agent that was registered with options with one whose options
// were changed to them, and both with what the wire package says of the type.
func TestOptionsMeanTheSameWheneverTheyAreGiven(t *testing.T) {
	g := newGateway(t, setup{})
	n := 0
	for _, agentType := range []string{"claude-code", "codex", "opencode"} {
		for _, options := range []string{
			`{}`, `{"auto_session":true}`, `{"auto_session":false,"repo_dir":"/r"}`, `{"channels_enabled":false}`,
			`{"channels_enabled":false,"auto_session":true,"subagent_name":"s"}`, `{"repo_dir":"","subagent_name":"","nobody":1}`,
		} {
			n++
			register := func(name, with string) core.Agent {
				r := g.do("POST", "/agents/register-known", g.token,
					fmt.Sprintf(`{"agent_type":%q,"name":%q,"description":"d","options":%s}`, agentType, name, with))
				require.Equal(t, 200, r.status, r.body)
				a, _ := g.node.AgentByHandle(name)
				return a
			}
			one, two := register(fmt.Sprintf("one%d", n), options), register(fmt.Sprintf("two%d", n), `{}`)
			caller := g.registerBy(g.token, fmt.Sprintf("caller%d", n), "")
			caller.must("", "update_agent_detail", `{"agent_id":"`+two.ID+`","options":`+options+`}`)
			two, _ = g.node.Agent(two.ID)
			require.Equal(t, string(one.Options), string(two.Options), "%s %s", agentType, options)
			require.Equal(t, string(one.Profile), string(two.Profile), "%s %s", agentType, options)
			require.Equal(t, one.Model, two.Model)

			var given map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(options), &given))
			parsed, err := agentswitch.ParseKnownOptions(agentType, given)
			require.NoError(t, err)
			said, ok := agentswitch.DescribeKnownAgent(agentType, parsed)
			require.True(t, ok)
			profile, err := json.Marshal(said.Profile)
			require.NoError(t, err)
			require.JSONEq(t, string(profile), string(one.Profile))
			require.Len(t, one.Tools, len(said.Tools))
			require.Equal(t, agentType == "claude-code", len(given) >= 0 && string(one.Options)[:len(`{"channels`)] == `{"channels`,
				"only the options that the type has are kept")
		}
	}
}
