package agentswitch

import (
	"context"
	"fmt"
	"net/http"
)

// Health asks whether the server is one, and well. It needs no key.
func (c *Client) Health(ctx context.Context) error {
	var health Health
	err := c.do(ctx, request{op: "health", method: http.MethodGet, path: "/health", result: &health})
	if err == nil && health.Status != "ok" {
		return fmt.Errorf("agentswitch: health: status is %q", health.Status)
	}
	return err
}

// Version returns the server's release and the revisions it speaks.
func (c *Client) Version(ctx context.Context) (ServerInfo, error) {
	var info ServerInfo
	err := c.do(ctx, request{op: "version", method: http.MethodGet, path: "/version", token: c.opts.APIKey, result: &info})
	return info, err
}

// Register makes an agent of a known type with a registration token. The key
// in the answer is not shown again; continue with WithAgent.
func (c *Client) Register(ctx context.Context, token string, req RegisterRequest) (RegisterAnswer, error) {
	var answer RegisterAnswer
	err := c.register(ctx, "register", "/register-known", token, req, &answer)
	return answer, err
}

// RegisterFull makes an agent that describes itself, with a registration
// token. The key in the answer is not shown again; continue with WithAgent.
func (c *Client) RegisterFull(ctx context.Context, token string, req FullRegistration) (RegisterAnswer, error) {
	req.Profile.CommandCapabilities = req.Profile.CommandCapabilities.orUnsupported()
	var answer RegisterAnswer
	err := c.register(ctx, "register in full", "", token, req, &answer)
	return answer, err
}

// RegisterBulk makes agents below a parent with a registration token, all or
// none. The keys in the answer are not shown again.
func (c *Client) RegisterBulk(ctx context.Context, token string, req BulkRegistration) (BulkAnswer, error) {
	var answer BulkAnswer
	err := c.register(ctx, "register in bulk", "/register-known-bulk", token, req, &answer)
	return answer, err
}

func (c *Client) register(ctx context.Context, op, route, token string, body, result any) error {
	return c.do(ctx, request{op: op, method: http.MethodPost, path: "/agents" + route, token: token, body: body, result: result})
}

// PatchAgent changes what the agent is described as.
func (c *Client) PatchAgent(ctx context.Context, patch AgentPatch) error {
	if patch.Profile != nil {
		profile := *patch.Profile
		profile.CommandCapabilities = profile.CommandCapabilities.orUnsupported()
		patch.Profile = &profile
	}
	return c.do(ctx, request{op: "patch agent", method: http.MethodPatch, path: c.agentPath(""), token: c.opts.APIKey, body: patch})
}

// DeleteAgent deletes the agent. Its key is no longer valid then, and its open
// streams end.
func (c *Client) DeleteAgent(ctx context.Context) error {
	return c.do(ctx, request{op: "delete agent", method: http.MethodDelete, path: c.agentPath(""), token: c.opts.APIKey})
}
