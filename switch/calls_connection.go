package agentswitch

import "context"

// Beat keeps a connection alive and reports how far its events were seen. It
// waits at most BeatTimeout. A session beats by itself.
func (c *Client) Beat(ctx context.Context, req BeatRequest) (BeatAnswer, error) {
	var answer BeatAnswer
	err := c.postSoon(ctx, "beat", "/connection/beat", req, &answer)
	return answer, err
}

// Subscribe claims a room for a connection. It waits at most BeatTimeout.
func (c *Client) Subscribe(ctx context.Context, req SubscribeRequest) (SubscribeAnswer, error) {
	var answer SubscribeAnswer
	err := c.postSoon(ctx, "subscribe", "/connection/subscribe", req, &answer)
	return answer, err
}

// Unsubscribe releases one room. It waits at most BeatTimeout.
func (c *Client) Unsubscribe(ctx context.Context, req SubscribeRequest) (UnsubscribeAnswer, error) {
	var answer UnsubscribeAnswer
	err := c.postSoon(ctx, "unsubscribe", "/connection/unsubscribe", req, &answer)
	return answer, err
}

// RenewLease keeps the agent's role, and reports whether there is still one to
// be kept. It is sent every HeartbeatInterval while a role is held.
func (c *Client) RenewLease(ctx context.Context) (LeaseAnswer, error) {
	var answer LeaseAnswer
	err := c.postSoon(ctx, "renew lease", "/leases/renew", nil, &answer)
	return answer, err
}

// RenewPresence says that a polling agent is in a room, for RoomPresenceTTL.
// Beats have taken its place.
func (c *Client) RenewPresence(ctx context.Context, roomID string) error {
	return c.postSoon(ctx, "renew presence", "/connection/renew", RenewRequest{RoomID: roomID}, nil)
}

// WatchHeartbeat says that a polling agent is there, for AgentPresenceTTL.
// Beats have taken its place.
func (c *Client) WatchHeartbeat(ctx context.Context) error {
	return c.postSoon(ctx, "watch heartbeat", "/watch/heartbeat", nil, nil)
}
