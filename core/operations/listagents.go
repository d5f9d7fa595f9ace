package operations

import (
	"context"
	"encoding/json"
	"slices"
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
	// AddressingPolicy is null when everybody may address the agent.
	AddressingPolicy *core.AddressingPolicy `json:"addressing_policy"`
}

func listAgents() *operation {
	return define("list_agents",
		"List the agents of this server by name, whatever protocol they speak: id, name, description, what runs them, who "+
			"owns them, and who may address them (addressing_policy, null: everybody). Narrow the list with name_contains (part of the name, in any case), owner_name and "+
			"known_agent_type (both exact, such as claude-code); an agent must match all that are given. Use a name with "+
			"create_room, invite_agent_to_room or as @name in a message, and an id with get_agent_detail.",
		func(_ context.Context, r *Registry, c Caller, a listAgentsArgs) (any, error) {
			rows := []AgentRow{}
			for _, agent := range r.node.Agents() {
				if a.matches(agent) {
					rows = append(rows, r.agentRow(c, agent))
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
func (r *Registry) agentRow(c Caller, a core.Agent) AgentRow {
	return AgentRow{
		ID: a.ID, Name: a.Handle, Description: a.Description, IconURL: orNull(a.IconURL),
		ConnectorType: a.Connector, ConnectionModel: orNull(a.Model), ToolCount: len(a.Tools), ModelCount: len(a.Models),
		OwnerID: orNull(a.Owner), OwnerName: orNull(a.Owner), CreatedAt: spacedTime(a.CreatedAt),
		ParentAgentID: orNull(a.Parent), KnownAgentType: orNull(a.KnownType), KnownAgentOptions: knownOptions(a),
		AddressingPolicy: r.policyFor(c, a),
	}
}

// policyFor is an agent's policy as a caller may see it: whole for the agents of its owner; for others without the rooms
// that they may not know of.
func (r *Registry) policyFor(c Caller, a core.Agent) *core.AddressingPolicy {
	if a.Policy == nil {
		return nil
	}
	reader, _ := r.node.Agent(c.Agent)
	whole := c.Agent == a.ID || a.Owner != "" && reader.Owner == a.Owner
	out := &core.AddressingPolicy{Rules: slices.Clone(a.Policy.Rules)}
	for i := range out.Rules {
		rule := &out.Rules[i]
		rule.Users, rule.Agents = notNull(rule.Users), notNull(rule.Agents)
		if !whole {
			rule.Rooms = slices.DeleteFunc(slices.Clone(rule.Rooms), func(id string) bool {
				room, exists := r.node.Room(id)
				return exists && !r.mayKnow(c.Agent, room)
			})
		}
	}
	return out
}

// notNull is the list, or an empty one where there is none.
func notNull(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
