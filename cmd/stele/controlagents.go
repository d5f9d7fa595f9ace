package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stele/core"
)

// agentInfo is an agent as an operator sees it.
type agentInfo struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Owner       string          `json:"owner"`
	Description string          `json:"description"`
	KnownType   string          `json:"known_agent_type"`
	Connector   string          `json:"connector_type"`
	Model       string          `json:"connection_model"`
	Parent      string          `json:"parent_agent_id"`
	Options     json.RawMessage `json:"known_agent_options,omitempty"`
	// Policy is null when everybody may address the agent.
	Policy    *core.AddressingPolicy `json:"addressing_policy"`
	Rooms     int                    `json:"rooms"`
	CreatedAt time.Time              `json:"created_at"`
	KeyedAt   time.Time              `json:"keyed_at"`
}

func infoOf(node *core.Node, a core.Agent) agentInfo {
	return agentInfo{
		ID: a.ID, Name: a.Handle, Owner: a.Owner, Description: a.Description, KnownType: a.KnownType, Connector: a.Connector,
		Model: a.Model, Parent: a.Parent, Options: a.Options, Policy: a.Policy, Rooms: len(node.RoomsOf(a.ID)),
		CreatedAt: a.CreatedAt, KeyedAt: a.KeyedAt,
	}
}

func listAgents() control[ofOwner, []agentInfo] {
	return control[ofOwner, []agentInfo]{
		name: "list-agents",
		run: func(_ context.Context, node *core.Node, req ofOwner) ([]agentInfo, error) {
			out := []agentInfo{}
			for _, a := range node.Agents() {
				if req.matches(a.Owner) {
					out = append(out, infoOf(node, a))
				}
			}
			return out, nil
		},
	}
}

// whichAgent names an agent by its id or its name.
type whichAgent struct {
	ofOwner
	Agent string `json:"agent"`
}

// find looks among ids first: a name may be chosen to look like somebody's id, an id may not.
func (w whichAgent) find(node *core.Node) (core.Agent, error) {
	a, ok := node.Agent(w.Agent)
	if !ok {
		a, ok = node.AgentByHandle(w.Agent)
	}
	if !ok || !w.matches(a.Owner) {
		return core.Agent{}, fmt.Errorf("%w%s: %q", core.ErrNoAgent, w.ofOwner, w.Agent)
	}
	return a, nil
}

// newKey is an API key that was just made.
type newKey struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Key is shown this once.
	Key string `json:"api_key"`
}

func rotateKey() control[whichAgent, newKey] {
	return control[whichAgent, newKey]{
		name: "rotate-key",
		run: func(ctx context.Context, node *core.Node, req whichAgent) (newKey, error) {
			a, err := req.find(node)
			if err != nil {
				return newKey{}, err
			}
			made, err := node.RotateKey(ctx, a.ID)
			return newKey{ID: a.ID, Name: a.Handle, Key: made.Key}, err
		},
	}
}

func deleteAgent() control[whichAgent, agentInfo] {
	return control[whichAgent, agentInfo]{
		name: "delete-agent",
		run: func(ctx context.Context, node *core.Node, req whichAgent) (agentInfo, error) {
			a, err := req.find(node)
			if err != nil {
				return agentInfo{}, err
			}
			return infoOf(node, a), node.DeleteAgent(ctx, a.ID)
		},
	}
}

// openToAll and openToOwner are policies that have a name.
const (
	openToAll   = "open"
	openToOwner = "owner-agents"
)

// policyOf says who may address an agent: whoever a named policy means, or the one given.
type policyOf struct {
	whichAgent
	Named  string                 `json:"named,omitempty"`
	Policy *core.AddressingPolicy `json:"policy,omitempty"`
}

func setPolicy() control[policyOf, agentInfo] {
	return control[policyOf, agentInfo]{
		name: "set-policy",
		run: func(ctx context.Context, node *core.Node, req policyOf) (agentInfo, error) {
			a, err := req.find(node)
			if err != nil {
				return agentInfo{}, err
			}
			policy := req.Policy
			switch {
			case req.Named == openToOwner:
				policy = &core.AddressingPolicy{Rules: []core.AddressingRule{{
					Rooms: []string{"*"}, Users: []string{}, Agents: []string{}, Owner: true, OwnerAgents: true,
				}}}
			case req.Named == openToAll:
				policy = &core.AddressingPolicy{}
			case req.Named != "":
				return agentInfo{}, fmt.Errorf("there is no policy %q, only %q and %q", req.Named, openToAll, openToOwner)
			case policy == nil || len(policy.Rules) == 0:
				return agentInfo{}, fmt.Errorf("the policy has no rules; to let everybody in, say %q", openToAll)
			}
			changed, err := node.ChangeAgent(ctx, core.ChangeAgent{Agent: a.ID, Policy: policy})
			return infoOf(node, changed), err
		},
	}
}

// commandTo tells an agent in a room to do something with itself.
type commandTo struct {
	whichAgent
	Room    string            `json:"room"`
	Command core.AgentCommand `json:"command"`
	Args    string            `json:"args"`
	As      string            `json:"as"`
}

// commandSent is where a command went.
type commandSent struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Room    string            `json:"room"`
	Command core.AgentCommand `json:"command"`
}

func sendCommand() control[commandTo, commandSent] {
	return control[commandTo, commandSent]{
		name: "send-command",
		run: func(ctx context.Context, node *core.Node, req commandTo) (commandSent, error) {
			a, err := req.find(node)
			if err != nil {
				return commandSent{}, err
			}
			room, err := findRoom(node, req.Room)
			if err != nil {
				return commandSent{}, err
			}
			_, err = node.SendCommand(ctx, room, core.SendCommand{
				By: core.Person{ID: req.As, Name: req.As}, Target: a.ID, Command: req.Command, Args: req.Args,
			})
			return commandSent{ID: a.ID, Name: a.Handle, Room: room, Command: req.Command}, err
		},
	}
}

// findRoom finds a room by its id, or by its name where only one room has it.
func findRoom(node *core.Node, which string) (string, error) {
	if _, ok := node.Room(which); ok {
		return which, nil
	}
	found := ""
	for _, r := range node.Rooms() {
		if r.Name != which {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("several rooms are called %q: give the id of the one that is meant", which)
		}
		found = r.ID
	}
	if found == "" {
		return "", fmt.Errorf("%w: %q", core.ErrNoRoom, which)
	}
	return found, nil
}
