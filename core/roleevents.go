package core

import "slices"

// RoleDefinedEvent: the room has a new role.
type RoleDefinedEvent struct {
	RoleFacts
	RoleTexts
}

// RoleFacts is what stays of a role after its instructions were erased.
type RoleFacts struct {
	Role      string `json:"role"`
	Exclusive bool   `json:"exclusive,omitempty"`
	Actor     string `json:"actor"`
}

// RoleTexts is what people wrote about a role.
type RoleTexts struct {
	Instructions string `json:"instructions"`
}

// Kind implements [Payload].
func (e *RoleDefinedEvent) Kind() Kind                 { return RoleDefined }
func (e *RoleDefinedEvent) parts() (body, content any) { return &e.RoleFacts, &e.RoleTexts }

// RoleEditedEvent: a role changed; whoever holds it keeps what it was given. A field that is nil stayed as it was.
type RoleEditedEvent struct {
	RoleEditFacts
	RoleEditTexts
}

// RoleEditFacts is what stays of a change of a role after its texts were erased.
type RoleEditFacts struct {
	Role      string `json:"role"`
	Exclusive *bool  `json:"exclusive,omitempty"`
	Actor     string `json:"actor"`
}

// RoleEditTexts is what people wrote about a role anew.
type RoleEditTexts struct {
	Instructions *string `json:"instructions,omitempty"`
}

// Kind implements [Payload].
func (e *RoleEditedEvent) Kind() Kind                 { return RoleEdited }
func (e *RoleEditedEvent) parts() (body, content any) { return &e.RoleEditFacts, &e.RoleEditTexts }

// RoleDeletedEvent: a role is gone, and with it everybody's hold on it.
type RoleDeletedEvent struct {
	Role  string `json:"role"`
	Actor string `json:"actor"`
}

// Kind implements [Payload].
func (e *RoleDeletedEvent) Kind() Kind                 { return RoleDeleted }
func (e *RoleDeletedEvent) parts() (body, content any) { return e, nil }

// RoleAssumedEvent: an agent holds a role for as long as the connection with which it took it lives.
type RoleAssumedEvent struct {
	Agent string `json:"agent"`
	Role  string `json:"role"`
	// Connection and Generation say which life of which connection the hold is bound to.
	Connection string `json:"connection"`
	Generation int    `json:"generation"`
}

// Kind implements [Payload].
func (e *RoleAssumedEvent) Kind() Kind                 { return RoleAssumed }
func (e *RoleAssumedEvent) parts() (body, content any) { return e, nil }

// RoleReleasedEvent: an agent gave its role up.
type RoleReleasedEvent struct {
	Agent string `json:"agent"`
	Role  string `json:"role"`
}

// Kind implements [Payload].
func (e *RoleReleasedEvent) Kind() Kind                 { return RoleReleased }
func (e *RoleReleasedEvent) parts() (body, content any) { return e, nil }

func newRolePayload(kind Kind) Payload {
	switch kind {
	case RoleDefined:
		return &RoleDefinedEvent{}
	case RoleEdited:
		return &RoleEditedEvent{}
	case RoleDeleted:
		return &RoleDeletedEvent{}
	case RoleAssumed:
		return &RoleAssumedEvent{}
	}
	return &RoleReleasedEvent{}
}

// RoleLease is an agent's hold on a role of a room. It is live while the connection it is bound to lives, and while the
// agent has taken no role anywhere else since: see [Node.LiveLease].
type RoleLease struct {
	Role       string `json:"role"`
	Connection string `json:"connection"`
	Generation int    `json:"generation"`
	// Since is the version of the room at which it was taken, so that no two holds are the same.
	Since uint64 `json:"since"`
}

func (e *RoleAssumedEvent) lease(rec *Recorded) RoleLease {
	return RoleLease{Role: e.Role, Connection: e.Connection, Generation: e.Generation, Since: rec.Version}
}

// RoleOf finds a role by its exact name.
func (r *Room) RoleOf(name string) (RoleDef, bool) {
	for _, role := range r.Roles {
		if role.Name == name {
			return role, true
		}
	}
	return RoleDef{}, false
}

// applyRole folds an event about roles in.
func (r *Room) applyRole(rec *Recorded) {
	switch e := rec.Payload.(type) {
	case *RoleDefinedEvent:
		r.Roles = append(slices.Clone(r.Roles), RoleDef{Name: e.Role, Instructions: e.Instructions, Exclusive: e.Exclusive})
	case *RoleEditedEvent:
		r.Roles = slices.Clone(r.Roles)
		for i := range r.Roles {
			if r.Roles[i].Name == e.Role {
				assign(&r.Roles[i].Instructions, e.Instructions)
				assign(&r.Roles[i].Exclusive, e.Exclusive)
			}
		}
	case *RoleDeletedEvent:
		r.Roles = slices.DeleteFunc(slices.Clone(r.Roles), func(d RoleDef) bool { return d.Name == e.Role })
		for agent, lease := range r.Leases {
			if lease.Role == e.Role {
				delete(r.Leases, agent)
			}
		}
	case *RoleAssumedEvent:
		if !r.Imported.holds(rec.Version) {
			set(&r.Leases, e.Agent, e.lease(rec))
		}
	case *RoleReleasedEvent:
		delete(r.Leases, e.Agent)
	}
}
