package core

import (
	"context"
	"slices"
	"strings"
)

// Register adds an agent and returns its API key, which is shown this once. Errors: *[NameTakenError], [ErrNotOwner],
// [ErrNoToken] when the registration token was revoked meanwhile, *[InvalidError], *[TooLongError].
func (n *Node) Register(ctx context.Context, r Registration) (Registered, error) {
	cmd, key := n.registration(r)
	cmd.by = actorOf(ctx)
	agent, _, err := propose(ctx, n.directory, cmd, nil)
	if err != nil {
		return Registered{}, err
	}
	return Registered{Agent: agent, Key: key}, nil
}

// RegisterAll adds several agents with different handles, or none of them, at most MaxTogether. parent must exist; empty:
// none is needed. Errors: [ErrNoAgent] for the parent, *[NamesTakenError], and those of Register.
func (n *Node) RegisterAll(ctx context.Context, parent string, all []Registration) ([]Registered, error) {
	cmd := registerAll{parent: parent}
	made := make([]Registered, len(all))
	for i, r := range all {
		one, key := n.registration(r)
		made[i].Key = key
		cmd.agents = append(cmd.agents, one)
	}
	agents, _, err := propose(ctx, n.directory, cmd, nil)
	if err != nil {
		return nil, err
	}
	for i, a := range agents {
		made[i].Agent = a
	}
	return made, nil
}

// registration makes the command for a registration, and the key that the agent is going to have.
func (n *Node) registration(r Registration) (cmd registerAgent, key string) {
	key = n.ids.Secret(apiKeyPrefix, secretBytes)
	a := r.Agent
	a.ID = n.ids.New(AgentPrefix, n.now())
	a.KeyHash = HashSecret(key)
	cmd = registerAgent{agent: a, overwrite: r.Overwrite, derive: r.DeriveHandle}
	if r.Token.Kind == RegistrationToken {
		cmd.token = r.Token.hash
	}
	return cmd, key
}

// Agent returns an agent by id.
func (n *Node) Agent(id string) (a Agent, ok bool) {
	n.directory.view(func(d *Directory) {
		if found := d.Agents[id]; found != nil {
			a, ok = *found, true
		}
	})
	return a, ok
}

// AgentByHandle returns an agent by what it is addressed by.
func (n *Node) AgentByHandle(handle string) (a Agent, ok bool) {
	n.directory.view(func(d *Directory) {
		if id, found := d.handles[handle]; found {
			a, ok = *d.Agents[id], true
		}
	})
	return a, ok
}

// Agents lists every agent, by handle.
func (n *Node) Agents() (out []Agent) {
	n.directory.view(func(d *Directory) {
		for _, a := range d.Agents {
			out = append(out, *a)
		}
	})
	slices.SortFunc(out, func(a, b Agent) int { return strings.Compare(a.Handle, b.Handle) })
	return out
}

// ChildrenOf lists the agents whose parent is the one given, by handle.
func (n *Node) ChildrenOf(parent string) (out []Agent) {
	n.directory.view(func(d *Directory) {
		for _, a := range d.Agents {
			if a.Parent == parent {
				out = append(out, *a)
			}
		}
	})
	slices.SortFunc(out, func(a, b Agent) int { return strings.Compare(a.Handle, b.Handle) })
	return out
}
