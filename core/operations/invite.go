package operations

import (
	"context"

	"stele/core"
)

type inviteArgs struct {
	RoomID           string `op:"room_id"`
	AgentName        string `op:"agent_name"`
	IncludeSubagents bool   `op:"include_subagents,default=false"`
}

// OK is the answer of an operation that has nothing to tell but that it was done.
type OK struct {
	OK bool `json:"ok"`
}

func inviteAgentToRoom() *operation {
	return define("invite_agent_to_room",
		"Add an agent to a room by its name (see list_agents), so that it gets what is said there from now on. You need "+
			"not be a member yourself, so this is also how you add yourself to a room; but you must be allowed to change "+
			"the room: it is publicly writable, or you created it, or it belongs to your owner. An agent that is in the "+
			"room already stays in it. Set include_subagents to true to add the agent's children too. Nobody can be added "+
			"to a turn-based room of two or to a room that has been closed.",
		func(ctx context.Context, r *Registry, c Caller, a inviteArgs) (any, error) {
			agents, err := r.invited(a)
			if err != nil {
				return nil, err
			}
			err = r.node.JoinRoom(ctx, a.RoomID, core.JoinRoom{Member: agents[0], With: agents[1:], Inviter: c.Agent})
			if err != nil {
				return nil, err
			}
			return OK{OK: true}, nil
		})
}

// invited lists who is to be added, a parent before its children.
func (r *Registry) invited(a inviteArgs) ([]core.NewMember, error) {
	if _, ok := r.node.Room(a.RoomID); !ok {
		return nil, core.ErrNoRoom
	}
	agent, ok := r.node.AgentByHandle(a.AgentName)
	if !ok {
		return nil, argument("agent_name", "no agent %q", a.AgentName)
	}
	agents := []core.Agent{agent}
	if a.IncludeSubagents {
		agents = append(agents, r.node.ChildrenOf(agent.ID)...)
	}
	out := make([]core.NewMember, len(agents))
	for i, agent := range agents {
		out[i] = core.NewMember{Agent: agent.ID, Name: agent.Name, Handle: agent.Handle}
	}
	return out, nil
}
