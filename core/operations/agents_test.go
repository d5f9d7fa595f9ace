package operations_test

import (
	"encoding/json"
	"reflect"
	"strings"
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

// agents registers one agent with everything said, one with nothing said, and a child of the first.
func (w *world) agents(t *testing.T) (full, bare, child core.Agent) {
	t.Helper()
	made, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: "bob", Handle: "bob", Description: "builds", Owner: "olga", Model: core.ModelAutoStart, KnownType: "codex",
		Connector: "Codex CLI", Profile: json.RawMessage(`{"connection_model":"auto_session"}`), IconURL: "https://i.example/b",
		Options: json.RawMessage(`{"auto_session":true,"repo_dir":null}`),
		Tools:   []core.Ability{{Name: "Shell"}, {Name: "Read", Description: "reads"}}, Models: []core.Ability{{Name: "big", Description: "slow"}},
	}})
	require.NoError(t, err)
	w.ms.Add(1000)
	stranger, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "Ann Lee"}, DeriveHandle: true})
	require.NoError(t, err)
	below, err := w.n.Register(t.Context(), core.Registration{
		Agent: core.Agent{Name: "bob.a", Handle: "bob.a", Owner: "olga", Parent: made.Agent.ID},
	})
	require.NoError(t, err)
	return made.Agent, stranger.Agent, below.Agent
}

func rowsOf(full, bare, child core.Agent) (fullRow, bareRow, childRow string) {
	return `"id":"` + full.ID + `","name":"bob","description":"builds","icon_url":"https://i.example/b","connector_type":"Codex CLI",` +
			`"connection_model":"auto_session","tool_count":2,"model_count":1,"owner_id":"olga","owner_name":"olga","oauth_client_id":null,` +
			`"created_at":"2026-01-02 03:04:05.678000+00:00","parent_agent_id":null,"known_agent_type":"codex",` +
			`"known_agent_options":{"auto_session":true,"repo_dir":null},"addressing_policy":null`,
		`"id":"` + bare.ID + `","name":"ann-lee","description":"","icon_url":null,"connector_type":"",` +
			`"connection_model":null,"tool_count":0,"model_count":0,"owner_id":null,"owner_name":null,"oauth_client_id":null,` +
			`"created_at":"2026-01-02 03:04:06.678000+00:00","parent_agent_id":null,"known_agent_type":null,` +
			`"known_agent_options":null,"addressing_policy":null`,
		`"id":"` + child.ID + `","name":"bob.a","description":"","icon_url":null,"connector_type":"",` +
			`"connection_model":null,"tool_count":0,"model_count":0,"owner_id":"olga","owner_name":"olga","oauth_client_id":null,` +
			`"created_at":"2026-01-02 03:04:06.678000+00:00","parent_agent_id":"` + full.ID + `","known_agent_type":null,` +
			`"known_agent_options":null,"addressing_policy":null`
}

func TestListAgents(t *testing.T) {
	w := newWorld(t)
	full, bare, child := w.agents(t)
	fullRow, bareRow, childRow := rowsOf(full, bare, child)
	all, fullOnly, bareOnly := "[{"+bareRow+"},{"+fullRow+"},{"+childRow+"}]", "[{"+fullRow+"}]", "[{"+bareRow+"}]"
	for _, tc := range []struct{ args, want string }{
		{`{}`, all},
		{`{"name_contains":null,"owner_name":null,"known_agent_type":null}`, all},
		{`{"name_contains":""}`, all},
		{`{"name_contains":"N-LE"}`, bareOnly},
		{`{"owner_name":"olga"}`, "[{" + fullRow + "},{" + childRow + "}]"},
		{`{"owner_name":"Olga"}`, `[]`},
		{`{"known_agent_type":"codex"}`, fullOnly},
		{`{"known_agent_type":"code"}`, `[]`},
		{`{"name_contains":"bo","owner_name":"olga","known_agent_type":"codex"}`, fullOnly},
		{`{"name_contains":"ann","owner_name":"olga"}`, `[]`},
	} {
		require.Equal(t, tc.want, w.wire(t, operations.Caller{Agent: bare.ID}, "list_agents", tc.args), tc.args)
	}
}

const privately = `"read_visibility":"private","write_visibility":"private"`

func TestGetAgentDetail(t *testing.T) {
	w := newWorld(t)
	full, bare, child := w.agents(t)
	fullRow, bareRow, childRow := rowsOf(full, bare, child)
	b := operations.Caller{Agent: full.ID}
	open := w.room(t, b, `{"name":"open","description":"","agent_names":["bob"]}`)
	w.ms.Add(1)
	secret := w.room(t, b, `{"name":"secret","description":"","agent_names":["bob"],`+privately+`}`)
	w.connect(t, full, open)
	_, err := w.n.OpenConnection(t.Context(), full.ID, core.OpenRequest{
		ID: "watcher", Scope: core.ScopeAll, Filter: core.FilterAll, FromHead: true, Rooms: []string{secret},
	})
	require.NoError(t, err)
	openRow := `{"room_id":"` + open + `","room_name":"open","archived":false,"status":"live","room_role":null}`
	secretRow := `{"room_id":"` + secret + `","room_name":"secret","archived":false,"status":"live","room_role":null}`
	session := func(room, name string) string {
		return `{"room_id":"` + room + `","room_name":"` + name + `","lifecycle":"connection","state":"live","last_seen_at":"2026-01-02 03:04:06.679000+00:00"}`
	}
	detail := func(rooms, sessions string) string {
		return `{` + fullRow + `,"agent_type":"auto_session","integration_profile":{"connection_model":"auto_session"},` +
			`"tools":[{"name":"Shell","description":""},{"name":"Read","description":"reads"}],` +
			`"models":[{"name":"big","description":"slow"}],"rooms":[` + rooms + `],"sessions":[` + sessions + `],"children":[{` + childRow + `}]}`
	}
	args := `{"agent_id":"` + full.ID + `"}`
	whole := detail(openRow+","+secretRow, session(open, "open")+","+session(secret, "secret"))
	require.Equal(t, whole, w.wire(t, b, "get_agent_detail", args))
	require.Equal(t, whole, w.wire(t, operations.Caller{Agent: child.ID}, "get_agent_detail", args), "to agents of the same owner")
	require.Equal(t, detail(openRow, session(open, "open")), w.wire(t, operations.Caller{Agent: bare.ID}, "get_agent_detail", args),
		"a private room is not shown to others, and neither is the work in it")

	w.ms.Add(6000)
	require.Contains(t, w.wire(t, b, "get_agent_detail", args), `"sessions":[]`, "what has lapsed is no session")
	_, err = w.n.OpenConnection(t.Context(), full.ID, core.OpenRequest{ID: "idle", Scope: core.ScopeSingle, Filter: core.FilterAll})
	require.NoError(t, err)
	nowhere := `{"room_id":null,"room_name":null,"lifecycle":"connection","state":"live","last_seen_at":"2026-01-02 03:04:12.679000+00:00"}`
	require.Contains(t, w.wire(t, b, "get_agent_detail", args), `"sessions":[`+nowhere+`]`)
	require.NoError(t, w.n.NoteInRoom(full.ID, open))
	require.NoError(t, w.n.NoteInRoom(full.ID, secret))
	w.n.NoteAnywhere(full.ID)
	w.ms.Add(1000)
	said := func(session string) string { return strings.Replace(session, `"connection"`, `"heartbeat"`, 1) }
	there := []string{
		nowhere, said(nowhere), said(strings.ReplaceAll(session(open, "open"), "06.679", "12.679")),
		said(strings.ReplaceAll(session(secret, "secret"), "06.679", "12.679")),
	}
	require.Contains(t, w.wire(t, b, "get_agent_detail", args), `"sessions":[`+strings.Join(there, ",")+`]`)
	require.Contains(t, w.wire(t, operations.Caller{Agent: bare.ID}, "get_agent_detail", args), `"sessions":[`+strings.Join(there[:3], ",")+`]`)
	w.ms.Add(5000)
	require.Contains(t, w.wire(t, b, "get_agent_detail", args), `"sessions":[`+said(nowhere)+`]`)

	require.Equal(t, `{`+bareRow+`,"agent_type":"","integration_profile":{"connection_model":null,"message_exchange":true,`+
		`"pre_invocation_mediation":[],"post_invocation_mediation":[],"event_reporting":[],"task_protocol":{"can_delegate":true,"can_accept":true},`+
		`"command_capabilities":{"reset":"unsupported","compact":"unsupported","interrupt":"unsupported"}},`+
		`"tools":[],"models":[],"rooms":[],"sessions":[],"children":[]}`,
		w.wire(t, b, "get_agent_detail", `{"agent_id":"`+bare.ID+`"}`))

	_, err = w.call(t, b, "get_agent_detail", `{"agent_id":"bob"}`)
	require.ErrorIs(t, err, core.ErrNoAgent)
}

func TestWhoSeesWhichRoomsOfAPolicy(t *testing.T) {
	w := newWorld(t)
	full, bare, child := w.agents(t)
	b := operations.Caller{Agent: full.ID}
	open := w.room(t, b, `{"name":"open","description":"","agent_names":["bob"]}`)
	secret := w.room(t, b, `{"name":"secret","description":"","agent_names":["bob"],`+privately+`}`)
	_, err := w.n.ChangeAgent(t.Context(), core.ChangeAgent{Agent: full.ID, Policy: &core.AddressingPolicy{Rules: []core.AddressingRule{
		{Rooms: []string{open, secret}, Agents: []string{bare.ID}}, {Rooms: []string{"*"}, OwnerAgents: true},
	}}})
	require.NoError(t, err)
	policy := func(rooms string) string {
		return `"addressing_policy":{"rules":[{"rooms":[` + rooms + `],"users":[],"agents":["` + bare.ID + `"],"owner":false,"owner_agents":false},` +
			`{"rooms":["*"],"users":[],"agents":[],"owner":false,"owner_agents":true}]}`
	}
	args := `{"agent_id":"` + full.ID + `"}`
	for _, op := range []struct{ name, args string }{{"get_agent_detail", args}, {"list_agents", `{"name_contains":"bob"}`}} {
		require.Contains(t, w.wire(t, b, op.name, op.args), policy(`"`+open+`","`+secret+`"`))
		require.Contains(t, w.wire(t, operations.Caller{Agent: child.ID}, op.name, op.args), policy(`"`+open+`","`+secret+`"`))
		require.Contains(t, w.wire(t, operations.Caller{Agent: bare.ID}, op.name, op.args), policy(`"`+open+`"`))
	}
	stored, _ := w.n.Agent(full.ID)
	require.Equal(t, []string{open, secret}, stored.Policy.Rules[0].Rooms, "showing it changes nothing")
}

func TestWhatNeverChanges(t *testing.T) {
	w := newWorld(t)
	c := operations.Caller{Agent: w.agent(t, "ada").ID}
	require.Equal(t, `[{"id":"switch","type":"switch","display_name":"Switch agent protocol","status":"active","is_default":true,"can_create_channels":false},`+
		`{"id":"areyouai","type":"areyouai","display_name":"areyouai","status":"active","is_default":false,"can_create_channels":false},`+
		`{"id":"edge","type":"edge","display_name":"Edge agent socket","status":"active","is_default":false,"can_create_channels":false}]`,
		w.wire(t, c, "list_bridges", `{}`))

	var types []operations.ReferenceTypeRow
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
	require.Equal(t, []string{
		"load_internal_documents", "create_room_document", "update_room_document", "delete_room_document",
		"read_context", "list_participants", "post_message", "send_targeted_message",
		"delegate_task", "accept_task", "update_task", "finalise_task", "cancel_task", "list_tasks",
		"list_roles", "define_role", "edit_role", "delete_role",
		"get_room_state", "set_room_state", "replace_room_state", "emit_event",
		"translate_cursor", "get_turn",
	}, scoped)
}
