package agentswitch

import (
	"encoding/json"

	"stele/internal/strictjson"
)

// The types of reported events.
const (
	ReportToolCall = "tool_call"
	ReportLLMCall  = "llm_call"
)

// EventReport is the body of POST …/events/report: what an agent did. The
// answer is 202 without a body.
type EventReport struct {
	RoomID string              `json:"room_id"`
	Events List[ReportedEvent] `json:"events"`
}

// ReportedEvent is a ToolCallReport or LLMCallReport.
type ReportedEvent interface {
	// ReportType returns ReportToolCall or ReportLLMCall.
	ReportType() string
}

// ToolCallReport tells of a tool call.
type ToolCallReport struct {
	ToolName string `json:"tool_name"`
	// Arguments is an object.
	Arguments json.RawMessage `json:"arguments"`
	// Result is anything; nil is written as null.
	Result    json.RawMessage `json:"result"`
	RequestID string          `json:"request_id"`
	CallFacts
}

// LLMCallReport tells of a model call.
type LLMCallReport struct {
	Model    string                `json:"model"`
	Messages List[json.RawMessage] `json:"messages"`
	// Response is anything; nil is written as null.
	Response  json.RawMessage `json:"response"`
	RequestID string          `json:"request_id"`
	// Usage is an object, or nil for none.
	Usage json.RawMessage `json:"usage,omitempty"`
	CallFacts
}

// CallFacts are what both reports tell of a call.
type CallFacts struct {
	// Timestamp is a text or a number, as the reporter wrote it; the protocol
	// does not say which.
	Timestamp json.RawMessage `json:"timestamp"`
	// DurationMS is in milliseconds.
	DurationMS *float64 `json:"duration_ms,omitempty"`
	// Cost is anything, or nil for none; the protocol names no unit.
	Cost json.RawMessage `json:"cost,omitempty"`
}

// ReportType implements ReportedEvent.
func (ToolCallReport) ReportType() string { return ReportToolCall }

// ReportType implements ReportedEvent.
func (LLMCallReport) ReportType() string { return ReportLLMCall }

// MarshalJSON implements json.Marshaler. It writes the type too.
func (r ToolCallReport) MarshalJSON() ([]byte, error) {
	type plain ToolCallReport
	return strictjson.Marshal(struct {
		Type string `json:"type"`
		plain
	}{ReportToolCall, plain(r)})
}

// MarshalJSON implements json.Marshaler. It writes the type too.
func (r LLMCallReport) MarshalJSON() ([]byte, error) {
	type plain LLMCallReport
	return strictjson.Marshal(struct {
		Type string `json:"type"`
		plain
	}{ReportLLMCall, plain(r)})
}

// ParseEventReport reads a report. Errors are an Error; an unknown type of
// event is 422.
func ParseEventReport(body []byte) (EventReport, error) {
	f, err := newFields(body)
	if err != nil {
		return EventReport{}, err
	}
	req := EventReport{RoomID: f.requiredString("room_id"), Events: List[ReportedEvent]{}}
	if raw, ok := f.required("events"); ok {
		f.elements("events", raw, func(list *fields, i int, element json.RawMessage) {
			list.nested(i, element, func(e *fields) { req.Events = append(req.Events, e.reportedEvent()) })
		})
	}
	if err := f.err(); err != nil {
		return EventReport{}, err
	}
	return req, nil
}

// reportedEvent returns nil for an event without a known type, which is then a
// fault.
func (f *fields) reportedEvent() ReportedEvent {
	switch f.requiredChoice("type", ReportToolCall, ReportLLMCall) {
	case ReportToolCall:
		r := ToolCallReport{ToolName: f.requiredString("tool_name"), Arguments: f.requiredObject("arguments")}
		r.Result, _ = f.required("result")
		r.RequestID = f.requiredString("request_id")
		r.CallFacts = f.callFacts()
		return r
	case ReportLLMCall:
		r := LLMCallReport{Model: f.requiredString("model"), Messages: f.requiredValues("messages")}
		r.Response, _ = f.required("response")
		r.RequestID = f.requiredString("request_id")
		r.Usage = f.optionalObject("usage")
		r.CallFacts = f.callFacts()
		return r
	default:
		return nil
	}
}

func (f *fields) callFacts() CallFacts {
	var facts CallFacts
	if raw, ok := f.required("timestamp"); ok {
		if kind := strictjson.KindOf(raw); kind != "string" && kind != "number" {
			f.report("timestamp", IssueStringType, msgStringType, raw)
		}
		facts.Timestamp = raw
	}
	facts.DurationMS = f.optionalNumber("duration_ms")
	facts.Cost = f.optionalValue("cost")
	return facts
}
