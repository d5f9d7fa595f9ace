package agentswitch

import "context"

// PostMessage says something in the current room, in the thread of any of its
// messages, or at top level when threadID is empty. It returns the message id.
func (c *Client) PostMessage(ctx context.Context, body, threadID string) (string, error) {
	answer, err := call[PostMessageAnswer](ctx, c, OpPostMessage, struct {
		Body     string `json:"body"`
		ThreadID string `json:"thread_id,omitempty"`
	}{body, threadID})
	return answer.EventID, err
}

// TargetedMessage is a message to some of those in the current room.
type TargetedMessage struct {
	Body string `json:"body"`
	// TargetNames are names or aliases of agents and users, TargetRoles roles
	// of the room. At least one is needed.
	TargetNames []string `json:"target_names,omitempty"`
	TargetRoles []string `json:"target_roles,omitempty"`
	ThreadID    string   `json:"thread_id,omitempty"`
}

// SendTargetedMessage says something to some of those in the current room.
func (c *Client) SendTargetedMessage(ctx context.Context, m TargetedMessage) (TargetedMessageAnswer, error) {
	return call[TargetedMessageAnswer](ctx, c, OpSendTargetedMessage, m)
}

// ContextQuery selects a part of the current room's history.
type ContextQuery struct {
	// Limit counts messages and arrivals; 0 means DefaultReadLimit.
	Limit int `json:"limit,omitempty"`
	// Since is inclusive, Before exclusive: ISO 8601, UTC without a zone.
	Since  string `json:"since,omitempty"`
	Before string `json:"before,omitempty"`
}

// ReadContext returns history of the current room as threads.
func (c *Client) ReadContext(ctx context.Context, q ContextQuery) (ReadContextAnswer, error) {
	return call[ReadContextAnswer](ctx, c, OpReadContext, q)
}
