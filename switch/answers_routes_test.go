package agentswitch_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

func TestAnswersOfRoutesHaveExactlyTheFields(t *testing.T) {
	tests := []struct {
		name string
		in   any
		want string
	}{
		{
			"bulk",
			agentswitch.BulkAnswer{Results: agentswitch.List[agentswitch.BulkResult]{{SubagentName: "s", Name: "p.s", ID: "a", APIKey: "k"}}},
			`{"results":[{"subagent_name":"s","name":"p.s","id":"a","api_key":"k"}]}`,
		},
		{
			"media",
			agentswitch.MediaAnswer{OK: true, EventID: "m", MXC: "mxc://x", Attachments: agentswitch.List[agentswitch.PostedFile]{{EventID: "m", MXC: "mxc://x", Filename: "f"}}},
			`{"ok":true,"event_id":"m","mxc":"mxc://x","attachments":[{"event_id":"m","mxc":"mxc://x","filename":"f"}]}`,
		},
		{"tool verdict", agentswitch.ToolCallVerdict{Verdict: agentswitch.VerdictProceed}, `{"verdict":"proceed","reason":null,"modified_arguments":null}`},
		{"model verdict", agentswitch.LLMRequestVerdict{Verdict: agentswitch.VerdictBlocked, Reason: ptr("no")}, `{"verdict":"blocked","reason":"no","modified_messages":null}`},
		{
			"result verdict",
			agentswitch.ResultVerdict{Verdict: agentswitch.VerdictRedacted, Result: json.RawMessage(`"***"`)},
			`{"verdict":"redacted","reason":null,"result":"***"}`,
		},
		{
			"task",
			agentswitch.DelegatedTask{Task: agentswitch.Task{ID: "t", Status: agentswitch.TaskPending}, TargetStatus: agentswitch.StatusLive},
			`{"task":{"id":"t","room_id":"","requester_agent_id":"","performer_agent_id":"","summary":"","description":"","status":"pending","updates":[],"outcome":null,` +
				`"created_at":"","accepted_at":null,"finalised_at":null},"target_status":"live"}`,
		},
		{"tasks", agentswitch.TasksAnswer{}, `{"tasks":[]}`},
		{"list_references", agentswitch.ReferencesAnswer{}, `{"reference_types":{},"references":[],"documents":[],"packages":[],"linked_rooms":[]}`},
		{
			"list_reference_types",
			agentswitch.ReferenceTypeRow{Type: "jira", ValueSchema: json.RawMessage(`{"type":"object"}`)},
			`{"type":"jira","display_name":"","instructions":"","value_schema":{"type":"object"}}`,
		},
		{
			"create_reference",
			agentswitch.CreatedReference{ID: "x", ReadVisibility: agentswitch.VisibilityPublic, WriteVisibility: agentswitch.VisibilityPrivate},
			`{"id":"x","type":"","name":"","read_visibility":"public","write_visibility":"private"}`,
		},
		{"load_internal_documents", agentswitch.DocumentContent{ID: "d", Content: "c"}, `{"id":"d","name":"","description":"","content":"c"}`},
		{"create_room_document", agentswitch.CreatedDocument{DocumentID: "d"}, `{"document_id":"d"}`},
		{"update_room_document", agentswitch.ChangedDocument{DocumentID: "d", Status: agentswitch.DocumentStatusOK}, `{"document_id":"d","status":"ok"}`},
		{"define_role", agentswitch.RoleChange{Status: agentswitch.RoleDefined, Name: "r"}, `{"status":"defined","name":"r"}`},
		{"assume_role", agentswitch.AssumedRole{Role: "r", Instructions: "i"}, `{"role":"r","instructions":"i"}`},
		{"release_role", agentswitch.ReleasedRole{Status: agentswitch.RoleReleased}, `{"status":"released"}`},
		{
			"delegate_task",
			agentswitch.DelegateTaskAnswer{TaskID: "t", Status: agentswitch.TaskPending, TargetStatus: agentswitch.StatusDormant},
			`{"task_id":"t","status":"pending","target_status":"dormant"}`,
		},
		{"accept_task", agentswitch.AcceptTaskAnswer{Status: agentswitch.TaskOngoing, AcceptedAt: "x"}, `{"status":"ongoing","accepted_at":"x"}`},
		{"update_task", agentswitch.UpdateTaskAnswer{Status: agentswitch.TaskUpdated, UpdatesCount: 2}, `{"status":"updated","updates_count":2}`},
		{"finalise_task", agentswitch.FinaliseTaskAnswer{Status: agentswitch.TaskFinalised, FinalisedAt: "x"}, `{"status":"finalised","finalised_at":"x"}`},
		{"cancel_task", agentswitch.CancelTaskAnswer{Status: agentswitch.TaskCancelled, Reason: "r"}, `{"status":"cancelled","reason":"r"}`},
		{
			"list_bridges",
			agentswitch.Bridge{ID: "b", Status: agentswitch.BridgeActive},
			`{"id":"b","type":"","display_name":"","status":"active","is_default":false,"can_create_channels":false}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := strictjson.Marshal(tt.in)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
		})
	}
}
