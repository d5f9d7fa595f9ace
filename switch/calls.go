package agentswitch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"stele/internal/strictjson"
)

// Every method below returns an Error, wrapped, when the server refuses.

// Health asks whether the server is one, and well. It needs no key.
func (c *Client) Health(ctx context.Context) error {
	var health Health
	err := c.do(ctx, request{op: "health", method: http.MethodGet, path: "/health", result: &health})
	if err == nil && health.Status != "ok" {
		return fmt.Errorf("agentswitch: health: status is %q", health.Status)
	}
	return err
}

// Register makes an agent of a known type with a registration token. The key
// in the answer is not shown again; continue with WithAgent.
func (c *Client) Register(ctx context.Context, token string, req RegisterRequest) (RegisterAnswer, error) {
	var answer RegisterAnswer
	err := c.do(ctx, request{
		op: "register", method: http.MethodPost, path: "/agents/register-known", token: token, body: req, result: &answer,
	})
	return answer, err
}

// Operations fetches the catalog of operations.
func (c *Client) Operations(ctx context.Context) (Catalog, error) {
	ctx, cancel := context.WithTimeout(ctx, OperationsTimeout)
	defer cancel()
	var catalog Catalog
	err := c.do(ctx, request{op: "operations", method: http.MethodGet, path: c.agentPath("/ops"), token: c.opts.APIKey, result: &catalog})
	return catalog, err
}

// Call invokes an operation on the client's connection, if it has one. args is
// anything that encodes as a JSON object, or nil; result receives the result,
// nil ignores it.
func (c *Client) Call(ctx context.Context, operation string, args, result any) error {
	r := request{
		op: "operation " + operation, method: http.MethodPost, path: c.agentPath("/ops/" + url.PathEscape(operation)),
		token: c.opts.APIKey, connection: c.connection, body: args,
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
	}
	if result != nil {
		r.result = &answer
	}
	if err := c.do(ctx, r); err != nil {
		return err
	}
	if result == nil {
		return nil
	}
	err := strictjson.UnmarshalLimits(answer.Result, result, strictjson.Limits{MaxBytes: c.opts.MaxAnswerBytes})
	if err != nil {
		return fmt.Errorf("agentswitch: operation %s: result: %w", operation, err)
	}
	return nil
}

// Beat keeps a connection alive and reports how far its events were seen. It
// waits at most BeatTimeout.
func (c *Client) Beat(ctx context.Context, req BeatRequest) (BeatAnswer, error) {
	var answer BeatAnswer
	err := c.post(ctx, "beat", "/connection/beat", req, &answer)
	return answer, err
}

// Subscribe claims a room for a connection. It waits at most BeatTimeout.
func (c *Client) Subscribe(ctx context.Context, req SubscribeRequest) (SubscribeAnswer, error) {
	var answer SubscribeAnswer
	err := c.post(ctx, "subscribe", "/connection/subscribe", req, &answer)
	return answer, err
}

// Unsubscribe releases one room. It waits at most BeatTimeout.
func (c *Client) Unsubscribe(ctx context.Context, req SubscribeRequest) (UnsubscribeAnswer, error) {
	var answer UnsubscribeAnswer
	err := c.post(ctx, "unsubscribe", "/connection/unsubscribe", req, &answer)
	return answer, err
}

// Typing tells a room whether the agent is about to speak.
func (c *Client) Typing(ctx context.Context, req TypingRequest) error {
	return c.post(ctx, "typing", "/typing", req, nil)
}

// PostNotice posts a message without a connection, as supervisors do.
func (c *Client) PostNotice(ctx context.Context, req MessageRequest) (MessageAnswer, error) {
	var answer MessageAnswer
	err := c.post(ctx, "message", "/message", req, &answer)
	return answer, err
}

// post sends one of the short requests that accompany a stream.
func (c *Client) post(ctx context.Context, op, route string, body, result any) error {
	ctx, cancel := context.WithTimeout(ctx, BeatTimeout)
	defer cancel()
	return c.do(ctx, request{
		op: op, method: http.MethodPost, path: c.agentPath(route), token: c.opts.APIKey, body: body, result: result,
	})
}
