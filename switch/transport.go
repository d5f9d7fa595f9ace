package agentswitch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"stele/internal/strictjson"
)

// errAnswerTooLarge reports an answer beyond Options.MaxAnswerBytes.
var errAnswerTooLarge = errors.New("answer is too large")

// request is one call that is answered at once.
type request struct {
	op     string // for error texts
	method string
	path   string // below BaseURL
	token  string
	body   any // nil for none
	// form, if not nil, is sent as it is read, in place of body.
	form     io.Reader
	formType string
	// connection, if not empty, is the connection an operation acts on.
	connection string
	result     any // nil to ignore the answer
}

// agentPath returns the path of a route below the agent's own.
func (c *Client) agentPath(route string) string {
	return "/agents/" + url.PathEscape(c.opts.AgentID) + route
}

func (c *Client) do(ctx context.Context, r request) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("agentswitch: %s: %w", r.op, err)
		}
	}()
	req, err := c.newRequest(ctx, r)
	if err != nil {
		return err
	}
	resp, err := c.opts.HTTPClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if !success(resp) {
		return c.refusal(resp)
	}
	body, err := c.readAnswer(resp.Body)
	if err != nil || r.result == nil || resp.StatusCode == http.StatusNoContent {
		return err
	}
	return strictjson.UnmarshalLimits(body, r.result, strictjson.Limits{MaxBytes: c.opts.MaxAnswerBytes})
}

func (c *Client) newRequest(ctx context.Context, r request) (*http.Request, error) {
	body, bodyType := r.form, r.formType
	if r.body != nil {
		data, err := strictjson.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body, bodyType = bytes.NewReader(data), ContentTypeJSON
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.opts.BaseURL+r.path, body)
	if err != nil {
		return nil, err
	}
	if r.token != "" {
		req.Header.Set("Authorization", BearerPrefix+r.token)
	}
	if r.connection != "" {
		req.Header.Set(HeaderConnectionID, r.connection)
	}
	if c.key != "" && r.method != http.MethodGet {
		req.Header.Set(HeaderIdempotencyKey, c.key)
	}
	if body != nil {
		req.Header.Set("Content-Type", bodyType)
	}
	return req, nil
}

// refusal reads an answer that is no success.
func (c *Client) refusal(resp *http.Response) error {
	body, err := c.readAnswer(resp.Body)
	if err != nil {
		return err
	}
	return ParseError(resp.StatusCode, resp.Header.Get("Content-Type"), body)
}

func (c *Client) readAnswer(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, int64(c.opts.MaxAnswerBytes)+1))
	if err != nil {
		return nil, err
	}
	if len(body) > c.opts.MaxAnswerBytes {
		return nil, errAnswerTooLarge
	}
	return body, nil
}

func success(resp *http.Response) bool { return resp.StatusCode >= 200 && resp.StatusCode < 300 }
