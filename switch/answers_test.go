package agentswitch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

func TestAnswersHaveExactlyTheFields(t *testing.T) {
	live := agentswitch.StatusLive
	participant := `{"id":"a","name":"n","type":"agent","agent_type":"always_on","can_delegate":true,"can_accept":false,"status":"live","room_role":null,"alias":null}`
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"ok", agentswitch.OK{OK: true}, `{"ok":true}`},
		{"lease", agentswitch.LeaseAnswer{OK: true}, `{"ok":true,"held":false}`},
		{"health", agentswitch.Health{Status: "ok"}, `{"status":"ok"}`},
		{"version", agentswitch.NewServerInfo("", agentswitch.Range{Speaks: 1, Accepts: 1}), `{"version":null,"contracts":{"agent-protocol":{"speaks":1,"accepts":1}}}`},
		{"register", agentswitch.RegisterAnswer{ID: "a", APIKey: "k"}, `{"id":"a","api_key":"k"}`},
		{"beat", agentswitch.BeatAnswer{OK: true, Rooms: agentswitch.Rooms{"b", "a"}, Cursor: 3}, `{"ok":true,"rooms":["a","b"],"cursor":3}`},
		{"beat without rooms", agentswitch.BeatAnswer{OK: true}, `{"ok":true,"rooms":[],"cursor":0}`},
		{"subscribe", agentswitch.SubscribeAnswer{OK: true}, `{"ok":true,"rooms":[],"evicted_connection_id":null,"warning":null}`},
		{"unsubscribe", agentswitch.UnsubscribeAnswer{OK: true}, `{"ok":true,"rooms":[]}`},
		{"message", agentswitch.MessageAnswer{OK: true, EventID: "m"}, `{"ok":true,"event_id":"m"}`},
		{"result", agentswitch.ResultAnswer{Result: agentswitch.List[agentswitch.RoomRow](nil)}, `{"result":[]}`},
		{"room row", agentswitch.RoomRow{RoomID: "r"}, `{"room_id":"r","name":"","description":"","connected":false,"archived":false}`},
		{"any room row", agentswitch.AnyRoomRow{RoomID: "r"}, `{"room_id":"r","name":"","description":"","archived":false}`},
		{"participant", agentswitch.Participant{ID: "a", Name: "n", Type: "agent", AgentType: ptr("always_on"), CanDelegate: true, Status: &live}, participant},
		{"participant row", agentswitch.ParticipantRow{ID: "u", Name: "n", Type: "user"}, `{"id":"u","name":"n","type":"user","status":null,"alias":null}`},
		{
			"connect_to_room",
			agentswitch.ConnectToRoomAnswer{AgentID: "a-1", RoomID: "r-1", Name: "ops"},
			`{"agent_id":"a-1","room_id":"r-1","name":"ops","description":"","participants":[],"instructions":"","reference_types":{},"references":[],"documents":[],` +
				`"packages":[],"linked_rooms":[],"roles":[],"warning":null}`,
		},
		{
			"room detail",
			agentswitch.RoomDetail{ID: "r", ConnectedUserNames: agentswitch.Rooms{"b", "a"}},
			`{"id":"r","name":"","description":"","channel_type":null,"admin_mode":false,"instructions":null,"matrix_room_id":"","created_at":"","bridge_id":null,` +
				`"bridge_display_name":null,"external_channel_id":null,"group_id":null,"group_name":null,"group_path":null,"agent_names":[],"agent_statuses":{},` +
				`"connected_user_names":["a","b"],"join_event_listeners":[],"aliases":{},"roles":[],"archived":false}`,
		},
		{"create_room", agentswitch.CreateRoomAnswer{ID: "r"}, `{"id":"r","name":"","matrix_room_id":"","failed_attachments":[]}`},
		{"failed attachment", agentswitch.FailedAttachment{Kind: "package", ID: "p", Error: "e"}, `{"kind":"package","id":"p","error":"e"}`},
		{"add users", agentswitch.AddUsersAnswer{}, `{"ok":false,"added":[],"unresolved":[]}`},
		{"post_message", agentswitch.PostMessageAnswer{EventID: "m"}, `{"event_id":"m"}`},
		{"send_targeted_message", agentswitch.TargetedMessageAnswer{EventID: "m"}, `{"event_id":"m","target_statuses":{}}`},
		{
			"statuses",
			agentswitch.TargetedMessageAnswer{TargetStatuses: agentswitch.Map[agentswitch.Status]{"b": agentswitch.StatusNotPermitted, "a": live}},
			`{"event_id":"","target_statuses":{"a":"live","b":"not_permitted"}}`,
		},
		{"read_context", agentswitch.ReadContextAnswer{}, `{"threads":[],"truncated":false,"oldest_timestamp":null}`},
		{
			"thread",
			agentswitch.Thread{Root: agentswitch.Entry{ID: "m", Kind: "message", Timestamp: ptr(int64(5))}},
			`{"root":{"id":"m","kind":"message","sender":"","sender_name":"","body":"","timestamp":5,"attachments":[]},"replies":[]}`,
		},
		{
			"stub",
			agentswitch.Thread{Root: agentswitch.Entry{ID: "m", Body: "dropped", Elided: true}},
			`{"root":{"id":"m","kind":"message","sender":null,"sender_name":null,"body":null,"timestamp":null,"elided":true},"replies":[]}`,
		},
		{
			"role",
			agentswitch.Role{Name: "r", HeldBy: agentswitch.List[agentswitch.Holder]{{Name: "a"}}},
			`{"name":"r","exclusive":false,"held_by":[{"name":"a","present_here":false,"session_room":null}],"assumable_by_me":false,"instructions_preview":""}`,
		},
		{"role detail", agentswitch.RoleDetail{Name: "r"}, `{"name":"r","exclusive":false,"held_by":[],"assumable_by_me":false,"instructions":""}`},
		{
			"link",
			agentswitch.LinkedRoom{TargetRoomID: "r", Access: "not_member", AccessNote: "n"},
			`{"target_room_id":"r","target_room_name":"","target_room_description":"","label":"","access":"not_member","access_note":"n"}`,
		},
		{"link without access", agentswitch.LinkedRoom{}, `{"target_room_id":"","target_room_name":"","target_room_description":"","label":""}`},
		{"reference", agentswitch.Reference{ID: "x"}, `{"id":"x","type":"","name":"","description":"","instructions":"","value":{"urls":[]}}`},
		{"reference type", agentswitch.ReferenceType{Type: "github"}, `{"type":"github","display_name":"","instructions":""}`},
		{"document", agentswitch.Document{ID: "d", Scope: "room"}, `{"id":"d","name":"","description":"","instructions":"","scope":"room","created_by_agent_id":null}`},
		{"package", agentswitch.Package{ID: "p"}, `{"id":"p","name":"","description":"","instructions":"","references":[],"documents":[]}`},
		{
			"agent",
			agentswitch.Agent{ID: "a"},
			`{"id":"a","name":"","description":"","icon_url":null,"connector_type":"","connection_model":null,"tool_count":0,"model_count":0,"owner_id":null,"owner_name":null,` +
				`"oauth_client_id":null,"created_at":"","parent_agent_id":null,"known_agent_type":null,"known_agent_options":null,"addressing_policy":null}`,
		},
		{"agent room", agentswitch.AgentRoom{RoomID: "r", Status: live}, `{"room_id":"r","room_name":"","archived":false,"status":"live","room_role":null}`},
		{
			"session",
			agentswitch.AgentSession{Lifecycle: "connection", State: "live"},
			`{"room_id":null,"room_name":null,"lifecycle":"connection","state":"live","last_seen_at":""}`,
		},
		{
			"group",
			agentswitch.Group{ID: "g"},
			`{"id":"g","name":"","description":null,"color":null,"parent_group_id":null,"room_count":0,"path":"","member_rooms":[],"child_groups":[]}`,
		},
		{"group row", agentswitch.GroupRow{ID: "g"}, `{"id":"g","name":"","description":null,"parent_group_id":null,"room_count":0,"path":""}`},
		{
			"task",
			agentswitch.TaskRow{ID: "t", Status: agentswitch.TaskPending},
			`{"id":"t","summary":"","description":"","status":"pending","requester_agent_id":"","performer_agent_id":"","updates":[],"outcome":null,"created_at":"",` +
				`"accepted_at":null,"finalised_at":null}`,
		},
		{"catalog", agentswitch.Catalog{
			{Name: "z", Description: "d", InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)},
			{Name: "a", Description: "<e>", InputSchema: json.RawMessage(`{"type": "object"}`)},
		}, `{"operations":{"z":{"description":"d","input_schema":{"type":"object","properties":{}}},"a":{"description":"<e>","input_schema":{"type":"object"}}}}`},
		{"empty catalog", agentswitch.Catalog(nil), `{"operations":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := strictjson.Marshal(tt.in)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
		})
	}
}

func TestAgentDetailContinuesTheAgent(t *testing.T) {
	got, err := strictjson.Marshal(agentswitch.AgentDetail{Agent: agentswitch.Agent{ID: "a"}, AgentType: "always_on"})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(got), `{"id":"a","name":""`))
	require.True(t, strings.HasSuffix(string(got), `"addressing_policy":null,"agent_type":"always_on","integration_profile":{"connection_model":"","message_exchange":false,`+
		`"pre_invocation_mediation":[],"post_invocation_mediation":[],"event_reporting":[],"task_protocol":{"can_delegate":false,"can_accept":false},`+
		`"command_capabilities":{"reset":"","compact":"","interrupt":""}},"tools":[],"models":[],"rooms":[],"sessions":[],"children":[]}`), "%s", got)
}

func TestAnswersComeBack(t *testing.T) {
	stub := agentswitch.Entry{ID: "m", Kind: agentswitch.EntryMessage, Elided: true}
	in := agentswitch.ReadContextAnswer{
		Threads: agentswitch.List[agentswitch.Thread]{{Root: stub, Replies: agentswitch.List[agentswitch.Entry]{
			{ID: "n", Kind: agentswitch.EntryMessage, Body: "x", Timestamp: ptr(int64(1)), Attachments: agentswitch.List[agentswitch.Attachment]{{Filename: "f"}}},
		}}},
		Truncated: true, OldestTimestamp: ptr(int64(1)),
	}
	data, err := strictjson.Marshal(in)
	require.NoError(t, err)
	var back agentswitch.ReadContextAnswer
	require.NoError(t, strictjson.Unmarshal(data, &back))
	require.Equal(t, in, back)
}

func TestCatalogKeepsItsOrder(t *testing.T) {
	var in agentswitch.Catalog
	for _, name := range agentswitch.OperationNames() {
		in = append(in, agentswitch.Operation{Name: name, Description: name, InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
	require.Len(t, in, 45)
	data, err := strictjson.Marshal(in)
	require.NoError(t, err)
	var back agentswitch.Catalog
	require.NoError(t, strictjson.Unmarshal(data, &back))
	require.Equal(t, in, back)
	op, ok := back.Find(agentswitch.OpReadContext)
	require.True(t, ok)
	require.Equal(t, "read_context", op.Description)
	_, ok = back.Find("x")
	require.False(t, ok)

	for _, bad := range []string{`{}`, `{"operations":[]}`, `[]`, `{"operations":{"a":5}}`, `{"operations":{"a":{"description":5}}}`} {
		require.Error(t, strictjson.Unmarshal([]byte(bad), &back), bad)
	}
}

func TestNeedsCurrentRoomCountsTwentyTwo(t *testing.T) {
	n := 0
	for _, name := range agentswitch.OperationNames() {
		if agentswitch.NeedsCurrentRoom(name) {
			n++
		}
	}
	require.Equal(t, 22, n)
	require.False(t, agentswitch.NeedsCurrentRoom(agentswitch.OpConnectToRoom))
}

func TestStatusOf(t *testing.T) {
	nobody, connected := agentswitch.Presence{}, agentswitch.Presence{Connected: true}
	spawner, claimed := agentswitch.Presence{Connected: true, SpawnCapable: true}, agentswitch.Presence{Connected: true, Claimed: true}
	for model, want := range map[agentswitch.ConnectionModel][4]agentswitch.Status{
		agentswitch.ModelAlwaysOn:           {agentswitch.StatusDisconnected, agentswitch.StatusLive, agentswitch.StatusLive, agentswitch.StatusLive},
		agentswitch.ModelSessionAddressable: {agentswitch.StatusNoSession, agentswitch.StatusNoSession, agentswitch.StatusDormant, agentswitch.StatusLive},
		agentswitch.ModelAutoSession:        {agentswitch.StatusDisconnected, agentswitch.StatusDormant, agentswitch.StatusDormant, agentswitch.StatusLive},
		agentswitch.ModelSessionPassive:     {agentswitch.StatusAwaitingManualPoll, agentswitch.StatusAwaitingManualPoll, agentswitch.StatusAwaitingManualPoll, agentswitch.StatusAwaitingManualPoll},
		"":                                  {agentswitch.StatusAwaitingManualPoll, agentswitch.StatusAwaitingManualPoll, agentswitch.StatusAwaitingManualPoll, agentswitch.StatusAwaitingManualPoll},
	} {
		for i, p := range []agentswitch.Presence{nobody, connected, spawner, claimed} {
			require.Equal(t, want[i], agentswitch.StatusOf(model, p), "%s %+v", model, p)
		}
	}
}

func TestPreviewInstructions(t *testing.T) {
	require.Equal(t, "short", agentswitch.PreviewInstructions("short"))
	require.Equal(t, strings.Repeat("ü", 200), agentswitch.PreviewInstructions(strings.Repeat("ü", 201)))
	require.Equal(t, strings.Repeat("ü", 200), agentswitch.PreviewInstructions(strings.Repeat("ü", 200)))
}

func FuzzCatalog(f *testing.F) {
	f.Add([]byte(`{"operations":{"a":{"description":"d","input_schema":{"type":"object"}},"b":{}}}`))
	f.Add([]byte(`{"operations":{"a":{},"a":{"description":"x"},"\ud800":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c agentswitch.Catalog
		if strictjson.Unmarshal(data, &c) != nil {
			return
		}
		out, err := strictjson.Marshal(c)
		require.NoError(t, err)
		var again agentswitch.Catalog
		require.NoError(t, strictjson.Unmarshal(out, &again))
		require.Len(t, again, len(c))
	})
}
