package core

import (
	"context"
	"slices"
	"strings"
)

// Registration asks for an agent. ID, KeyHash and CreatedAt of Agent are set by the node.
type Registration struct {
	Agent Agent
	// Overwrite replaces what is known of the agent with the same handle; only its owner may.
	Overwrite bool
	// DeriveHandle makes the handle from the name, for doors where names need not be unique.
	DeriveHandle bool
}

// Register adds an agent and returns its API key, which is shown this once. Errors: *[NameTakenError], [ErrNotOwner],
// *[InvalidError].
func (n *Node) Register(ctx context.Context, r Registration) (Registered, error) {
	key := n.ids.Secret(apiKeyPrefix, secretBytes)
	a := r.Agent
	a.ID = n.ids.New(AgentPrefix, n.now())
	a.KeyHash = HashSecret(key)
	agent, _, err := propose(ctx, n.directory, registerAgent{
		agent: a, overwrite: r.Overwrite, derive: r.DeriveHandle,
	}, nil)
	return Registered{Agent: agent, Key: key}, err
}

// NewRegistrationToken makes a token with which an owner registers agents.
func (n *Node) NewRegistrationToken(ctx context.Context, owner string) (token string, err error) {
	token = n.ids.Secret("", tokenBytes)
	return token, n.AddRegistrationToken(ctx, owner, token)
}

// AddRegistrationToken lets an owner register agents with a token of the caller's choice; repeating it changes nothing.
func (n *Node) AddRegistrationToken(ctx context.Context, owner, token string) error {
	_, _, err := propose(ctx, n.directory, addToken{owner: owner, hash: HashSecret(token)}, nil)
	return err
}

// HasRegistrationTokens tells whether anybody can register agents.
func (n *Node) HasRegistrationTokens() (has bool) {
	n.directory.view(func(d *Directory) { has = len(d.Tokens) > 0 })
	return has
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
