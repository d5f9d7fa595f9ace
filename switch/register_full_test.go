package agentswitch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

const fullProfile = `{"connection_model":"always_on","message_exchange":true,"pre_invocation_mediation":["tool_calls"],` +
	`"post_invocation_mediation":[],"event_reporting":["tool_calls","llm_calls"],"task_protocol":{"can_delegate":true,"can_accept":false},` +
	`"command_capabilities":{"reset":"always","interrupt":"session_dependent"}}`

func TestParseFullRegistration(t *testing.T) {
	got, err := agentswitch.ParseFullRegistration([]byte(`{"name":"scout","description":"d","connector_type":"My Bot","integration_profile":` + fullProfile + `,
		"tools":[{"name":"Read","description":"reads","parameters":{"type":"object"}},{"name":"Write","description":"","parameters":null,"novel":1}],
		"models":[{"name":"m","description":"large"}],"metadata":{"k":[1]},"icon_url":"https://example.org/i.png","overwrite":true,"novel":{}}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.FullRegistration{
		Name: "scout", Description: "d", ConnectorType: "My Bot",
		Profile: agentswitch.IntegrationProfile{
			ConnectionModel: agentswitch.ModelAlwaysOn, MessageExchange: true,
			PreInvocationMediation: agentswitch.List[string]{"tool_calls"}, PostInvocationMediation: agentswitch.List[string]{},
			EventReporting: agentswitch.List[string]{"tool_calls", "llm_calls"},
			TaskProtocol:   agentswitch.TaskProtocol{CanDelegate: true},
			CommandCapabilities: agentswitch.CommandCapabilities{
				Reset: agentswitch.CapabilityAlways, Compact: agentswitch.CapabilityUnsupported, Interrupt: agentswitch.CapabilitySessionDependent,
			},
		},
		Tools: agentswitch.List[agentswitch.Tool]{
			{Name: "Read", Description: "reads", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "Write"},
		},
		Models:   agentswitch.List[agentswitch.NamedText]{{Name: "m", Description: "large"}},
		Metadata: map[string]json.RawMessage{"k": json.RawMessage(`[1]`)},
		IconURL:  ptr("https://example.org/i.png"), Overwrite: true,
	}, got)

	got, err = agentswitch.ParseFullRegistration([]byte(`{"name":"n","description":"","connector_type":"","integration_profile":` +
		strings.Replace(fullProfile, `,"command_capabilities":{"reset":"always","interrupt":"session_dependent"}`, "", 1) + `}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.CommandCapabilities{Reset: "unsupported", Compact: "unsupported", Interrupt: "unsupported"}, got.Profile.CommandCapabilities)
}

func TestParseFullRegistrationRefuses(t *testing.T) {
	with := func(profile, rest string) string {
		return `{"name":"n","description":"d","connector_type":"c","integration_profile":` + profile + rest + `}`
	}
	change := func(from, to string) string { return with(strings.Replace(fullProfile, from, to, 1), "") }
	tests := []struct {
		name, in string
		status   int
		want     string
	}{
		{"nothing", ``, 422, `"type":"missing","loc":["body"]`},
		{
			"all missing", `{}`, 422,
			`{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","description"],"msg":"Field required","input":{}},` +
				`{"type":"missing","loc":["body","connector_type"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","integration_profile"],"msg":"Field required","input":{}}]}`,
		},
		{"profile null", with(`null`, ``), 422, `{"detail":[{"type":"model_attributes_type","loc":["body","integration_profile"],"msg":"Input should be a valid dictionary or object to extract fields from","input":null}]}`},
		{"profile list", with(`[]`, ``), 422, `"type":"model_attributes_type","loc":["body","integration_profile"]`},
		{
			"unknown model", change(`"always_on"`, `"sometimes"`), 422,
			`{"detail":[{"type":"literal_error","loc":["body","integration_profile","connection_model"],"msg":"Input should be 'always_on', 'session_addressable', 'session_passive' or 'auto_session'",` +
				`"input":"sometimes","ctx":{"expected":"'always_on', 'session_addressable', 'session_passive' or 'auto_session'"}}]}`,
		},
		{"model is a number", change(`"always_on"`, `5`), 422, `"type":"literal_error"`},
		{"exchange is missing", change(`"message_exchange":true,`, ``), 422, `"type":"missing","loc":["body","integration_profile","message_exchange"]`},
		{"list is a text", change(`["tool_calls"]`, `"tool_calls"`), 422, `"type":"list_type","loc":["body","integration_profile","pre_invocation_mediation"],"msg":"Input should be a valid list","input":"tool_calls"`},
		{"element is a number", change(`["tool_calls"]`, `["a",5]`), 422, `"type":"string_type","loc":["body","integration_profile","pre_invocation_mediation",1],"msg":"Input should be a valid string","input":5`},
		{"element is half a pair", change(`["tool_calls"]`, `["a","b\ud800"]`), 422, `"type":"string_unicode","loc":["body","integration_profile","pre_invocation_mediation",1]`},
		{"tool is named by half a pair", with(fullProfile, `,"tools":[{"name":"\udc00","description":""}]`), 422, `"type":"string_unicode","loc":["body","tools",0,"name"]`},
		{"parameters hold half a pair", with(fullProfile, `,"tools":[{"name":"a","description":"","parameters":{"a":["\ud800"]}}]`), 422, `"type":"string_unicode","loc":["body","tools",0,"parameters"]`},
		{"model is half a pair", with(fullProfile, `,"models":[{"name":"a","description":"\ud800"}]`), 422, `"type":"string_unicode","loc":["body","models",0,"description"]`},
		{"metadata holds half a pair", with(fullProfile, `,"metadata":{"\ud800":1}`), 422, `"type":"string_unicode","loc":["body","metadata"]`},
		{"list is missing", change(`"post_invocation_mediation":[],`, ``), 422, `"loc":["body","integration_profile","post_invocation_mediation"]`},
		{"tasks are a text", change(`{"can_delegate":true,"can_accept":false}`, `"no"`), 422, `"type":"model_attributes_type","loc":["body","integration_profile","task_protocol"]`},
		{"half of the tasks", change(`,"can_accept":false`, ``), 422, `"type":"missing","loc":["body","integration_profile","task_protocol","can_accept"],"msg":"Field required","input":{"can_delegate":true}`},
		{"no tasks", change(`"task_protocol":{"can_delegate":true,"can_accept":false},`, ``), 422, `"type":"missing","loc":["body","integration_profile","task_protocol"]`},
		{"unknown capability", change(`"always"`, `"never"`), 422, `"type":"literal_error","loc":["body","integration_profile","command_capabilities","reset"],"msg":"Input should be 'unsupported', 'always' or 'session_dependent'"`},
		{"capabilities null", change(`{"reset":"always","interrupt":"session_dependent"}`, `null`), 422, `"type":"model_attributes_type"`},
		{"tools are an object", with(fullProfile, `,"tools":{}`), 422, `"type":"list_type","loc":["body","tools"]`},
		{"tool is a text", with(fullProfile, `,"tools":["Read"]`), 422, `"type":"model_attributes_type","loc":["body","tools",0]`},
		{"tool without name", with(fullProfile, `,"tools":[{"name":"a","description":""},{"description":""}]`), 422, `"type":"missing","loc":["body","tools",1,"name"]`},
		{"parameters are a list", with(fullProfile, `,"tools":[{"name":"a","description":"","parameters":[]}]`), 422, `"type":"dict_type","loc":["body","tools",0,"parameters"]`},
		{"model without description", with(fullProfile, `,"models":[{"name":"a"}]`), 422, `"type":"missing","loc":["body","models",0,"description"]`},
		{"metadata is a list", with(fullProfile, `,"metadata":[]`), 422, `"type":"dict_type","loc":["body","metadata"]`},
		{"bad name", strings.Replace(with(fullProfile, ``), `"n"`, `"N"`, 1), 400, `Invalid agent name`},
		{"bad icon", with(fullProfile, `,"icon_url":"http://example.org"`), 400, `Invalid icon_url`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := agentswitch.ParseFullRegistration([]byte(tt.in))
			require.Equal(t, tt.status, status(t, err))
			require.Contains(t, body(t, err), tt.want)
		})
	}
}

func TestParseAgentPatch(t *testing.T) {
	got, err := agentswitch.ParseAgentPatch([]byte(`{"description":"","metadata":{},"name":"ignored"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.AgentPatch{Description: ptr(""), Metadata: map[string]json.RawMessage{}}, got)
	require.NotNil(t, got.Metadata, "an empty object clears, which nil does not")

	got, err = agentswitch.ParseAgentPatch([]byte(`{"integration_profile":` + fullProfile + `}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.ModelAlwaysOn, got.Profile.ConnectionModel)

	for _, empty := range []string{`{}`, `{"description":null,"integration_profile":null,"metadata":null}`} {
		got, err = agentswitch.ParseAgentPatch([]byte(empty))
		require.NoError(t, err)
		require.Equal(t, agentswitch.AgentPatch{}, got)
	}
	for in, want := range map[string]string{
		``:                              `"loc":["body"]`,
		`{"description":5}`:             `"type":"string_type","loc":["body","description"]`,
		`{"metadata":"x"}`:              `"type":"dict_type","loc":["body","metadata"]`,
		`{"metadata":{"a":"\ud800"}}`:   `"type":"string_unicode","loc":["body","metadata"]`,
		`{"integration_profile":{}}`:    `"type":"missing","loc":["body","integration_profile","connection_model"]`,
		`{"integration_profile":"bad"}`: `"type":"model_attributes_type"`,
	} {
		_, err = agentswitch.ParseAgentPatch([]byte(in))
		require.Equal(t, 422, status(t, err), in)
		require.Contains(t, body(t, err), want)
	}
}

func TestParseBulkRegistration(t *testing.T) {
	got, err := agentswitch.ParseBulkRegistration([]byte(`{"agent_type":"claude-code","parent_agent_id":"p","options":{"channels_enabled":false},
		"subagents":[{"subagent_name":"tester","description":"tests"},{"subagent_name":"2","description":""}],"overwrite":"yes"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.BulkRegistration{
		AgentType: "claude-code", ParentAgentID: "p", Options: map[string]json.RawMessage{"channels_enabled": json.RawMessage(`false`)},
		Subagents: agentswitch.List[agentswitch.Subagent]{{Name: "tester", Description: "tests"}, {Name: "2"}}, Overwrite: true,
	}, got)
	require.Equal(t, "lead.tester", agentswitch.SubagentName("lead", "tester"))

	parent := map[string]json.RawMessage{
		"channels_enabled": json.RawMessage(`true`), "repo_dir": json.RawMessage(`"/src"`), "auto_session": json.RawMessage(`true`),
	}
	require.Equal(t, map[string]json.RawMessage{
		"channels_enabled": json.RawMessage(`false`), "repo_dir": json.RawMessage(`"/src"`), "subagent_name": json.RawMessage(`"tester"`),
	}, got.OptionsOf(got.Subagents[0], parent))
	require.Len(t, got.Options, 1, "the request itself is left alone")
	require.Len(t, parent, 3)
}

func TestParseBulkRegistrationRefuses(t *testing.T) {
	for in, want := range map[string]struct {
		status int
		body   string
	}{
		``:   {422, `"loc":["body"]`},
		`{}`: {422, `"loc":["body","subagents"]`},
		`{"agent_type":"codex","parent_agent_id":"p","subagents":{}}`:                                                                              {422, `"type":"list_type"`},
		`{"agent_type":"codex","parent_agent_id":"p","subagents":[{}]}`:                                                                            {422, `"loc":["body","subagents",0,"subagent_name"]`},
		`{"agent_type":"codex","parent_agent_id":"p","subagents":[]}`:                                                                              {400, `must not be empty`},
		`{"agent_type":"hal","parent_agent_id":"p","subagents":[{"subagent_name":"a","description":""}]}`:                                          {400, `Unknown agent type: hal`},
		`{"agent_type":"codex","parent_agent_id":"p","options":{"auto_session":"x"},"subagents":[{"subagent_name":"a","description":""}]}`:         {400, `"loc":["auto_session"]`},
		`{"agent_type":"codex","parent_agent_id":"p","subagents":[{"subagent_name":"A b","description":""}]}`:                                      {400, `Invalid subagent name`},
		`{"agent_type":"codex","parent_agent_id":"p","subagents":[{"subagent_name":"","description":""}]}`:                                         {400, `Invalid subagent name`},
		`{"agent_type":"codex","parent_agent_id":"p","subagents":[{"subagent_name":"a","description":""},{"subagent_name":"a","description":""}]}`: {400, `Duplicate subagent name`},
	} {
		_, err := agentswitch.ParseBulkRegistration([]byte(in))
		require.Equal(t, want.status, status(t, err), in)
		require.Contains(t, body(t, err), want.body)
	}
	require.Equal(t, 409, agentswitch.NamesTaken([]string{"a", "b"}).Status())
	require.Contains(t, agentswitch.NamesTaken([]string{"a", "b"}).Detail, "overwrite")
}
