package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

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
	// Sessions are the rooms that its live connections have claimed. Ids and clients of connections are nobody's business.
	Sessions []AgentSession `json:"sessions"`
	Children []AgentRow     `json:"children"`
}

// AgentSession is a room that an agent is at work in.
type AgentSession struct {
	// RoomID and RoomName are null for a session that has entered no room.
	RoomID   *string `json:"room_id"`
	RoomName *string `json:"room_name"`
	// Lifecycle is "connection", or "heartbeat" for a client that has none and says that it is there. State is always
	// "live": what was not heard of in time is no session.
	Lifecycle  string `json:"lifecycle"`
	State      string `json:"state"`
	LastSeenAt string `json:"last_seen_at"`
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
			"options, its tools and models, the agents it is the parent of (children), the rooms it is in with how present "+
			"it is in each (status), and its sessions: the rooms it is at work in just now, or null for one that is in none. Of "+
			"its private rooms you see only those that you are a member of too or that are your owner's.",
		func(ctx context.Context, r *Registry, c Caller, a agentDetailArgs) (any, error) {
			agent, ok := r.node.Agent(a.AgentID)
			if !ok {
				return nil, core.ErrNoAgent
			}
			return r.agentDetail(ctx, c, agent)
		})
}

func (r *Registry) agentDetail(ctx context.Context, c Caller, agent core.Agent) (*AgentDetail, error) {
	profile, err := profileOf(agent)
	if err != nil {
		return nil, err
	}
	out := &AgentDetail{
		AgentRow: r.agentRow(c, agent), AgentType: cmp.Or(agent.RegisteredModel, agent.Model), IntegrationProfile: profile,
		Tools: namedTexts(agent.Tools), Models: namedTexts(agent.Models), Rooms: []AgentRoom{},
		Sessions: r.sessionsOf(ctx, c, agent.ID), Children: []AgentRow{},
	}
	lease, holds := r.node.LiveLease(ctx, agent.ID)
	for _, s := range r.node.RoomsOf(agent.ID) {
		if !r.mayKnow(c.Agent, s) {
			continue
		}
		row := AgentRoom{RoomID: s.ID, RoomName: s.Name, Archived: s.Archived, Status: r.node.Presence(agent.ID, s.ID)}
		if holds && lease.Room == s.ID {
			row.RoomRole = &lease.Role
		}
		out.Rooms = append(out.Rooms, row)
	}
	for _, child := range r.node.ChildrenOf(agent.ID) {
		out.Children = append(out.Children, r.agentRow(c, child))
	}
	return out, nil
}

func namedTexts(abilities []core.Ability) []NamedText {
	out := make([]NamedText, len(abilities))
	for i, a := range abilities {
		out[i] = NamedText{Name: a.Name, Description: a.Description}
	}
	return out
}

// sessionsOf shows where an agent is at work, as far as the caller may know of those rooms.
func (r *Registry) sessionsOf(ctx context.Context, c Caller, agent string) []AgentSession {
	out := []AgentSession{}
	add := func(lifecycle, id string, seen time.Time) {
		s := AgentSession{Lifecycle: lifecycle, State: "live", LastSeenAt: spacedTime(seen)}
		if id != "" {
			room, ok := r.node.Room(id)
			if !ok || !r.mayKnow(c.Agent, room) {
				return
			}
			s.RoomID, s.RoomName = &id, &room.Name
		}
		out = append(out, s)
	}
	for _, conn := range r.node.LiveConnections(ctx, agent) {
		for _, id := range conn.Rooms {
			add("connection", id, conn.SeenAt)
		}
		if len(conn.Rooms) == 0 {
			add("connection", "", conn.SeenAt)
		}
	}
	for _, s := range r.node.SightingsOf(agent) {
		add("heartbeat", s.Room, s.At)
	}
	return out
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

// Values of commandCapabilities.
const (
	unsupported      = "unsupported"
	dependsOnSession = "session_dependent"
)

// profileOf is the profile that was registered. An agent that came through a door where none is said exchanges messages
// and obeys no commands.
func profileOf(a core.Agent) (json.RawMessage, error) {
	if len(a.Profile) > 0 {
		return a.Profile, nil
	}
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
