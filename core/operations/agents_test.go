package operations_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
	"stele/internal/strictjson"
)

// wire encodes a result as the HTTP door does, and looks for what the socket cannot encode.
func (w *world) wire(t *testing.T, c operations.Caller, name, args string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(args), &fields))
	result, err := w.ops.Call(t.Context(), name, c, fields)
	require.NoError(t, err)
	requireNoEmptyRaw(t, reflect.ValueOf(result))
	b, err := strictjson.Marshal(result)
	require.NoError(t, err)
	return string(b)
}

// requireNoEmptyRaw: raw JSON with nothing in it is null to some encoders and an error to others; a result that means null
// has a nil pointer.
func requireNoEmptyRaw(t *testing.T, v reflect.Value) {
	t.Helper()
	if v.IsValid() && v.Type() == reflect.TypeFor[json.RawMessage]() {
		require.True(t, json.Valid(v.Bytes()))
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		requireNoEmptyRaw(t, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			requireNoEmptyRaw(t, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			requireNoEmptyRaw(t, v.Field(i))
		}
	}
}

// agents registers one agent of a known type with everything said, and its child with nothing said.
func (w *world) agents(t *testing.T) (full, bare core.Agent) {
	t.Helper()
	made, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: "bob", Handle: "bob", Description: "builds", Owner: "olga", Model: core.ModelAutoStart, KnownType: "codex",
		Connector: "Codex CLI", Profile: json.RawMessage(`{"connection_model":"auto_session"}`), IconURL: "https://i.example/b",
		Options: json.RawMessage(`{"channels_enabled":true,"auto_session":true,"repo_dir":null,"subagent_name":null}`),
	}})
	require.NoError(t, err)
	w.ms.Add(1000)
	child, err := w.n.Register(t.Context(), core.Registration{
		Agent: core.Agent{Name: "Ann Lee", Parent: made.Agent.ID}, DeriveHandle: true,
	})
	require.NoError(t, err)
	return made.Agent, child.Agent
}

func rowsOf(full, bare core.Agent) (fullRow, bareRow string) {
	return `"id":"` + full.ID + `","name":"bob","description":"builds","icon_url":"https://i.example/b","connector_type":"Codex CLI",` +
			`"connection_model":"auto_session","tool_count":3,"model_count":0,"owner_id":"olga","owner_name":"olga","oauth_client_id":null,` +
			`"created_at":"2026-01-02 03:04:05.678000+00:00","parent_agent_id":null,"known_agent_type":"codex",` +
			`"known_agent_options":{"auto_session":true,"repo_dir":null},"addressing_policy":null`,
		`"id":"` + bare.ID + `","name":"ann-lee","description":"","icon_url":null,"connector_type":"",` +
			`"connection_model":null,"tool_count":0,"model_count":0,"owner_id":null,"owner_name":null,"oauth_client_id":null,` +
			`"created_at":"2026-01-02 03:04:06.678000+00:00","parent_agent_id":"` + full.ID + `","known_agent_type":null,` +
			`"known_agent_options":null,"addressing_policy":null`
}

func TestListAgents(t *testing.T) {
	w := newWorld(t)
	full, bare := w.agents(t)
	fullRow, bareRow := rowsOf(full, bare)
	both, fullOnly, bareOnly := "[{"+bareRow+"},{"+fullRow+"}]", "[{"+fullRow+"}]", "[{"+bareRow+"}]"
	for _, tc := range []struct{ args, want string }{
		{`{}`, both},
		{`{"name_contains":null,"owner_name":null,"known_agent_type":null}`, both},
		{`{"name_contains":""}`, both},
		{`{"name_contains":"N-LE"}`, bareOnly},
		{`{"owner_name":"olga"}`, fullOnly},
		{`{"owner_name":"Olga"}`, `[]`},
		{`{"known_agent_type":"codex"}`, fullOnly},
		{`{"known_agent_type":"code"}`, `[]`},
		{`{"name_contains":"bo","owner_name":"olga","known_agent_type":"codex"}`, fullOnly},
		{`{"name_contains":"ann","owner_name":"olga"}`, `[]`},
	} {
		require.Equal(t, tc.want, w.wire(t, operations.Caller{Agent: bare.ID}, "list_agents", tc.args), tc.args)
	}
}

func TestGetAgentDetail(t *testing.T) {
	w := newWorld(t)
	full, bare := w.agents(t)
	fullRow, bareRow := rowsOf(full, bare)
	b := operations.Caller{Agent: full.ID}
	open := w.room(t, b, `{"name":"open","description":"","agent_names":["bob"]}`)
	w.ms.Add(1)
	secret := w.room(t, b, `{"name":"secret","description":"","agent_names":["bob"],"read_visibility":"private","write_visibility":"private"}`)
	w.connect(t, full, open)
	openRow := `{"room_id":"` + open + `","room_name":"open","archived":false,"status":"live","room_role":null}`
	secretRow := `{"room_id":"` + secret + `","room_name":"secret","archived":false,"status":"dormant","room_role":null}`
	detail := func(rooms string) string {
		return `{` + fullRow + `,"agent_type":"auto_session","integration_profile":{"connection_model":"auto_session"},` +
			`"tools":[{"name":"Shell","description":""},{"name":"ApplyPatch","description":""},{"name":"Read","description":""}],` +
			`"models":[],"rooms":[` + rooms + `],"sessions":[],"children":[{` + bareRow + `}]}`
	}
	args := `{"agent_id":"` + full.ID + `"}`
	require.Equal(t, detail(openRow+","+secretRow), w.wire(t, b, "get_agent_detail", args))
	require.Equal(t, detail(openRow), w.wire(t, operations.Caller{Agent: bare.ID}, "get_agent_detail", args),
		"a private room is not shown to others")

	require.Equal(t, `{`+bareRow+`,"agent_type":"","integration_profile":{"connection_model":null,"message_exchange":true,`+
		`"pre_invocation_mediation":[],"post_invocation_mediation":[],"event_reporting":[],"task_protocol":{"can_delegate":true,"can_accept":true},`+
		`"command_capabilities":{"reset":"unsupported","compact":"unsupported","interrupt":"unsupported"}},`+
		`"tools":[],"models":[],"rooms":[],"sessions":[],"children":[]}`,
		w.wire(t, b, "get_agent_detail", `{"agent_id":"`+bare.ID+`"}`))

	_, err := w.call(t, b, "get_agent_detail", `{"agent_id":"bob"}`)
	require.ErrorIs(t, err, core.ErrNoAgent)
}

func TestToolsAndOptionsOfKnownTypes(t *testing.T) {
	w := newWorld(t)
	stored := `{"auto_session":false,"channels_enabled":true,"repo_dir":"/r","subagent_name":null}`
	for _, tc := range []struct {
		agentType string
		tools     int
		options   string
	}{
		{"claude-code", 12, stored},
		{"codex", 3, `{"auto_session":false,"repo_dir":"/r"}`},
		{"opencode", 9, `{"auto_session":false,"repo_dir":"/r"}`},
	} {
		made, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{
			Name: tc.agentType, Handle: tc.agentType, KnownType: tc.agentType, Options: json.RawMessage(stored),
		}})
		require.NoError(t, err)
		var out operations.AgentDetail
		require.NoError(t, json.Unmarshal([]byte(w.wire(t, operations.Caller{Agent: made.Agent.ID}, "get_agent_detail", `{"agent_id":"`+made.Agent.ID+`"}`)), &out))
		require.Equal(t, tc.tools, out.ToolCount)
		require.Len(t, out.Tools, tc.tools)
		require.JSONEq(t, tc.options, string(*out.KnownAgentOptions))
	}
}

func TestWhatNeverChanges(t *testing.T) {
	w := newWorld(t)
	c := operations.Caller{Agent: w.agent(t, "ada").ID}
	require.Equal(t, `[{"id":"switch","type":"switch","display_name":"Switch agent protocol","status":"active","is_default":true,"can_create_channels":false},`+
		`{"id":"areyouai","type":"areyouai","display_name":"areyouai","status":"active","is_default":false,"can_create_channels":false},`+
		`{"id":"edge","type":"edge","display_name":"Edge agent socket","status":"active","is_default":false,"can_create_channels":false}]`,
		w.wire(t, c, "list_bridges", `{}`))

	var types []operations.ReferenceType
	require.NoError(t, json.Unmarshal([]byte(w.wire(t, c, "list_reference_types", `{}`)), &types))
	var names []string
	for _, r := range types {
		names = append(names, r.Type+"="+r.DisplayName)
		require.NotEmpty(t, r.Instructions)
		require.Equal(t, `{"properties":{"urls":{"items":{"type":"string"},"minItems":1,"type":"array"}},"required":["urls"],"type":"object"}`, string(r.ValueSchema))
	}
	require.Equal(t, []string{"google_drive=Google Drive", "confluence=Confluence", "github=GitHub", "jira=Jira"}, names)
}

// TestRoomScope: a credential for one room calls what stays in that room, and nothing that tells of others.
func TestRoomScope(t *testing.T) {
	var scoped []string
	for _, d := range newWorld(t).ops.List() {
		if d.RoomScoped {
			scoped = append(scoped, d.Name)
		}
	}
	require.Equal(t, []string{"read_context", "list_participants", "post_message", "send_targeted_message"}, scoped)
}
