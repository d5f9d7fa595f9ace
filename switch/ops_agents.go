package agentswitch

import (
	"context"
	"encoding/json"
)

// AgentFilter selects agents. Empty fields do not restrict.
type AgentFilter struct {
	// NameContains is compared without regard to case.
	NameContains   string `json:"name_contains,omitempty"`
	OwnerName      string `json:"owner_name,omitempty"`
	KnownAgentType string `json:"known_agent_type,omitempty"`
}

// ListAgents returns the agents on the server that match, by name.
func (c *Client) ListAgents(ctx context.Context, filter AgentFilter) ([]Agent, error) {
	return call[[]Agent](ctx, c, OpListAgents, filter)
}

// GetAgentDetail returns all there is to know about an agent.
func (c *Client) GetAgentDetail(ctx context.Context, agentID string) (AgentDetail, error) {
	return call[AgentDetail](ctx, c, OpGetAgentDetail, struct {
		AgentID string `json:"agent_id"`
	}{agentID})
}

// UpdateAgentArgs are the arguments of update_agent_detail.
type UpdateAgentArgs struct {
	AgentID string `json:"agent_id"`
	// Options replace those of the same names; see KnownOptions.
	Options map[string]json.RawMessage `json:"options,omitempty"`
	// ClearParent wins over ParentAgentID.
	ParentAgentID *string `json:"parent_agent_id,omitempty"`
	ClearParent   bool    `json:"clear_parent,omitempty"`
}

// UpdateAgentDetail changes an agent of the same owner.
func (c *Client) UpdateAgentDetail(ctx context.Context, args UpdateAgentArgs) (AgentDetail, error) {
	return call[AgentDetail](ctx, c, OpUpdateAgentDetail, args)
}

// ListBridges returns the external channel systems that rooms can live on.
func (c *Client) ListBridges(ctx context.Context) ([]Bridge, error) {
	return call[[]Bridge](ctx, c, OpListBridges, nil)
}
