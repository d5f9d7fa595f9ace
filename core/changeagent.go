package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"stele/internal/strictjson"
)

// ChangeAgent changes what is known of an agent. What is nil stays as it was.
type ChangeAgent struct {
	Agent string
	// Actor, if set, is the agent that asks: it must have the same owner (Switch protocol: update_agent_detail).
	Actor       string
	Description *string
	// Profile replaces the profile and the connection model.
	Profile *Profile
	// Metadata replaces the metadata; an empty map clears it.
	Metadata map[string]json.RawMessage
	// Options are merged into those of an agent of a known type, key by key. Rebuild makes of the merged ones what the type
	// makes of them; it must be pure, and what it returns as an error refuses the change.
	Options map[string]json.RawMessage
	Rebuild func(knownType string, options map[string]json.RawMessage) (Rebuilt, error)
	// Parent becomes the agent's parent; an empty one takes it away.
	Parent *string
	// Policy says who may address the agent from now on; one without rules opens it to everybody.
	Policy *AddressingPolicy

	by string
}

// Profile says how an agent is integrated: its connection model (see [Agent]) and all of it as a JSON object.
type Profile struct {
	Model string
	JSON  json.RawMessage
}

// Rebuilt is what a known type makes of options: the options as they are stored, and the profile.
type Rebuilt struct {
	Options json.RawMessage
	Profile Profile
}

// ChangeAgent changes what is known of an agent. A change that leaves everything as it is writes nothing. Errors:
// [ErrNoAgent], [ErrNotOwner], *[InvalidError], *[TooLongError], and what Rebuild returned.
func (n *Node) ChangeAgent(ctx context.Context, cmd ChangeAgent) (Agent, error) {
	cmd.by = actorOf(ctx)
	agent, _, err := propose(ctx, n.directory, cmd, nil)
	return agent, err
}

func (c ChangeAgent) decide(d *Directory, _ Env) ([]Payload, Agent, error) {
	old := d.Agents[c.Agent]
	if old == nil {
		return nil, Agent{}, ErrNoAgent
	}
	if c.Actor != "" {
		actor := d.Agents[c.Actor]
		if actor == nil || actor.Owner == "" || actor.Owner != old.Owner {
			return nil, Agent{}, ErrNotOwner
		}
	}
	a := *old
	if err := c.apply(d, &a); err != nil {
		return nil, Agent{}, err
	}
	if err := a.check(); err != nil {
		return nil, Agent{}, err
	}
	before, err := strictjson.Marshal(old)
	if err != nil {
		return nil, Agent{}, fmt.Errorf("encode agent: %w", err)
	}
	after, err := strictjson.Marshal(a)
	if err != nil {
		return nil, Agent{}, fmt.Errorf("encode agent: %w", err)
	}
	if bytes.Equal(before, after) {
		return nil, a, nil
	}
	return []Payload{&AgentChangedEvent{Agent: a, By: c.by}}, a, nil
}

// apply makes the change in a copy of the record.
func (c ChangeAgent) apply(d *Directory, a *Agent) (err error) {
	assign(&a.Description, c.Description)
	if c.Profile != nil {
		a.Model, a.Profile = c.Profile.Model, c.Profile.JSON
	}
	if c.Metadata != nil {
		if a.Metadata, err = encodeMap(c.Metadata); err != nil {
			return fmt.Errorf("encode metadata: %w", err)
		}
	}
	if c.Options != nil {
		if err := c.merge(a); err != nil {
			return err
		}
	}
	if c.Policy != nil {
		a.Policy = c.Policy
		if len(c.Policy.Rules) == 0 {
			a.Policy = nil
		}
	}
	if c.Parent != nil && *c.Parent != a.Parent {
		a.Parent = *c.Parent
		return d.checkParent(a)
	}
	return nil
}

// merge puts options over those that the agent has and lets its type rebuild it.
func (c ChangeAgent) merge(a *Agent) error {
	if a.KnownType == "" {
		return &InvalidError{Field: "options", Reason: "the agent is of no known type and has none"}
	}
	options := map[string]json.RawMessage{}
	if len(a.Options) > 0 {
		stored, err := strictjson.DecodeObjectLimits(a.Options, storedLimits)
		if err != nil {
			return fmt.Errorf("stored options of %s: %w", a.ID, err)
		}
		options = stored
	}
	maps.Copy(options, c.Options)
	rebuilt, err := c.Rebuild(a.KnownType, options)
	if err != nil {
		return err
	}
	a.Options, a.Model, a.Profile = rebuilt.Options, rebuilt.Profile.Model, rebuilt.Profile.JSON
	return nil
}

// encodeMap is the JSON of a map, nil for an empty one.
func encodeMap(m map[string]json.RawMessage) (json.RawMessage, error) {
	if len(m) == 0 {
		return nil, nil
	}
	return strictjson.Marshal(m)
}

// RotateKey gives an agent a new API key, shown this once. The old one and every session and room token made under it end
// at once: whatever was opened with it shows nothing more, see [Node.KeyStands]. The agent's connections live on, for who
// beats for them with the new key. Errors: [ErrNoAgent], [ErrPerson].
func (n *Node) RotateKey(ctx context.Context, agent string) (Registered, error) {
	key := n.ids.Secret(apiKeyPrefix, secretBytes)
	changed, _, err := propose(ctx, n.directory, rotateKey{agent: agent, hash: HashSecret(key), by: actorOf(ctx)}, nil)
	if err != nil {
		return Registered{}, err
	}
	return Registered{Agent: changed, Key: key}, nil
}

// rotateKey replaces an agent's key.
type rotateKey struct{ agent, hash, by string }

func (c rotateKey) decide(d *Directory, env Env) ([]Payload, Agent, error) {
	old := d.Agents[c.agent]
	switch {
	case old == nil:
		return nil, Agent{}, ErrNoAgent
	case d.isPerson(c.agent):
		return nil, Agent{}, ErrPerson
	}
	a := *old
	a.KeyHash, a.KeyedAt, a.KeyGeneration = c.hash, env.Now, old.KeyGeneration+1
	return []Payload{&AgentChangedEvent{Agent: a, By: c.by}}, a, nil
}
