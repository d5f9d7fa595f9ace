package agentswitch_test

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// refusals checks that each body is refused with 422 and names the fault.
func refusals[T any](t *testing.T, parse func([]byte) (T, error), cases map[string]string) {
	t.Helper()
	for in, want := range cases {
		_, err := parse([]byte(in))
		require.Error(t, err, in)
		require.Equal(t, 422, status(t, err), in)
		require.Contains(t, body(t, err), want, in)
	}
	_, err := parse(nil)
	require.Equal(t, 422, status(t, err))
	_, err = parse([]byte(`[]`))
	require.Equal(t, 422, status(t, err))
}

func TestParseRuntimeState(t *testing.T) {
	got, err := agentswitch.ParseRuntimeState([]byte(`{"room_id":"r","state":"awaiting-input","thread_id":"t","anchor_event_id":"m","deeplink_url":"switchdash://x",
		"detail":"reads","control_capabilities":{"reset":true,"interrupt":1}}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.RuntimeState{
		RoomID: "r", State: agentswitch.RuntimeAwaitingInput, ThreadID: ptr("t"), AnchorEventID: ptr("m"), DeeplinkURL: ptr("switchdash://x"), Detail: ptr("reads"),
		ControlCapabilities: &agentswitch.ControlCapabilities{Reset: true, Interrupt: true},
	}, got)
	got, err = agentswitch.ParseRuntimeState([]byte(`{"room_id":"r","state":"idle","deeplink_url":null,"control_capabilities":null}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.RuntimeState{RoomID: "r", State: agentswitch.RuntimeIdle}, got)

	refusals(t, agentswitch.ParseRuntimeState, map[string]string{
		`{"room_id":"r"}`: `"type":"missing","loc":["body","state"]`,
		`{"room_id":"r","state":"asleep"}`: `{"detail":[{"type":"literal_error","loc":["body","state"],"msg":"Input should be 'working', 'awaiting-input' or 'idle'",` +
			`"input":"asleep","ctx":{"expected":"'working', 'awaiting-input' or 'idle'"}}]}`,
		`{"room_id":"r","state":"idle","control_capabilities":[]}`:            `"loc":["body","control_capabilities"]`,
		`{"room_id":"r","state":"idle","control_capabilities":{"reset":"x"}}`: `"type":"bool_parsing","loc":["body","control_capabilities","reset"]`,
		`{"room_id":"r","state":"idle","detail":5}`:                           `"loc":["body","detail"]`,
	})
}

func TestParseStatusReport(t *testing.T) {
	got, err := agentswitch.ParseStatusReport([]byte(`{"room_id":"r","presence":"online","status":"busy","detail":""}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.StatusReport{RoomID: "r", Presence: ptr("online"), Status: ptr("busy"), Detail: ptr("")}, got)
	got, err = agentswitch.ParseStatusReport([]byte(`{"room_id":"r","presence":null}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.StatusReport{RoomID: "r"}, got)
	refusals(t, agentswitch.ParseStatusReport, map[string]string{
		`{}`:                              `"loc":["body","room_id"]`,
		`{"room_id":"r","presence":"up"}`: `"msg":"Input should be 'online' or 'offline'"`,
		`{"room_id":"r","presence":5}`:    `"type":"literal_error"`,
		`{"room_id":"r","status":[]}`:     `"loc":["body","status"]`,
	})
}

func TestParseRenewRequest(t *testing.T) {
	got, err := agentswitch.ParseRenewRequest([]byte(`{"room_id":"r"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.RenewRequest{RoomID: "r"}, got)
	refusals(t, agentswitch.ParseRenewRequest, map[string]string{`{}`: `"loc":["body","room_id"]`})
}

func TestParseMediation(t *testing.T) {
	tool, err := agentswitch.ParsePreToolCall([]byte(`{"room_id":"r","tool_name":"Bash","arguments":{"command":"ls"},"request_id":"q"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.PreToolCall{RoomID: "r", ToolName: "Bash", Arguments: json.RawMessage(`{"command":"ls"}`), RequestID: "q"}, tool)
	refusals(t, agentswitch.ParsePreToolCall, map[string]string{
		`{"room_id":"r","tool_name":"Bash","request_id":"q"}`:                  `"type":"missing","loc":["body","arguments"]`,
		`{"room_id":"r","tool_name":"Bash","arguments":"ls","request_id":"q"}`: `"type":"dict_type","loc":["body","arguments"]`,
		`{"room_id":"r","tool_name":"Bash","arguments":{}}`:                    `"loc":["body","request_id"]`,
	})

	llm, err := agentswitch.ParsePreLLMRequest([]byte(`{"room_id":"r","model":"m","messages":[{"role":"user"},"x"],"request_id":"q"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.PreLLMRequest{
		RoomID: "r", Model: "m", Messages: agentswitch.List[json.RawMessage]{json.RawMessage(`{"role":"user"}`), json.RawMessage(`"x"`)}, RequestID: "q",
	}, llm)
	refusals(t, agentswitch.ParsePreLLMRequest, map[string]string{
		`{"room_id":"r","model":"m","messages":{},"request_id":"q"}`: `"type":"list_type","loc":["body","messages"]`,
		`{"room_id":"r","model":"m","request_id":"q"}`:               `"type":"missing","loc":["body","messages"]`,
	})

	result, err := agentswitch.ParsePostToolResult([]byte(`{"room_id":"r","tool_name":"Bash","result":null,"request_id":"q"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.PostToolResult{RoomID: "r", ToolName: "Bash", Result: json.RawMessage(`null`), RequestID: "q"}, result)
	refusals(t, agentswitch.ParsePostToolResult, map[string]string{
		`{"room_id":"r","tool_name":"Bash","request_id":"q"}`: `"type":"missing","loc":["body","result"]`,
	})

	response, err := agentswitch.ParsePostLLMResponse([]byte(`{"room_id":"r","model":"m","response":[1],"usage":{"tokens":5},"request_id":"q"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.PostLLMResponse{
		RoomID: "r", Model: "m", Response: json.RawMessage(`[1]`), Usage: json.RawMessage(`{"tokens":5}`), RequestID: "q",
	}, response)
	response, err = agentswitch.ParsePostLLMResponse([]byte(`{"room_id":"r","model":"m","response":"x","usage":null,"request_id":"q"}`))
	require.NoError(t, err)
	require.Nil(t, response.Usage)
	refusals(t, agentswitch.ParsePostLLMResponse, map[string]string{
		`{"room_id":"r","model":"m","request_id":"q"}`:                         `"type":"missing","loc":["body","response"]`,
		`{"room_id":"r","model":"m","response":1,"usage":[],"request_id":"q"}`: `"type":"dict_type","loc":["body","usage"]`,
	})
}

func TestParseEventReport(t *testing.T) {
	got, err := agentswitch.ParseEventReport([]byte(`{"room_id":"r","events":[
		{"type":"tool_call","tool_name":"Bash","arguments":{"a":1},"result":"ok","request_id":"q1","timestamp":"2026-01-31T12:00:00Z","duration_ms":12.5,"cost":null},
		{"type":"llm_call","model":"m","messages":[],"response":null,"request_id":"q2","timestamp":1790000000.5,"usage":{"in":3},"duration_ms":"7","cost":0.25}]}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.EventReport{RoomID: "r", Events: agentswitch.List[agentswitch.ReportedEvent]{
		agentswitch.ToolCallReport{
			ToolName: "Bash", Arguments: json.RawMessage(`{"a":1}`), Result: json.RawMessage(`"ok"`), RequestID: "q1",
			CallFacts: agentswitch.CallFacts{Timestamp: json.RawMessage(`"2026-01-31T12:00:00Z"`), DurationMS: ptr(12.5)},
		},
		agentswitch.LLMCallReport{
			Model: "m", Messages: agentswitch.List[json.RawMessage]{}, Response: json.RawMessage(`null`), RequestID: "q2", Usage: json.RawMessage(`{"in":3}`),
			CallFacts: agentswitch.CallFacts{Timestamp: json.RawMessage(`1790000000.5`), DurationMS: ptr(7.0), Cost: json.RawMessage(`0.25`)},
		},
	}}, got)
	require.Equal(t, "tool_call", got.Events[0].ReportType())
	require.Equal(t, "llm_call", got.Events[1].ReportType())

	one := func(event string) string { return `{"room_id":"r","events":[{},` + event + `]}` }
	refusals(t, agentswitch.ParseEventReport, map[string]string{
		`{"room_id":"r"}`:                `"type":"missing","loc":["body","events"]`,
		`{"room_id":"r","events":{}}`:    `"type":"list_type"`,
		`{"room_id":"r","events":["x"]}`: `"type":"model_attributes_type","loc":["body","events",0]`,
		one(`{"type":"novel"}`):          `"type":"literal_error","loc":["body","events",1,"type"],"msg":"Input should be 'tool_call' or 'llm_call'"`,
		one(`{}`):                        `"type":"missing","loc":["body","events",1,"type"]`,
		one(`{"type":"tool_call","tool_name":"x","arguments":{},"result":1,"request_id":"q"}`):                                        `"loc":["body","events",1,"timestamp"]`,
		one(`{"type":"tool_call","tool_name":"x","arguments":{},"result":1,"request_id":"q","timestamp":{}}`):                         `"loc":["body","events",1,"timestamp"]`,
		one(`{"type":"tool_call","tool_name":"x","arguments":{},"result":1,"request_id":"q","timestamp":1,"duration_ms":"soon"}`):     `"type":"float_parsing"`,
		one(`{"type":"tool_call","tool_name":"x","arguments":{},"result":1,"request_id":"q","timestamp":1,"duration_ms":[]}`):         `"type":"float_type"`,
		one(`{"type":"tool_call","tool_name":"x","arguments":{},"result":1,"request_id":"q","timestamp":1,"duration_ms":"Infinity"}`): `"type":"float_parsing"`,
		one(`{"type":"llm_call","model":"m","messages":[],"request_id":"q","timestamp":1}`):                                           `"loc":["body","events",1,"response"]`,
	})
}

func TestParseTaskRequests(t *testing.T) {
	delegate, err := agentswitch.ParseDelegateTask([]byte(`{"room_id":"r","performer_agent_id":"a","summary":"s","description":"d"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.DelegateTaskRequest{RoomID: "r", PerformerAgentID: "a", Summary: "s", Description: "d"}, delegate)
	refusals(t, agentswitch.ParseDelegateTask, map[string]string{`{"room_id":"r","performer_agent_id":"a","summary":"s"}`: `"loc":["body","description"]`})

	accept, err := agentswitch.ParseAcceptTask([]byte(`{"task_id":"t"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.AcceptTaskRequest{TaskID: "t"}, accept)
	refusals(t, agentswitch.ParseAcceptTask, map[string]string{`{"task_id":5}`: `"type":"string_type","loc":["body","task_id"]`})

	upd, err := agentswitch.ParseUpdateTask([]byte(`{"task_id":"t","update":"u"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.UpdateTaskRequest{TaskID: "t", Update: "u"}, upd)
	refusals(t, agentswitch.ParseUpdateTask, map[string]string{`{"task_id":"t"}`: `"loc":["body","update"]`})

	finalise, err := agentswitch.ParseFinaliseTask([]byte(`{"task_id":"t","outcome":"o"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.FinaliseTaskRequest{TaskID: "t", Outcome: "o"}, finalise)
	refusals(t, agentswitch.ParseFinaliseTask, map[string]string{`{"task_id":"t"}`: `"loc":["body","outcome"]`})

	cancel, err := agentswitch.ParseCancelTask([]byte(`{"task_id":"t","reason":"r"}`))
	require.NoError(t, err)
	require.Equal(t, agentswitch.CancelTaskRequest{TaskID: "t", Reason: "r"}, cancel)
	refusals(t, agentswitch.ParseCancelTask, map[string]string{`{"task_id":"t"}`: `"loc":["body","reason"]`})

	query, err := agentswitch.ParseTaskQuery(url.Values{"room_id": {"r"}, "role": {"assigned"}, "status": {"pending"}})
	require.NoError(t, err)
	require.Equal(t, agentswitch.TaskQuery{RoomID: "r", Role: agentswitch.TaskAssigned, Status: "pending"}, query)
	query, err = agentswitch.ParseTaskQuery(url.Values{"role": {""}})
	require.NoError(t, err)
	require.Equal(t, agentswitch.TaskQuery{}, query)
	_, err = agentswitch.ParseTaskQuery(url.Values{"role": {"boss"}})
	require.Equal(t, 422, status(t, err))
	require.Equal(t, `{"detail":[{"type":"literal_error","loc":["query","role"],"msg":"Input should be 'delegated' or 'assigned'","input":"boss",`+
		`"ctx":{"expected":"'delegated' or 'assigned'"}}]}`, body(t, err))
}

func TestParseMediaQuery(t *testing.T) {
	mxc, err := agentswitch.ParseMediaQuery(url.Values{"mxc": {"mxc://s/1"}})
	require.NoError(t, err)
	require.Equal(t, "mxc://s/1", mxc)
	_, err = agentswitch.ParseMediaQuery(url.Values{})
	require.Equal(t, 422, status(t, err))
	require.Equal(t, `{"detail":[{"type":"missing","loc":["query","mxc"],"msg":"Field required","input":null}]}`, body(t, err))
}
