package areyouai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stele/internal/strictjson"
)

// call is one JSON request. A nil body sends none.
type call struct {
	method, path string
	query        url.Values
	body         any
	// public calls carry no bearer.
	public bool
	// room is set for the routes that take a room token.
	room string
	// key is the Idempotency-Key, empty for none.
	key string
}

// do makes the call and decodes a 2xx reply into out. With a session it logs
// in first when there is no token yet, and once more after a 401; a bound
// client does the same with its room token.
func (c *Client) do(ctx context.Context, cl call, out any) error {
	once := func(token string) error { return c.once(ctx, cl, token, out) }
	switch {
	case cl.public:
		return once("")
	case c.room != nil && cl.room == c.room.id:
		return c.withRoomToken(ctx, once)
	}
	return c.withSession(ctx, once)
}

func (c *Client) once(ctx context.Context, cl call, token string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.opt.CallTimeout)
	defer cancel()
	req, err := c.request(ctx, cl, token)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.opt.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("areyouai: %w", err)
	}
	defer resp.Body.Close()
	data, err := readReply(resp)
	if err != nil {
		return fmt.Errorf("areyouai: %s %s: %w", cl.method, cl.path, err)
	}
	if out == nil {
		return nil
	}
	lim := strictjson.Limits{MaxBytes: maxReplyBytes, MaxDepth: maxReplyDepth}
	if err := strictjson.UnmarshalLimits(data, out, lim); err != nil {
		return &replyError{method: cl.method, path: cl.path, cause: err}
	}
	return nil
}

// replyError is a 2xx whose body is not the contract's, such as the page of a
// proxy. Waiting does not cure it, and what the request did is unknown.
type replyError struct {
	method, path string
	cause        error
}

func (e *replyError) Error() string {
	return fmt.Sprintf("areyouai: %s %s: reply: %v", e.method, e.path, e.cause)
}

func (e *replyError) Unwrap() error { return e.cause }

func (c *Client) request(ctx context.Context, cl call, token string) (*http.Request, error) {
	var body io.Reader
	if cl.body != nil {
		data, err := strictjson.Marshal(cl.body)
		if err != nil {
			return nil, fmt.Errorf("areyouai: %s %s: encode: %w", cl.method, cl.path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, cl.method, c.endpoint(cl.path, cl.query), body)
	if err != nil {
		return nil, fmt.Errorf("areyouai: %s %s: %w", cl.method, cl.path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if cl.key != "" {
		req.Header.Set("Idempotency-Key", cl.key)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// readReply returns the body of a 2xx reply and an *Error for anything else.
func readReply(resp *http.Response) ([]byte, error) {
	if resp.StatusCode/100 != 2 {
		return nil, readError(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReplyBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read reply: %w", err)
	}
	if len(data) > maxReplyBytes {
		return nil, strictjson.ErrTooLarge
	}
	return data, nil
}

func readError(resp *http.Response) *Error {
	// A body that breaks off still has a status to report.
	data, _ := io.ReadAll(io.LimitReader(resp.Body, MaxBodyBytes))
	e := ParseError(resp.StatusCode, data)
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 && n <= 24*3600 {
		e.RetryAfter = time.Duration(n) * time.Second
	}
	return e
}
