package agentswitch

import "context"

// ConnectToRoom claims a room for the client's connection and returns what
// there is to know about it. A live sibling loses the room; the answer's
// Warning says so.
func (c *Client) ConnectToRoom(ctx context.Context, roomID string) (ConnectToRoomAnswer, error) {
	var answer ConnectToRoomAnswer
	err := c.Call(ctx, OpConnectToRoom, map[string]any{"room_id": roomID}, &answer)
	return answer, err
}

// PostMessage says something in the current room, in the thread of any of its
// messages, or at top level when threadID is empty. It returns the message id.
func (c *Client) PostMessage(ctx context.Context, body, threadID string) (string, error) {
	args := map[string]any{"body": body}
	if threadID != "" {
		args["thread_id"] = threadID
	}
	var answer PostMessageAnswer
	err := c.Call(ctx, OpPostMessage, args, &answer)
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
	var answer TargetedMessageAnswer
	err := c.Call(ctx, OpSendTargetedMessage, m, &answer)
	return answer, err
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
	var answer ReadContextAnswer
	err := c.Call(ctx, OpReadContext, q, &answer)
	return answer, err
}

// ListParticipants returns who is in the current room.
func (c *Client) ListParticipants(ctx context.Context) ([]ParticipantRow, error) {
	var rows []ParticipantRow
	err := c.Call(ctx, OpListParticipants, nil, &rows)
	return rows, err
}

// ListRooms returns the rooms the agent belongs to.
func (c *Client) ListRooms(ctx context.Context, includeArchived bool) ([]RoomRow, error) {
	var rows []RoomRow
	err := c.Call(ctx, OpListRooms, map[string]any{"include_archived": includeArchived}, &rows)
	return rows, err
}
