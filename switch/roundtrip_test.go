package agentswitch_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// comesBack shows that what a client writes a server reads as the same value.
func comesBack[T any](t *rapid.T, in T, parse func([]byte) (T, error)) {
	data, err := strictjson.Marshal(in)
	require.NoError(t, err)
	out, err := parse(data)
	require.NoError(t, err, "%s", data)
	require.Equal(t, in, out, "%s", data)
}

func optional[T any](g *rapid.Generator[T]) *rapid.Generator[*T] { return rapid.Ptr(g, true) }

var (
	text   = rapid.StringMatching(`[ -~äö€😀]{0,12}`)
	object = rapid.SampledFrom([]json.RawMessage{json.RawMessage(`{}`), json.RawMessage(`{"a":[1,null,"x"]}`)})
	value  = rapid.SampledFrom([]json.RawMessage{json.RawMessage(`null`), json.RawMessage(`"x"`), json.RawMessage(`[1.5,{}]`), json.RawMessage(`{"b":true}`)})
	// option is object or none, which is nil.
	option = rapid.OneOf(object, rapid.Just(json.RawMessage(nil)))
)

func profiles(t *rapid.T) agentswitch.IntegrationProfile {
	texts := rapid.Map(rapid.SliceOfN(text, 0, 3), func(s []string) agentswitch.List[string] { return append(agentswitch.List[string]{}, s...) })
	capability := rapid.SampledFrom([]string{"unsupported", "always", "session_dependent"})
	return agentswitch.IntegrationProfile{
		ConnectionModel: rapid.SampledFrom([]agentswitch.ConnectionModel{
			agentswitch.ModelAlwaysOn, agentswitch.ModelSessionAddressable, agentswitch.ModelSessionPassive, agentswitch.ModelAutoSession,
		}).Draw(t, "model"),
		MessageExchange:        rapid.Bool().Draw(t, "exchange"),
		PreInvocationMediation: texts.Draw(t, "pre"), PostInvocationMediation: texts.Draw(t, "post"), EventReporting: texts.Draw(t, "events"),
		TaskProtocol: agentswitch.TaskProtocol{CanDelegate: rapid.Bool().Draw(t, "delegate"), CanAccept: rapid.Bool().Draw(t, "accept")},
		CommandCapabilities: agentswitch.CommandCapabilities{
			Reset: capability.Draw(t, "reset"), Compact: capability.Draw(t, "compact"), Interrupt: capability.Draw(t, "interrupt"),
		},
	}
}

func TestRegistrationsComeBack(t *testing.T) {
	name := rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		full := agentswitch.FullRegistration{
			Name: name.Draw(t, "name"), Description: text.Draw(t, "description"), ConnectorType: text.Draw(t, "connector"), Profile: profiles(t),
			IconURL: optional(rapid.Just("https://example.org/i.png")).Draw(t, "icon"), Overwrite: rapid.Bool().Draw(t, "overwrite"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "tools") {
			full.Tools = append(full.Tools, agentswitch.Tool{Name: text.Draw(t, "tool"), Description: text.Draw(t, "about"), Parameters: option.Draw(t, "parameters")})
			full.Models = append(full.Models, agentswitch.NamedText{Name: text.Draw(t, "model"), Description: text.Draw(t, "about")})
			full.Metadata = map[string]json.RawMessage{text.Draw(t, "key"): value.Draw(t, "value")}
		}
		comesBack(t, full, agentswitch.ParseFullRegistration)

		patch := agentswitch.AgentPatch{Description: optional(text).Draw(t, "new description")}
		if rapid.Bool().Draw(t, "patch profile") {
			profile := profiles(t)
			patch.Profile = &profile
		}
		if rapid.Bool().Draw(t, "patch metadata") {
			patch.Metadata = map[string]json.RawMessage{}
		}
		comesBack(t, patch, agentswitch.ParseAgentPatch)

		bulk := agentswitch.BulkRegistration{
			AgentType: agentswitch.AgentTypeCodex, ParentAgentID: text.Draw(t, "parent"), Overwrite: rapid.Bool().Draw(t, "overwrite"),
		}
		for _, sub := range rapid.SliceOfNDistinct(name, 1, 4, rapid.ID).Draw(t, "subagents") {
			bulk.Subagents = append(bulk.Subagents, agentswitch.Subagent{Name: sub, Description: text.Draw(t, "about")})
		}
		comesBack(t, bulk, agentswitch.ParseBulkRegistration)
	})
}

func TestRoomRequestsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := agentswitch.RuntimeState{
			RoomID: text.Draw(t, "room"), State: rapid.SampledFrom([]string{"working", "awaiting-input", "idle"}).Draw(t, "state"),
			ThreadID: optional(text).Draw(t, "thread"), AnchorEventID: optional(text).Draw(t, "anchor"),
			DeeplinkURL: optional(text).Draw(t, "deeplink"), Detail: optional(text).Draw(t, "detail"),
		}
		if rapid.Bool().Draw(t, "capabilities") {
			state.ControlCapabilities = &agentswitch.ControlCapabilities{Compact: rapid.Bool().Draw(t, "compact")}
		}
		comesBack(t, state, agentswitch.ParseRuntimeState)
		comesBack(t, agentswitch.StatusReport{
			RoomID: text.Draw(t, "room"), Presence: optional(rapid.SampledFrom([]string{"online", "offline"})).Draw(t, "presence"), Detail: optional(text).Draw(t, "detail"),
		}, agentswitch.ParseStatusReport)
		comesBack(t, agentswitch.PreToolCall{RoomID: text.Draw(t, "room"), Arguments: object.Draw(t, "arguments")}, agentswitch.ParsePreToolCall)
		comesBack(t, agentswitch.PreLLMRequest{Model: text.Draw(t, "model"), Messages: append(agentswitch.List[json.RawMessage]{}, value.Draw(t, "message"))}, agentswitch.ParsePreLLMRequest)
		comesBack(t, agentswitch.PostToolResult{ToolName: text.Draw(t, "tool"), Result: value.Draw(t, "result")}, agentswitch.ParsePostToolResult)
		comesBack(t, agentswitch.PostLLMResponse{Response: value.Draw(t, "response"), Usage: option.Draw(t, "usage")}, agentswitch.ParsePostLLMResponse)
		comesBack(t, agentswitch.DelegateTaskRequest{RoomID: text.Draw(t, "room"), Summary: text.Draw(t, "summary")}, agentswitch.ParseDelegateTask)
	})
}

func TestEventReportsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		report := agentswitch.EventReport{RoomID: text.Draw(t, "room"), Events: agentswitch.List[agentswitch.ReportedEvent]{}}
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			facts := agentswitch.CallFacts{
				Timestamp:  rapid.SampledFrom([]json.RawMessage{json.RawMessage(`5`), json.RawMessage(`"2026-01-31"`)}).Draw(t, "timestamp"),
				DurationMS: optional(rapid.Float64Range(0, 1e6)).Draw(t, "duration"),
				Cost:       rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`0.5`), json.RawMessage(`{"usd":1}`)}).Draw(t, "cost"),
			}
			if rapid.Bool().Draw(t, "tool") {
				report.Events = append(report.Events, agentswitch.ToolCallReport{
					ToolName: text.Draw(t, "name"), Arguments: object.Draw(t, "arguments"), Result: value.Draw(t, "result"), RequestID: text.Draw(t, "request"), CallFacts: facts,
				})
				continue
			}
			report.Events = append(report.Events, agentswitch.LLMCallReport{
				Model: text.Draw(t, "name"), Messages: append(agentswitch.List[json.RawMessage]{}, value.Draw(t, "message")), Response: value.Draw(t, "response"),
				RequestID: text.Draw(t, "request"), Usage: option.Draw(t, "usage"), CallFacts: facts,
			})
		}
		comesBack(t, report, agentswitch.ParseEventReport)
	})
}

func TestPollAnswersComeBack(t *testing.T) {
	in := agentswitch.PollAnswer{Events: []agentswitch.Event{
		{RoomID: "r", ChannelType: ptr("group"), Payload: agentswitch.RoomJoin{Member: "m", Listening: true}},
		{RoomID: "r", Payload: agentswitch.Unknown{Type: "novel", Raw: []byte(`{"x":1}`)}},
	}}
	data, err := strictjson.Marshal(in)
	require.NoError(t, err)
	require.Equal(t, `{"events":[{"type":"room_join","room_id":"r","bridge_id":null,"channel_type":"group","payload":{"member":"m","member_name":"","timestamp":0,"listening":true}},`+
		`{"type":"novel","room_id":"r","bridge_id":null,"channel_type":null,"payload":{"x":1}}]}`, string(data))
	var out agentswitch.PollAnswer
	require.NoError(t, strictjson.Unmarshal(data, &out))
	require.Equal(t, in, out)

	data, err = strictjson.Marshal(agentswitch.PollAnswer{})
	require.NoError(t, err)
	require.Equal(t, `{"events":[]}`, string(data))
	for _, bad := range []string{`{"events":{}}`, `{"events":[5]}`, `{"events":[{"type":"message","payload":[]}]}`, `[]`} {
		require.Error(t, strictjson.Unmarshal([]byte(bad), &out), bad)
	}
}

func FuzzPollAnswer(f *testing.F) {
	f.Add([]byte(`{"events":[{"type":"message","room_id":"r","bridge_id":null,"channel_type":"group","payload":{"addressed":true,"attachments":[]}}]}`))
	f.Add([]byte(`{"events":[{"type":"novel","payload":[1]},{"type":"command","payload":{"args":"\ud800"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got agentswitch.PollAnswer
		if strictjson.Unmarshal(data, &got) != nil {
			return
		}
		out, err := strictjson.Marshal(got)
		require.NoError(t, err)
		var again agentswitch.PollAnswer
		require.NoError(t, strictjson.Unmarshal(out, &again))
		require.Len(t, again.Events, len(got.Events))
	})
}
