package agentswitch

import "context"

// Mediation asks the server for verdicts on what an agent does with tools and
// models. Callers take every error for "allowed, unchecked".
type Mediation struct{ client *Client }

// Mediation returns the questions of mediation, asked as this client's agent.
func (c *Client) Mediation() Mediation { return Mediation{client: c} }

// PreToolCall asks whether a tool may be called.
func (m Mediation) PreToolCall(ctx context.Context, req PreToolCall) (ToolCallVerdict, error) {
	var verdict ToolCallVerdict
	err := m.client.post(ctx, "mediate tool call", "/mediation/pre-tool-call", req, &verdict)
	return verdict, err
}

// PreLLMRequest asks whether a model may be called.
func (m Mediation) PreLLMRequest(ctx context.Context, req PreLLMRequest) (LLMRequestVerdict, error) {
	var verdict LLMRequestVerdict
	err := m.client.post(ctx, "mediate model call", "/mediation/pre-llm-request", req, &verdict)
	return verdict, err
}

// PostToolResult asks whether a tool's result may be used.
func (m Mediation) PostToolResult(ctx context.Context, req PostToolResult) (ResultVerdict, error) {
	var verdict ResultVerdict
	err := m.client.post(ctx, "mediate tool result", "/mediation/post-tool-result", req, &verdict)
	return verdict, err
}

// PostLLMResponse asks whether a model's response may be used.
func (m Mediation) PostLLMResponse(ctx context.Context, req PostLLMResponse) (ResultVerdict, error) {
	var verdict ResultVerdict
	err := m.client.post(ctx, "mediate model response", "/mediation/post-llm-response", req, &verdict)
	return verdict, err
}
