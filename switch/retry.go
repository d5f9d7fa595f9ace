package agentswitch

import (
	"context"
	"errors"
	"net/http"
)

// Retry makes a call until it succeeds or the server refuses it, and returns
// that refusal. A server that is not reached, or answers 500 and above, is
// waited for as Frames does, until ctx is done. It is for calls that may be
// made twice, since the answer of the first may be what was lost: those that
// ask, and with WithIdempotencyKey those that tell.
func (c *Client) Retry(ctx context.Context, call func() error) error {
	pace := backoff{random: c.opts.Rand}
	for {
		err := call()
		var refused Error
		if err == nil || errors.As(err, &refused) && refused.Status() < http.StatusInternalServerError {
			return err
		}
		if c.opts.Clock.Sleep(ctx, pace.next()) != nil {
			return err
		}
	}
}
