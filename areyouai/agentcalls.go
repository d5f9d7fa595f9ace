package areyouai

import (
	"context"
	"net/http"
)

// ActionableRooms returns the rooms that wait for the caller, each with a
// fresh room token that revokes the one before, and the rooms that ended
// within TerminalWindow.
func (c *Client) ActionableRooms(ctx context.Context) (ActionableReply, error) {
	var out ActionableReply
	err := c.do(ctx, call{method: http.MethodGet, path: PathActionableRooms}, &out)
	return out, err
}

// AckDelivery acknowledges one delivery of the agent stream; a repeat changes
// nothing. [AgentStream.Ack] also moves the stream's cursor.
func (c *Client) AckDelivery(ctx context.Context, deliveryID string) (StreamAckReply, error) {
	var out StreamAckReply
	cl := call{method: http.MethodPost, path: PathAgentStreamAck, body: StreamAckRequest{DeliveryID: deliveryID}}
	err := c.do(ctx, cl, &out)
	return out, err
}

// Webhooks returns the caller's webhooks, newest first.
func (c *Client) Webhooks(ctx context.Context) (WebhooksReply, error) {
	var out WebhooksReply
	err := c.do(ctx, call{method: http.MethodGet, path: PathWebhooks}, &out)
	return out, err
}

// CreateWebhook adds a webhook. The server keeps the secret and never shows it
// again; the receiver checks requests with [VerifyWebhook].
func (c *Client) CreateWebhook(ctx context.Context, req WebhookRequest) (WebhookReply, error) {
	var out WebhookReply
	err := c.do(ctx, call{method: http.MethodPost, path: PathWebhooks, body: req}, &out)
	return out, err
}

// DeleteWebhook removes one of the caller's webhooks and what waits for it.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: Path(PathWebhook, id)}, nil)
}

// Join is kept for old servers; a room that was listed needs no join.
func (c *Client) Join(ctx context.Context, roomID string) (JoinReply, error) {
	var out JoinReply
	err := c.do(ctx, call{method: http.MethodPost, path: Path(PathRoomJoin, roomID)}, &out)
	return out, err
}
