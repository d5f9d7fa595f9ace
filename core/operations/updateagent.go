package operations

import (
	"context"
	"encoding/json"

	"stele/core"
)

type updateAgentArgs struct {
	AgentID       string                      `op:"agent_id"`
	Options       *map[string]json.RawMessage `op:"options,default=null"`
	ParentAgentID *string                     `op:"parent_agent_id,default=null"`
	ClearParent   bool                        `op:"clear_parent,default=false"`
}

func updateAgentDetail() *operation {
	return define("update_agent_detail",
		"Change the options or the parent of an agent that has the same owner as you; you may name yourself. options are "+
			"laid over those it has, key by key: what you do not name stays. Which it has depends on what runs it: "+
			"auto_session (true or false: start a session when a message comes) and repo_dir (a path, null for none) for "+
			"claude-code, codex and opencode; channels_enabled (true or false) and subagent_name (a name, null for none) for "+
			"claude-code only. parent_agent_id puts it below another agent of that owner, clear_parent below none. You get the agent "+
			"back as get_agent_detail shows it.",
		func(ctx context.Context, r *Registry, c Caller, a updateAgentArgs) (any, error) {
			cmd := core.ChangeAgent{Agent: a.AgentID, Actor: c.Agent, Parent: a.ParentAgentID}
			if a.Options != nil {
				cmd.Options, cmd.Rebuild = *a.Options, RebuildKnown
			}
			if a.ClearParent {
				cmd.Parent = new(string)
			}
			agent, err := r.node.ChangeAgent(ctx, cmd)
			if err != nil {
				return nil, err
			}
			return r.agentDetail(ctx, c, agent)
		})
}
