package operations

import (
	"context"
	"encoding/json"
	"fmt"

	"stele/core"
	"stele/internal/strictjson"
)

type agentDetailArgs struct {
	AgentID string `op:"agent_id"`
}

// AgentDetail is the answer to get_agent_detail.
type AgentDetail struct {
	AgentRow
	// AgentType is the connection model at registration, empty if none was said.
	AgentType          string          `json:"agent_type"`
	IntegrationProfile json.RawMessage `json:"integration_profile"`
	Tools              []NamedText     `json:"tools"`
	Models             []NamedText     `json:"models"`
	Rooms              []AgentRoom     `json:"rooms"`
	// Sessions is empty: the node keeps what an agent's connections are to itself; Rooms has how present it is.
	Sessions []json.RawMessage `json:"sessions"`
	Children []AgentRow        `json:"children"`
}

// NamedText is a tool or a model of an agent.
type NamedText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// AgentRoom is a room that an agent is a member of.
type AgentRoom struct {
	RoomID   string      `json:"room_id"`
	RoomName string      `json:"room_name"`
	Archived bool        `json:"archived"`
	Status   core.Status `json:"status"`
	RoomRole *string     `json:"room_role"`
}

func getAgentDetail() *operation {
	return define("get_agent_detail",
		"Read everything about one agent, by its id (see list_agents or list_participants): what runs it and with which "+
			"options, its tools, the agents it is the parent of (children), and the rooms it is in with how present it is "+
			"in each (status). Of its private rooms you see only those that you are a member of too.",
		func(_ context.Context, r *Registry, c Caller, a agentDetailArgs) (any, error) {
			agent, ok := r.node.Agent(a.AgentID)
			if !ok {
				return nil, core.ErrNoAgent
			}
			return r.agentDetail(c, agent)
		})
}

func (r *Registry) agentDetail(c Caller, agent core.Agent) (*AgentDetail, error) {
	profile, err := profileOf(agent)
	if err != nil {
		return nil, err
	}
	out := &AgentDetail{
		AgentRow: agentRow(agent), AgentType: agent.Model, IntegrationProfile: profile, Tools: []NamedText{},
		Models: []NamedText{}, Rooms: []AgentRoom{}, Sessions: []json.RawMessage{}, Children: []AgentRow{},
	}
	for _, name := range knownTools(agent.KnownType) {
		out.Tools = append(out.Tools, NamedText{Name: name})
	}
	for _, s := range r.node.RoomsOf(agent.ID) {
		if r.mayKnow(c.Agent, s) {
			out.Rooms = append(out.Rooms, AgentRoom{
				RoomID: s.ID, RoomName: s.Name, Archived: s.Archived, Status: r.node.Presence(agent.ID, s.ID),
			})
		}
	}
	for _, child := range r.node.ChildrenOf(agent.ID) {
		out.Children = append(out.Children, agentRow(child))
	}
	return out, nil
}

// profile is what an agent says about how it is integrated.
type profile struct {
	ConnectionModel         *string             `json:"connection_model"`
	MessageExchange         bool                `json:"message_exchange"`
	PreInvocationMediation  []string            `json:"pre_invocation_mediation"`
	PostInvocationMediation []string            `json:"post_invocation_mediation"`
	EventReporting          []string            `json:"event_reporting"`
	TaskProtocol            taskProtocol        `json:"task_protocol"`
	CommandCapabilities     commandCapabilities `json:"command_capabilities"`
}

type taskProtocol struct {
	CanDelegate bool `json:"can_delegate"`
	CanAccept   bool `json:"can_accept"`
}

type commandCapabilities struct {
	Reset     string `json:"reset"`
	Compact   string `json:"compact"`
	Interrupt string `json:"interrupt"`
}

// profileOf is the profile that was registered. An agent that came through a door where none is said exchanges messages
// and obeys no commands.
func profileOf(a core.Agent) (json.RawMessage, error) {
	if len(a.Profile) > 0 {
		return a.Profile, nil
	}
	const unsupported = "unsupported"
	out, err := strictjson.Marshal(profile{
		ConnectionModel: orNull(a.Model), MessageExchange: true,
		PreInvocationMediation: []string{}, PostInvocationMediation: []string{}, EventReporting: []string{},
		TaskProtocol:        taskProtocol{CanDelegate: true, CanAccept: true},
		CommandCapabilities: commandCapabilities{Reset: unsupported, Compact: unsupported, Interrupt: unsupported},
	})
	if err != nil {
		return nil, fmt.Errorf("encode profile: %w", err)
	}
	return out, nil
}
