package areyouai

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// errStopped says that the consumer left its loop; it never leaves the package.
var errStopped = errors.New("areyouai: consumer stopped")

// keepOpen runs connection again and again, as retry does. connection
// calls alive for what shows that it works; the waits begin anew then.
func (c *Client) keepOpen(ctx context.Context, connection func(ctx context.Context, alive func()) error) error {
	b := backoff{rand: c.opt.Rand}
	return c.retry(ctx, &b, func() error { return connection(ctx, b.reset) })
}

// patiently calls f until it succeeds or fails with what waiting cannot cure.
func (c *Client) patiently(ctx context.Context, f func() error) error {
	return c.retry(ctx, &backoff{rand: c.opt.Rand}, f)
}

// retry calls f, with the waits of b in between, until it succeeds or ends with
// an error that a new attempt cannot cure, which it returns: errStopped, the
// context's, or one that is not [retryable].
func (c *Client) retry(ctx context.Context, b *backoff, f func() error) error {
	for {
		err := f()
		if err == nil || errors.Is(err, errStopped) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait, ok := retryable(err)
		if !ok {
			return err
		}
		if err := c.opt.Sleep(ctx, b.next(wait)); err != nil {
			return err
		}
	}
}

// retryable reports whether a new attempt may succeed where this one ended
// with err, and how long the server asked to wait.
func retryable(err error) (time.Duration, bool) {
	var (
		frame *FrameError
		reply *replyError
	)
	if errors.As(err, &frame) || errors.As(err, &reply) {
		return 0, false
	}
	var e *Error
	if !errors.As(err, &e) {
		return 0, true
	}
	switch e.HTTPStatus {
	case http.StatusNotImplemented:
		return 0, false
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return e.RetryAfter, true
	}
	return e.RetryAfter, e.HTTPStatus >= 500
}
