package core

import (
	"fmt"
	"regexp"
	"strings"
)

// HandleForm is what a handle looks like (Switch protocol: agent names).
var HandleForm = regexp.MustCompile(`\A[a-z0-9][a-z0-9._-]*\z`)

// MaxNameCharacters bounds a name or handle.
const MaxNameCharacters = 256

// MaxTogether is how many agents one command registers at most.
const MaxTogether = 256

// Registration asks for an agent. ID, KeyHash, CreatedAt and what belongs to the key are set by the node.
type Registration struct {
	Agent Agent
	// Token is the registration token that the request came with. If it is one, it must be valid still, and the agent
	// belongs to its owner.
	Token Credential
	// Overwrite replaces what is known of the agent with the same handle; only its owner may. The agent keeps its id, its
	// rooms, its addressing policy, and its icon where none is given; everything else, also its key, is as in Agent
	// (Switch protocol: names and overwrite).
	Overwrite bool
	// DeriveHandle makes the handle from the name, for doors where names need not be unique.
	DeriveHandle bool
}

// Registered is the answer to a registration.
type Registered struct {
	Agent Agent
	// Key is the API key, shown this once.
	Key string `json:"-"`
}

// registerAgent adds an agent, or replaces what is known of the one with the same handle.
type registerAgent struct {
	agent Agent
	// token is the hash of the registration token, empty where none is needed.
	token     string
	overwrite bool
	// derive makes the handle from the name and appends a number while it is taken.
	derive bool
	// by is who acted, if somebody did so for another.
	by string
}

func (c registerAgent) decide(d *Directory, env Env) ([]Payload, Agent, error) {
	a, err := c.settle(d, env)
	if err != nil {
		return nil, Agent{}, err
	}
	return []Payload{&AgentRegisteredEvent{Agent: a, By: c.by}}, a, nil
}

// settle makes the record.
func (c registerAgent) settle(d *Directory, env Env) (Agent, error) {
	a := c.agent
	if c.token != "" {
		token, valid := d.Tokens[c.token]
		if !valid {
			return Agent{}, ErrNoToken
		}
		a.Owner = token.Owner
	}
	if c.derive {
		a.Handle = d.freeHandle(a.Name, a.ID)
	}
	if !HandleForm.MatchString(a.Handle) || len(a.Handle) > MaxNameCharacters {
		return Agent{}, &InvalidError{
			Field:  "name",
			Reason: fmt.Sprintf("must match ^[a-z0-9][a-z0-9._-]*$ and have at most %d characters", MaxNameCharacters),
		}
	}
	a.CreatedAt, a.KeyedAt, a.KeyGeneration, a.RegisteredModel = env.Now, env.Now, 0, a.Model
	if id, taken := d.handles[a.Handle]; taken {
		if !c.overwrite || d.isPerson(id) {
			return Agent{}, &NameTakenError{Name: a.Handle}
		}
		old := d.Agents[id]
		if old.Owner != a.Owner {
			return Agent{}, ErrNotOwner
		}
		a.ID, a.CreatedAt, a.Policy, a.KeyGeneration = old.ID, old.CreatedAt, old.Policy, old.KeyGeneration+1
		setDefault(&a.IconURL, old.IconURL)
	}
	if err := d.checkParent(&a); err != nil {
		return Agent{}, err
	}
	return a, a.check()
}

// registerAll adds several agents, or none of them.
type registerAll struct {
	// parent must exist, unless it is empty.
	parent string
	agents []registerAgent
}

func (c registerAll) decide(d *Directory, env Env) ([]Payload, []Agent, error) {
	if c.parent != "" && d.Agents[c.parent] == nil {
		return nil, nil, ErrNoAgent
	}
	if err := c.checkNames(d); err != nil {
		return nil, nil, err
	}
	events, made := make([]Payload, len(c.agents)), make([]Agent, len(c.agents))
	for i, one := range c.agents {
		a, err := one.settle(d, env)
		if err != nil {
			return nil, nil, err
		}
		events[i], made[i] = &AgentRegisteredEvent{Agent: a}, a
	}
	return events, made, nil
}

// checkNames finds all names that are taken, and any that comes twice.
func (c registerAll) checkNames(d *Directory) error {
	if len(c.agents) > MaxTogether {
		return &InvalidError{Field: "subagents", Reason: fmt.Sprintf("must be at most %d at once", MaxTogether)}
	}
	seen := make(map[string]bool, len(c.agents))
	var taken []string
	for _, one := range c.agents {
		handle := one.agent.Handle
		if seen[handle] {
			return &InvalidError{Field: "subagents", Reason: fmt.Sprintf("%q is named twice", handle)}
		}
		seen[handle] = true
		if _, exists := d.handles[handle]; exists && !one.overwrite {
			taken = append(taken, handle)
		}
	}
	if taken != nil {
		return &NamesTakenError{Names: taken}
	}
	return nil
}

// checkParent makes sure that the parent of an agent is another agent of the same owner, and none of its own descendants.
// Invitations can go to an agent with all its children, so nobody may put his agent below somebody else's.
func (d *Directory) checkParent(a *Agent) error {
	if a.Parent == "" {
		return nil
	}
	parent := d.Agents[a.Parent]
	switch {
	case a.Parent == a.ID:
		return &InvalidError{Field: "parent_agent_id", Reason: "an agent cannot be its own parent"}
	case parent == nil:
		return &InvalidError{Field: "parent_agent_id", Reason: "no such agent"}
	case parent.Owner != a.Owner:
		return ErrNotOwner
	}
	for range d.Agents {
		if parent == nil {
			break
		}
		if parent.Parent == a.ID {
			return &InvalidError{Field: "parent_agent_id", Reason: "an agent cannot be below its own descendant"}
		}
		parent = d.Agents[parent.Parent]
	}
	return nil
}

// freeHandle turns a name into a handle that nobody has.
func (d *Directory) freeHandle(name, id string) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.ToLower(name))
	base = strings.TrimLeft(base, "._-")
	if base == "" {
		base = "agent"
	}
	if len(base) > MaxNameCharacters-12 {
		base = base[:MaxNameCharacters-12]
	}
	handle := base
	for n := 2; n < handleTries; n++ {
		if _, taken := d.handles[handle]; !taken {
			return handle
		}
		handle = fmt.Sprintf("%s-%d", base, n)
	}
	return base + "-" + id[len(id)-8:]
}

// handleTries bounds the search for a free number; beyond it the handle ends in digits of the agent's id.
const handleTries = 32
