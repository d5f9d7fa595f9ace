package core

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"
)

// Directory is what the directory's stream folds to: every agent, and the tokens that may register one.
type Directory struct {
	Version uint64 `json:"version"`
	// Agents by id. A record is never changed in place.
	Agents map[string]*Agent `json:"agents,omitempty"`
	// Tokens are the registration tokens by their SHA-256.
	Tokens map[string]TokenRecord `json:"tokens,omitempty"`
	// Deleted are the agents that are gone, by id, with the handle they had.
	Deleted map[string]string `json:"deleted,omitempty"`
	// Groups and References by id. A record is never changed in place.
	Groups     map[string]*Group     `json:"groups,omitempty"`
	References map[string]*Reference `json:"references,omitempty"`

	handles map[string]string
	keys    map[string]string
}

// TokenRecord is what is known of a registration token.
type TokenRecord struct {
	Owner     string    `json:"owner"`
	CreatedAt time.Time `json:"created_at"`
}

// Apply folds one event into the directory.
func (d *Directory) Apply(rec *Recorded) {
	d.Version = rec.Version
	switch e := rec.Payload.(type) {
	case *TokenCreatedEvent:
		set(&d.Tokens, e.Hash, TokenRecord{Owner: e.Owner, CreatedAt: rec.At})
	case *TokenRevokedEvent:
		delete(d.Tokens, e.Hash)
	case *AgentRegisteredEvent:
		d.applyAgent(e.Agent)
	case *AgentChangedEvent:
		d.applyAgent(e.Agent)
	case *AgentDeletedEvent:
		if old := d.Agents[e.ID]; old != nil {
			delete(d.keys, old.KeyHash)
			delete(d.handles, old.Handle)
			delete(d.Agents, e.ID)
			set(&d.Deleted, e.ID, old.Handle)
		}
	case *GroupCreatedEvent:
		g := e.Group
		set(&d.Groups, g.ID, &g)
	case *ReferenceCreatedEvent:
		ref := e.Reference
		set(&d.References, ref.ID, &ref)
	}
}

func (d *Directory) applyAgent(a Agent) {
	if old := d.Agents[a.ID]; old != nil {
		delete(d.keys, old.KeyHash)
	}
	set(&d.Agents, a.ID, &a)
	set(&d.handles, a.Handle, a.ID)
	set(&d.keys, a.KeyHash, a.ID)
}

// Clone returns a directory that shares nothing that Apply changes.
func (d *Directory) Clone() *Directory {
	return &Directory{
		Version: d.Version, Agents: maps.Clone(d.Agents), Tokens: maps.Clone(d.Tokens), Deleted: maps.Clone(d.Deleted),
		Groups: maps.Clone(d.Groups), References: maps.Clone(d.References),
		handles: maps.Clone(d.handles), keys: maps.Clone(d.keys),
	}
}

// reindex rebuilds the look-ups after the exported fields were loaded.
func (d *Directory) reindex() {
	for id, a := range d.Agents {
		set(&d.handles, a.Handle, id)
		set(&d.keys, a.KeyHash, id)
	}
}

// HandleForm is what a handle looks like (Switch protocol: agent names).
var HandleForm = regexp.MustCompile(`\A[a-z0-9][a-z0-9._-]*\z`)

// MaxNameCharacters bounds a name or handle.
const MaxNameCharacters = 256

// registerAgent adds an agent, or replaces what is known of the one with the same handle.
type registerAgent struct {
	agent     Agent
	overwrite bool
	// derive makes the handle from the name and appends a number while it is taken, for doors where names need not be
	// unique.
	derive bool
}

// Registered is the answer to a registration.
type Registered struct {
	Agent Agent
	// Key is the API key, shown this once.
	Key string `json:"-"`
}

func (c registerAgent) decide(d *Directory, env Env) ([]Payload, Agent, error) {
	a := c.agent
	if c.derive {
		a.Handle = d.freeHandle(a.Name, a.ID)
	}
	if !HandleForm.MatchString(a.Handle) || len(a.Handle) > MaxNameCharacters {
		return nil, Agent{}, &InvalidError{
			Field:  "name",
			Reason: fmt.Sprintf("must match ^[a-z0-9][a-z0-9._-]*$ and have at most %d characters", MaxNameCharacters),
		}
	}
	if a.Parent != "" && d.Agents[a.Parent] == nil {
		return nil, Agent{}, &InvalidError{Field: "parent_agent_id", Reason: "no such agent"}
	}
	a.CreatedAt, a.KeyedAt = env.Now, env.Now
	if id, taken := d.handles[a.Handle]; taken {
		old := d.Agents[id]
		if !c.overwrite {
			return nil, Agent{}, &NameTakenError{Name: a.Handle}
		}
		if old.Owner != a.Owner {
			return nil, Agent{}, ErrNotOwner
		}
		a.ID, a.CreatedAt = old.ID, old.CreatedAt
		if a.IconURL == "" {
			a.IconURL = old.IconURL
		}
		if a.Parent == a.ID {
			return nil, Agent{}, &InvalidError{Field: "parent_agent_id", Reason: "an agent cannot be its own parent"}
		}
	}
	return []Payload{&AgentRegisteredEvent{Agent: a}}, a, nil
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

// addToken lets whoever holds the token register agents for an owner; a token that is known already is left as it is.
type addToken struct{ owner, hash string }

func (c addToken) decide(d *Directory, _ Env) ([]Payload, struct{}, error) {
	if _, known := d.Tokens[c.hash]; known {
		return nil, struct{}{}, nil
	}
	return []Payload{&TokenCreatedEvent{Owner: c.owner, Hash: c.hash}}, struct{}{}, nil
}
