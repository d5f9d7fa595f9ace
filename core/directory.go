package core

import (
	"maps"
	"time"
)

// Directory is what the directory's stream folds to: every agent, and the tokens that may register one.
type Directory struct {
	Version uint64 `json:"version"`
	// Agents by id. A record is never changed in place.
	Agents map[string]*Agent `json:"agents,omitempty"`
	// Tokens are the registration tokens by their SHA-256.
	Tokens map[string]TokenRecord `json:"tokens,omitempty"`
	// Opened tells that there was a registration token once, whatever became of it.
	Opened bool `json:"opened,omitempty"`
	// Deleted are the agents that are gone, by id, with the handle they had.
	Deleted map[string]string `json:"deleted,omitempty"`
	// Groups and References by id. A record is never changed in place.
	Groups     map[string]*Group     `json:"groups,omitempty"`
	References map[string]*Reference `json:"references,omitempty"`
	// Users by id; a record is never changed in place. UserKeys are their sessions and tokens by their SHA-256.
	Users    map[string]*User   `json:"users,omitempty"`
	UserKeys map[string]UserKey `json:"user_keys,omitempty"`

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
		d.Opened = true
		set(&d.Tokens, e.Hash, TokenRecord{Owner: e.Owner, CreatedAt: rec.At})
	case *TokenRevokedEvent:
		delete(d.Tokens, e.Hash)
	case *AgentRegisteredEvent:
		d.applyAgent(e.Agent)
	case *AgentChangedEvent:
		d.applyAgent(e.Agent)
	case *AgentDeletedEvent:
		d.applyDeleted(e.ID)
	case *GroupCreatedEvent:
		g := e.Group
		set(&d.Groups, g.ID, &g)
	case *ReferenceCreatedEvent:
		ref := e.Reference
		set(&d.References, ref.ID, &ref)
	case *UserSetEvent, *UserDeletedEvent, *UserKeyAddedEvent, *UserKeyRemovedEvent:
		d.applyUser(e)
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

// applyDeleted forgets an agent. Its children have no parent from then on.
func (d *Directory) applyDeleted(id string) {
	old := d.Agents[id]
	if old == nil {
		return
	}
	delete(d.keys, old.KeyHash)
	delete(d.handles, old.Handle)
	delete(d.Agents, id)
	set(&d.Deleted, id, old.Handle)
	for child, a := range d.Agents {
		if a.Parent == id {
			orphan := *a
			orphan.Parent = ""
			d.Agents[child] = &orphan
		}
	}
}

// Clone returns a directory that shares nothing that Apply changes.
func (d *Directory) Clone() *Directory {
	return &Directory{
		Version: d.Version, Opened: d.Opened, Agents: maps.Clone(d.Agents), Tokens: maps.Clone(d.Tokens), Deleted: maps.Clone(d.Deleted),
		Groups: maps.Clone(d.Groups), References: maps.Clone(d.References),
		Users: maps.Clone(d.Users), UserKeys: maps.Clone(d.UserKeys),
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
