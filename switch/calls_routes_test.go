package agentswitch_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

func TestCallsOfRoutes(t *testing.T) {
	ctx := context.Background()
	at := time.Date(2026, 1, 31, 14, 0, 0, 5e8, time.FixedZone("", 7200))
	tests := []struct {
		name   string
		status int
		answer string
		call   func(c *agentswitch.Client) (any, error)
		want   any
		method string
		uri    string
		body   string
		token  string
	}{
		{
			"version", 200, `{"version":"0.19.0","contracts":{"agent-protocol":{"speaks":1,"accepts":1}}}`,
			func(c *agentswitch.Client) (any, error) { return c.Version(ctx) },
			agentswitch.NewServerInfo("0.19.0", agentswitch.Range{Speaks: 1, Accepts: 1}),
			"GET", "/version", "", "key-1",
		},
		{
			"register in full", 200, `{"id":"a-9","api_key":"new"}`,
			func(c *agentswitch.Client) (any, error) {
				return c.RegisterFull(ctx, "token", agentswitch.FullRegistration{
					Name: "n", Description: "d", ConnectorType: "c", Profile: agentswitch.IntegrationProfile{ConnectionModel: agentswitch.ModelAlwaysOn},
				})
			},
			agentswitch.RegisterAnswer{ID: "a-9", APIKey: "new"},
			"POST", "/agents", `{"name":"n","description":"d","connector_type":"c","integration_profile":{"connection_model":"always_on","message_exchange":false,` +
				`"pre_invocation_mediation":[],"post_invocation_mediation":[],"event_reporting":[],"task_protocol":{"can_delegate":false,"can_accept":false},` +
				`"command_capabilities":{"reset":"unsupported","compact":"unsupported","interrupt":"unsupported"}}}`, "token",
		},
		{
			"register in bulk", 200, `{"results":[{"subagent_name":"s","name":"p.s","id":"a-9","api_key":"new"}]}`,
			func(c *agentswitch.Client) (any, error) {
				return c.RegisterBulk(ctx, "token", agentswitch.BulkRegistration{
					AgentType: "codex", ParentAgentID: "p", Subagents: agentswitch.List[agentswitch.Subagent]{{Name: "s", Description: "d"}},
				})
			},
			agentswitch.BulkAnswer{Results: agentswitch.List[agentswitch.BulkResult]{{SubagentName: "s", Name: "p.s", ID: "a-9", APIKey: "new"}}},
			"POST", "/agents/register-known-bulk", `{"agent_type":"codex","parent_agent_id":"p","subagents":[{"subagent_name":"s","description":"d"}]}`, "token",
		},
		{
			"patch", 200, `{"ok":true}`,
			func(c *agentswitch.Client) (any, error) {
				return nil, c.PatchAgent(ctx, agentswitch.AgentPatch{Description: ptr("d"), Metadata: map[string]json.RawMessage{}})
			},
			nil, "PATCH", "/agents/a%2F1", `{"description":"d","metadata":{}}`, "key-1",
		},
		{
			"patch the profile", 200, `{"ok":true}`,
			func(c *agentswitch.Client) (any, error) {
				profile := agentswitch.IntegrationProfile{ConnectionModel: agentswitch.ModelAutoSession}
				err := c.PatchAgent(ctx, agentswitch.AgentPatch{Profile: &profile})
				return profile.CommandCapabilities.Reset, err
			},
			"", "PATCH", "/agents/a%2F1", `{"integration_profile":{"connection_model":"auto_session","message_exchange":false,` +
				`"pre_invocation_mediation":[],"post_invocation_mediation":[],"event_reporting":[],"task_protocol":{"can_delegate":false,"can_accept":false},` +
				`"command_capabilities":{"reset":"unsupported","compact":"unsupported","interrupt":"unsupported"}}}`, "key-1",
		},
		{
			"delete", 200, `{"ok":true}`,
			func(c *agentswitch.Client) (any, error) { return nil, c.DeleteAgent(ctx) },
			nil, "DELETE", "/agents/a%2F1", "", "key-1",
		},
		{
			"renew lease", 200, `{"ok":true,"held":true}`,
			func(c *agentswitch.Client) (any, error) { return c.RenewLease(ctx) },
			agentswitch.LeaseAnswer{OK: true, Held: true},
			"POST", "/agents/a%2F1/leases/renew", "", "key-1",
		},
		{
			"renew presence", 200, `{"ok":true}`,
			func(c *agentswitch.Client) (any, error) { return nil, c.RenewPresence(ctx, "r") },
			nil, "POST", "/agents/a%2F1/connection/renew", `{"room_id":"r"}`, "key-1",
		},
		{
			"watch heartbeat", 200, `{"ok":true}`,
			func(c *agentswitch.Client) (any, error) { return nil, c.WatchHeartbeat(ctx) },
			nil, "POST", "/agents/a%2F1/watch/heartbeat", "", "key-1",
		},
		{
			"status", 200, `{"ok":true}`,
			func(c *agentswitch.Client) (any, error) {
				return nil, c.ReportStatus(ctx, agentswitch.StatusReport{RoomID: "r", Presence: ptr(agentswitch.PresenceOffline)})
			},
			nil, "POST", "/agents/a%2F1/status", `{"room_id":"r","presence":"offline"}`, "key-1",
		},
		{
			"runtime state", 200, `{"ok":true}`,
			func(c *agentswitch.Client) (any, error) {
				return nil, c.ReportRuntimeState(ctx, agentswitch.RuntimeState{
					RoomID: "r", State: agentswitch.RuntimeWorking, ControlCapabilities: &agentswitch.ControlCapabilities{Reset: true},
				})
			},
			nil, "POST", "/agents/a%2F1/runtime-state", `{"room_id":"r","state":"working","control_capabilities":{"reset":true,"compact":false,"interrupt":false}}`, "key-1",
		},
		{
			"report events", 202, ``,
			func(c *agentswitch.Client) (any, error) {
				return nil, c.ReportEvents(ctx, agentswitch.EventReport{RoomID: "r", Events: agentswitch.List[agentswitch.ReportedEvent]{
					agentswitch.ToolCallReport{ToolName: "t", Arguments: []byte(`{}`), RequestID: "q", CallFacts: agentswitch.CallFacts{Timestamp: []byte(`5`)}},
				}})
			},
			nil, "POST", "/agents/a%2F1/events/report", `{"room_id":"r","events":[{"type":"tool_call","tool_name":"t","arguments":{},"result":null,"request_id":"q","timestamp":5}]}`, "key-1",
		},
		{
			"history", 200, `{"events":[{"sender":"s","sender_name":"n","body":"b","timestamp":null}],"has_more":true}`,
			func(c *agentswitch.Client) (any, error) {
				return c.History(ctx, "r/1", agentswitch.HistoryQuery{Since: &at, Before: &at, Limit: 7})
			},
			agentswitch.HistoryAnswer{Events: agentswitch.List[agentswitch.HistoryEvent]{{Sender: "s", SenderName: "n", Body: "b"}}, HasMore: true},
			"GET", "/agents/a%2F1/rooms/r%2F1/history?before=2026-01-31T12%3A00%3A00.5Z&limit=7&since=2026-01-31T12%3A00%3A00.5Z", "", "key-1",
		},
		{
			"history of the newest", 200, `{"events":[],"has_more":false}`,
			func(c *agentswitch.Client) (any, error) { return c.History(ctx, "r", agentswitch.HistoryQuery{}) },
			agentswitch.HistoryAnswer{Events: agentswitch.List[agentswitch.HistoryEvent]{}},
			"GET", "/agents/a%2F1/rooms/r/history", "", "key-1",
		},
		{
			"participants", 200, `{"participants":[{"type":"agent","agent_id":"a","name":"n","status":"live"},{"type":"user","agent_id":null,"name":"u","status":null}]}`,
			func(c *agentswitch.Client) (any, error) { return c.Participants(ctx, "r/1") },
			agentswitch.ParticipantsAnswer{Participants: agentswitch.List[agentswitch.RoomParticipant]{
				{Type: "agent", AgentID: ptr("a"), Name: "n", Status: ptr(agentswitch.StatusLive)}, {Type: "user", Name: "u"},
			}},
			"GET", "/agents/rooms/r%2F1/participants", "", "key-1",
		},
		{
			"poll events", 200, `{"events":[{"type":"room_join","room_id":"r","bridge_id":null,"channel_type":null,"payload":{"member":"m","member_name":"n","timestamp":1,"listening":true}}]}`,
			func(c *agentswitch.Client) (any, error) { return c.PollEvents(ctx, 2500*time.Millisecond) },
			[]agentswitch.Event{{RoomID: "r", Payload: agentswitch.RoomJoin{Member: "m", MemberName: "n", Timestamp: 1, Listening: true}}},
			"GET", "/agents/a%2F1/events?timeout=2.5", "", "key-1",
		},
		{
			"poll notifications in vain", 204, ``,
			func(c *agentswitch.Client) (any, error) { return c.PollNotifications(ctx, -time.Second) },
			[]agentswitch.Event(nil), "GET", "/agents/a%2F1/notifications?timeout=0", "", "key-1",
		},
		{
			"poll room", 200, `{"events":[]}`,
			func(c *agentswitch.Client) (any, error) { return c.PollRoom(ctx, "r", 10*time.Second) },
			[]agentswitch.Event{},
			"GET", "/agents/a%2F1/rooms/r/events?timeout=10", "", "key-1",
		},
		{
			"mediate tool call", 200, `{"verdict":"blocked","reason":"no","modified_arguments":null}`,
			func(c *agentswitch.Client) (any, error) {
				return c.Mediation().PreToolCall(ctx, agentswitch.PreToolCall{RoomID: "r", ToolName: "t", Arguments: []byte(`{"a":1}`), RequestID: "q"})
			},
			agentswitch.ToolCallVerdict{Verdict: agentswitch.VerdictBlocked, Reason: ptr("no"), ModifiedArguments: []byte("null")},
			"POST", "/agents/a%2F1/mediation/pre-tool-call", `{"room_id":"r","tool_name":"t","arguments":{"a":1},"request_id":"q"}`, "key-1",
		},
		{
			"mediate model call", 200, `{"verdict":"modified","reason":null,"modified_messages":[1]}`,
			func(c *agentswitch.Client) (any, error) {
				return c.Mediation().PreLLMRequest(ctx, agentswitch.PreLLMRequest{RoomID: "r", Model: "m", RequestID: "q"})
			},
			agentswitch.LLMRequestVerdict{Verdict: agentswitch.VerdictModified, ModifiedMessages: []byte("[1]")},
			"POST", "/agents/a%2F1/mediation/pre-llm-request", `{"room_id":"r","model":"m","messages":[],"request_id":"q"}`, "key-1",
		},
		{
			"mediate tool result", 200, `{"verdict":"ok","reason":null,"result":null}`,
			func(c *agentswitch.Client) (any, error) {
				return c.Mediation().PostToolResult(ctx, agentswitch.PostToolResult{RoomID: "r", ToolName: "t", RequestID: "q"})
			},
			agentswitch.ResultVerdict{Verdict: agentswitch.VerdictOK, Result: []byte("null")},
			"POST", "/agents/a%2F1/mediation/post-tool-result", `{"room_id":"r","tool_name":"t","result":null,"request_id":"q"}`, "key-1",
		},
		{
			"mediate model response", 200, `{"verdict":"redacted","reason":"r","result":"***"}`,
			func(c *agentswitch.Client) (any, error) {
				return c.Mediation().PostLLMResponse(ctx, agentswitch.PostLLMResponse{RoomID: "r", Model: "m", Response: []byte(`"x"`), Usage: []byte(`{}`), RequestID: "q"})
			},
			agentswitch.ResultVerdict{Verdict: agentswitch.VerdictRedacted, Reason: ptr("r"), Result: []byte(`"***"`)},
			"POST", "/agents/a%2F1/mediation/post-llm-response", `{"room_id":"r","model":"m","response":"x","usage":{},"request_id":"q"}`, "key-1",
		},
		{
			"delegate task", 200, `{"task":{"id":"t"},"target_status":"live"}`,
			func(c *agentswitch.Client) (any, error) {
				return c.Tasks().Delegate(ctx, agentswitch.DelegateTaskRequest{RoomID: "r", PerformerAgentID: "a", Summary: "s", Description: "d"})
			},
			agentswitch.DelegatedTask{Task: agentswitch.Task{ID: "t"}, TargetStatus: agentswitch.StatusLive},
			"POST", "/agents/a%2F1/tasks/delegate", `{"room_id":"r","performer_agent_id":"a","summary":"s","description":"d"}`, "key-1",
		},
		{
			"accept task", 200, `{"id":"t","status":"ongoing"}`,
			func(c *agentswitch.Client) (any, error) { return c.Tasks().Accept(ctx, "t") },
			agentswitch.Task{ID: "t", Status: agentswitch.TaskOngoing},
			"POST", "/agents/a%2F1/tasks/accept", `{"task_id":"t"}`, "key-1",
		},
		{
			"update task", 200, `{"id":"t","updates":["u"]}`,
			func(c *agentswitch.Client) (any, error) { return c.Tasks().Update(ctx, "t", "u") },
			agentswitch.Task{ID: "t", Updates: agentswitch.List[string]{"u"}},
			"POST", "/agents/a%2F1/tasks/update", `{"task_id":"t","update":"u"}`, "key-1",
		},
		{
			"finalise task", 200, `{"id":"t","outcome":"o"}`,
			func(c *agentswitch.Client) (any, error) { return c.Tasks().Finalise(ctx, "t", "o") },
			agentswitch.Task{ID: "t", Outcome: ptr("o")},
			"POST", "/agents/a%2F1/tasks/finalise", `{"task_id":"t","outcome":"o"}`, "key-1",
		},
		{
			"cancel task", 200, `{"id":"t"}`,
			func(c *agentswitch.Client) (any, error) { return c.Tasks().Cancel(ctx, "t", "why") },
			agentswitch.Task{ID: "t"},
			"POST", "/agents/a%2F1/tasks/cancel", `{"task_id":"t","reason":"why"}`, "key-1",
		},
		{
			"list tasks", 200, `{"tasks":[{"id":"t"}]}`,
			func(c *agentswitch.Client) (any, error) {
				return c.Tasks().List(ctx, agentswitch.TaskQuery{RoomID: "r", Role: agentswitch.TaskDelegated})
			},
			agentswitch.TasksAnswer{Tasks: agentswitch.List[agentswitch.Task]{{ID: "t"}}},
			"GET", "/agents/a%2F1/tasks?role=delegated&room_id=r", "", "key-1",
		},
		{
			"get task", 200, `{"id":"t/1"}`,
			func(c *agentswitch.Client) (any, error) { return c.Tasks().Get(ctx, "t/1") },
			agentswitch.Task{ID: "t/1"},
			"GET", "/agents/a%2F1/tasks/t%2F1", "", "key-1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, sent := routeRecorder(t, tt.status, tt.answer)
			got, err := tt.call(client)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			want := sentRequest{method: tt.method, uri: "/prefix" + tt.uri, token: "Bearer " + tt.token, body: tt.body}
			if tt.body != "" {
				want.contentType = "application/json"
			}
			require.Equal(t, want, *sent)

			refusing, _ := routeRecorder(t, 418, `{"detail":"short and stout"}`)
			_, err = tt.call(refusing)
			var refused *agentswitch.DetailError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, agentswitch.Refuse(418, "short and stout"), refused)
		})
	}
}

type sentRequest struct{ method, uri, token, contentType, body string }

func routeRecorder(t *testing.T, status int, answer string) (*agentswitch.Client, *sentRequest) {
	t.Helper()
	last := &sentRequest{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*last = sentRequest{r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body)}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	client, err := agentswitch.NewClient(agentswitch.Options{
		BaseURL: srv.URL + "/prefix", AgentID: "a/1", APIKey: "key-1", HTTPClient: &http.Client{Transport: transport}, MaxAnswerBytes: 4096,
	})
	require.NoError(t, err)
	return client, last
}
