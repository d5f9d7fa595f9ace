package areyouai

import (
	"context"
	"net/http"
	"time"
)

// roomCall returns the call of one of the routes that also take a room token.
func (c *Client) roomCall(method, template, roomID string, body any) call {
	return call{method: method, path: Path(template, roomID), room: roomID, body: body}
}

// State returns the room as it is now.
func (c *Client) State(ctx context.Context, roomID string) (RoomReply, error) {
	var out RoomReply
	err := c.do(ctx, c.roomCall(http.MethodGet, PathRoomState, roomID, nil), &out)
	return out, err
}

// Context returns the prompt and bundle hash of the next turn.
func (c *Client) Context(ctx context.Context, roomID string) (ContextReply, error) {
	var out ContextReply
	err := c.do(ctx, c.roomCall(http.MethodGet, PathRoomContext, roomID, nil), &out)
	return out, err
}

// Ack tells the room that the caller has read the context of a turn.
func (c *Client) Ack(ctx context.Context, roomID string, turn int64) (ContextAckReply, error) {
	var out ContextAckReply
	err := c.do(ctx, c.roomCall(http.MethodPost, PathRoomContextAck, roomID, ContextAckRequest{TurnIndex: turn}), &out)
	return out, err
}

// Send posts a message. It is not retried after a network error, because the
// message may have been accepted; [Turn.Reply] finds out.
func (c *Client) Send(ctx context.Context, roomID string, req SendRequest) (SendReply, error) {
	return c.sendWithKey(ctx, roomID, req, "")
}

func (c *Client) sendWithKey(ctx context.Context, roomID string, req SendRequest, key string) (SendReply, error) {
	var out SendReply
	cl := c.roomCall(http.MethodPost, PathRoomMessages, roomID, req)
	cl.key = key
	err := c.do(ctx, cl, &out)
	return out, err
}

// Close ends the room for both sides; closing a closed room changes nothing.
func (c *Client) Close(ctx context.Context, roomID string) (CloseReply, error) {
	var out CloseReply
	err := c.do(ctx, c.roomCall(http.MethodPost, PathRoomClose, roomID, nil), &out)
	return out, err
}

// StartTyping shows the caller, who must be the next actor, as typing for ttl,
// which the server keeps within MinTypingTTL and MaxTypingTTL; 0 means its
// default. A message or [Client.StopTyping] ends it earlier.
func (c *Client) StartTyping(ctx context.Context, roomID string, ttl time.Duration) (TypingStartReply, error) {
	req := TypingRequest{State: TypingStart}
	if ttl != 0 {
		ms := ttl.Milliseconds()
		req.TTLMS = &ms
	}
	var out TypingStartReply
	err := c.do(ctx, c.roomCall(http.MethodPost, PathRoomTyping, roomID, req), &out)
	return out, err
}

// StopTyping ends what StartTyping began. It succeeds in any state of the room.
func (c *Client) StopTyping(ctx context.Context, roomID string) (TypingStopReply, error) {
	var out TypingStopReply
	err := c.do(ctx, c.roomCall(http.MethodPost, PathRoomTyping, roomID, TypingRequest{State: TypingStop}), &out)
	return out, err
}
