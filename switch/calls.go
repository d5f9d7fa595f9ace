package agentswitch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"stele/internal/strictjson"
)

// Every call returns an [Error], wrapped, when the server refuses.

// get asks a route below the agent's own.
func (c *Client) get(ctx context.Context, op, route string, result any) error {
	return c.do(ctx, request{op: op, method: http.MethodGet, path: c.agentPath(route), token: c.opts.APIKey, result: result})
}

// post tells a route below the agent's own.
func (c *Client) post(ctx context.Context, op, route string, body, result any) error {
	return c.do(ctx, request{
		op: op, method: http.MethodPost, path: c.agentPath(route), token: c.opts.APIKey, body: body, result: result,
	})
}

// postSoon is post for the short requests that accompany a stream: what is
// late is of no use.
func (c *Client) postSoon(ctx context.Context, op, route string, body, result any) error {
	ctx, cancel := context.WithTimeout(ctx, BeatTimeout)
	defer cancel()
	return c.post(ctx, op, route, body, result)
}

// Operations fetches the catalog of operations. It waits at most
// OperationsTimeout.
func (c *Client) Operations(ctx context.Context) (Catalog, error) {
	ctx, cancel := context.WithTimeout(ctx, OperationsTimeout)
	defer cancel()
	var catalog Catalog
	err := c.get(ctx, "operations", "/ops", &catalog)
	return catalog, err
}

// Call invokes an operation on the client's connection, if it has one. args is
// anything that encodes as a JSON object, or nil; result receives the result,
// nil ignores it.
//
// On a session's client, a call that finds the connection dead is made again
// as soon as the session has opened it, within HeartbeatTTL: a server refuses
// a dead connection before it does anything. Without a session see
// IsDeadConnection.
func (c *Client) Call(ctx context.Context, operation string, args, result any) error {
	return c.revived(ctx, func() error { return c.callOnce(ctx, operation, args, result) })
}

func (c *Client) callOnce(ctx context.Context, operation string, args, result any) error {
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

// revived makes a call again whenever it finds the connection of the client's
// session dead and the session has opened it since.
func (c *Client) revived(ctx context.Context, call func() error) error {
	for tries := 0; ; tries++ {
		var opens uint64
		if c.session != nil {
			opens = c.session.attached.count()
		}
		err := call()
		if c.session == nil || tries == maxRevivals || !IsDeadConnection(err, c.connection) || !c.session.revive(ctx, opens) {
			return err
		}
	}
}

// call is Call with the result as its value.
func call[T any](ctx context.Context, c *Client, operation string, args any) (T, error) {
	var result T
	err := c.Call(ctx, operation, args, &result)
	return result, err
}
