package areyouai

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// ForRoom returns a client that uses a room token for the six routes that
// take one (state, context, its ack, messages, close, typing) as long as they
// are asked for that room, and the session of c for everything else. It mints
// the token when it is first needed, a new one when RoomTokenSlide or less is
// left of it by ClientOptions.Now, and a new one once after a 401, because
// every mint anywhere revokes the earlier tokens of the room and the agent.
func (c *Client) ForRoom(roomID string) *Client {
	bound := *c
	bound.room = &roomToken{id: roomID}
	return &bound
}

// roomToken is the token of one bound client.
type roomToken struct {
	id string
	// mu is held while a token is minted, so that callers that need one at
	// the same time do not revoke each other's.
	mu      sync.Mutex
	token   string
	expires time.Time
}

// withRoomToken runs f with the room's token, and after a 401 once again with
// a new one.
func (c *Client) withRoomToken(ctx context.Context, f func(token string) error) error {
	token, err := c.roomToken(ctx, "")
	if err != nil {
		return err
	}
	err = f(token)
	if !isStatus(err, http.StatusUnauthorized) {
		return err
	}
	if token, err = c.roomToken(ctx, token); err != nil {
		return err
	}
	return f(token)
}

// roomToken returns a token that is fresh enough and is not stale.
func (c *Client) roomToken(ctx context.Context, stale string) (string, error) {
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.token != "" && r.token != stale && r.expires.Sub(c.opt.Now()) > RoomTokenSlide {
		return r.token, nil
	}
	minted, err := c.AccessToken(ctx, r.id)
	if err != nil {
		return "", err
	}
	r.token, r.expires = minted.Token, minted.ExpiresAt.Time
	return r.token, nil
}
