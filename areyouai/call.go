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
	public       bool
}

// do makes the call and decodes a 2xx reply into out. With a session it logs
// in first when there is no token yet, and once more after a 401.
func (c *Client) do(ctx context.Context, cl call, out any) error {
	if cl.public {
		return c.once(ctx, cl, "", out)
	}
	return c.withSession(ctx, func(token string) error {
		return c.once(ctx, cl, token, out)
	})
}

// withSession runs f with the current token, and after a 401 once again with
// a new one. Without an API key the 401 stands.
func (c *Client) withSession(ctx context.Context, f func(token string) error) error {
	token := c.SessionToken()
	if token == "" && c.APIKey() != "" {
		if err := c.relogin(ctx, ""); err != nil {
			return err
		}
		token = c.SessionToken()
	}
	err := f(token)
	if !isStatus(err, http.StatusUnauthorized) || c.APIKey() == "" {
		return err
	}
	if err := c.relogin(ctx, token); err != nil {
		return err
	}
	return f(c.SessionToken())
}

// relogin replaces the token stale. When another caller was faster there is
// nothing left to do.
func (c *Client) relogin(ctx context.Context, stale string) error {
	c.loginMu.Lock()
	defer c.loginMu.Unlock()
	if c.SessionToken() != stale {
		return nil
	}
	_, err := c.login(ctx)
	return err
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
		return fmt.Errorf("areyouai: %s %s: reply: %w", cl.method, cl.path, err)
	}
	return nil
}

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
