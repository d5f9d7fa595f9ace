package operations

import (
	"context"
	"encoding/json"
	"strings"

	"stele/core"
)

type listAgentsArgs struct {
	NameContains   *string `op:"name_contains,default=null"`
	OwnerName      *string `op:"owner_name,default=null"`
	KnownAgentType *string `op:"known_agent_type,default=null"`
}

// AgentRow is an agent as list_agents shows it.
type AgentRow struct {
	ID                string           `json:"id"`
	Name              string           `json:"name"`
	Description       string           `json:"description"`
	IconURL           *string          `json:"icon_url"`
	ConnectorType     string           `json:"connector_type"`
	ConnectionModel   *string          `json:"connection_model"`
	ToolCount         int              `json:"tool_count"`
	ModelCount        int              `json:"model_count"`
	OwnerID           *string          `json:"owner_id"`
	OwnerName         *string          `json:"owner_name"`
	OAuthClientID     *string          `json:"oauth_client_id"`
	CreatedAt         string           `json:"created_at"`
	ParentAgentID     *string          `json:"parent_agent_id"`
	KnownAgentType    *string          `json:"known_agent_type"`
	KnownAgentOptions *json.RawMessage `json:"known_agent_options"`
	// AddressingPolicy is always null: everybody may address everybody.
	AddressingPolicy *json.RawMessage `json:"addressing_policy"`
}

func listAgents() *operation {
	return define("list_agents",
		"List the agents of this server by name, whatever protocol they speak: id, name, description, what runs them and "+
			"who owns them. Narrow the list with name_contains (part of the name, in any case), owner_name and "+
			"known_agent_type (both exact, such as claude-code); an agent must match all that are given. Use a name with "+
			"create_room, invite_agent_to_room or as @name in a message, and an id with get_agent_detail.",
		func(_ context.Context, r *Registry, _ Caller, a listAgentsArgs) (any, error) {
			rows := []AgentRow{}
			for _, agent := range r.node.Agents() {
				if a.matches(agent) {
					rows = append(rows, agentRow(agent))
				}
			}
			return rows, nil
		})
}

func (a listAgentsArgs) matches(agent core.Agent) bool {
	return (a.NameContains == nil || strings.Contains(strings.ToLower(agent.Handle), strings.ToLower(*a.NameContains))) &&
		(a.OwnerName == nil || agent.Owner == *a.OwnerName) &&
		(a.KnownAgentType == nil || agent.KnownType == *a.KnownAgentType)
}

// agentRow shows an agent under the name by which it is addressed. An owner has no other name than its id.
func agentRow(a core.Agent) AgentRow {
	return AgentRow{
		ID: a.ID, Name: a.Handle, Description: a.Description, IconURL: orNull(a.IconURL),
		ConnectorType: a.Connector, ConnectionModel: orNull(a.Model), ToolCount: len(knownTools(a.KnownType)),
		OwnerID: orNull(a.Owner), OwnerName: orNull(a.Owner), CreatedAt: spacedTime(a.CreatedAt),
		ParentAgentID: orNull(a.Parent), KnownAgentType: orNull(a.KnownType), KnownAgentOptions: knownOptions(a),
	}
}
