package agentswitch

import "encoding/json"

// The four questions of mediation: may I call this tool or model, and may I
// use what came of it. A verdict that does not come within MediationTimeout is
// a 404, and callers take every failure for "allowed, unchecked".

// PreToolCall is the body of POST …/mediation/pre-tool-call.
type PreToolCall struct {
	RoomID   string `json:"room_id"`
	ToolName string `json:"tool_name"`
	// Arguments is an object.
	Arguments json.RawMessage `json:"arguments"`
	RequestID string          `json:"request_id"`
}

// PreLLMRequest is the body of POST …/mediation/pre-llm-request.
type PreLLMRequest struct {
	RoomID    string                `json:"room_id"`
	Model     string                `json:"model"`
	Messages  List[json.RawMessage] `json:"messages"`
	RequestID string                `json:"request_id"`
}

// PostToolResult is the body of POST …/mediation/post-tool-result.
type PostToolResult struct {
	RoomID   string `json:"room_id"`
	ToolName string `json:"tool_name"`
	// Result is anything; nil is written as null.
	Result    json.RawMessage `json:"result"`
	RequestID string          `json:"request_id"`
}

// PostLLMResponse is the body of POST …/mediation/post-llm-response.
type PostLLMResponse struct {
	RoomID string `json:"room_id"`
	Model  string `json:"model"`
	// Response is anything; nil is written as null.
	Response json.RawMessage `json:"response"`
	// Usage is an object, or nil for none.
	Usage     json.RawMessage `json:"usage,omitempty"`
	RequestID string          `json:"request_id"`
}

// Verdicts before a call, and after it.
const (
	VerdictProceed  = "proceed"
	VerdictBlocked  = "blocked"
	VerdictModified = "modified"

	VerdictOK       = "ok"
	VerdictRedacted = "redacted"
)

// ToolCallVerdict answers a PreToolCall.
type ToolCallVerdict struct {
	// Verdict is VerdictProceed, VerdictBlocked or VerdictModified.
	Verdict string  `json:"verdict"`
	Reason  *string `json:"reason"`
	// ModifiedArguments is an object with VerdictModified, else null.
	ModifiedArguments json.RawMessage `json:"modified_arguments"`
}

// LLMRequestVerdict answers a PreLLMRequest.
type LLMRequestVerdict struct {
	// Verdict is VerdictProceed, VerdictBlocked or VerdictModified.
	Verdict string  `json:"verdict"`
	Reason  *string `json:"reason"`
	// ModifiedMessages is a list with VerdictModified, else null.
	ModifiedMessages json.RawMessage `json:"modified_messages"`
}

// ResultVerdict answers a PostToolResult or PostLLMResponse.
type ResultVerdict struct {
	// Verdict is VerdictOK, VerdictBlocked or VerdictRedacted.
	Verdict string  `json:"verdict"`
	Reason  *string `json:"reason"`
	// Result is what to use instead with VerdictRedacted, else null.
	Result json.RawMessage `json:"result"`
}

// ParsePreToolCall reads the question before a tool call. Errors are an Error.
func ParsePreToolCall(body []byte) (PreToolCall, error) {
	f, err := newFields(body)
	if err != nil {
		return PreToolCall{}, err
	}
	req := PreToolCall{
		RoomID:    f.requiredString("room_id"),
		ToolName:  f.requiredString("tool_name"),
		Arguments: f.requiredObject("arguments"),
		RequestID: f.requiredString("request_id"),
	}
	return req, f.err()
}

// ParsePreLLMRequest reads the question before a model call. Errors are an
// Error.
func ParsePreLLMRequest(body []byte) (PreLLMRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return PreLLMRequest{}, err
	}
	req := PreLLMRequest{
		RoomID:    f.requiredString("room_id"),
		Model:     f.requiredString("model"),
		Messages:  f.requiredValues("messages"),
		RequestID: f.requiredString("request_id"),
	}
	return req, f.err()
}

// ParsePostToolResult reads the question after a tool call. Errors are an
// Error.
func ParsePostToolResult(body []byte) (PostToolResult, error) {
	f, err := newFields(body)
	if err != nil {
		return PostToolResult{}, err
	}
	req := PostToolResult{RoomID: f.requiredString("room_id"), ToolName: f.requiredString("tool_name")}
	req.Result, _ = f.required("result")
	req.RequestID = f.requiredString("request_id")
	return req, f.err()
}

// ParsePostLLMResponse reads the question after a model call. Errors are an
// Error.
func ParsePostLLMResponse(body []byte) (PostLLMResponse, error) {
	f, err := newFields(body)
	if err != nil {
		return PostLLMResponse{}, err
	}
	req := PostLLMResponse{RoomID: f.requiredString("room_id"), Model: f.requiredString("model")}
	req.Response, _ = f.required("response")
	req.Usage = f.optionalObject("usage")
	req.RequestID = f.requiredString("request_id")
	return req, f.err()
}
