package operations

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stele/core"
)

// RoleFacts are what every answer shows of a role.
type RoleFacts struct {
	Name          string   `json:"name"`
	Exclusive     bool     `json:"exclusive"`
	HeldBy        []Holder `json:"held_by"`
	AssumableByMe bool     `json:"assumable_by_me"`
}

// Role is a role of a room, with the beginning of its instructions.
type Role struct {
	RoleFacts
	InstructionsPreview string `json:"instructions_preview"`
}

// RoleDetail is a role of a room, with all its instructions.
type RoleDetail struct {
	RoleFacts
	Instructions string `json:"instructions"`
}

// Holder is an agent that holds a role.
type Holder struct {
	Name string `json:"name"`
	// PresentHere: the connection with which it took the role is in this room now. Otherwise SessionRoom is the name of the
	// room that it is in, null if it is in none or in several, or if the caller may not know of that room.
	PresentHere bool    `json:"present_here"`
	SessionRoom *string `json:"session_room"`
}

// previewCharacters is how much of a role's instructions a list shows (Switch protocol: 200 characters).
const previewCharacters = 200

// roles shows roles of a room to a caller, by name.
func (r *Registry) roles(ctx context.Context, c Caller, room string, defs []core.RoleDef) []Role {
	view := r.roleView(ctx, c, room)
	out := make([]Role, len(defs))
	for i, def := range defs {
		out[i] = Role{
			RoleFacts: view.facts(def), InstructionsPreview: firstCharacters(def.Instructions, previewCharacters),
		}
	}
	slices.SortFunc(out, func(a, b Role) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return out
}

// roleView is what a caller sees of who holds the roles of a room.
type roleView struct {
	registry *Registry
	caller   Caller
	room     string
	leases   []core.Lease
	// mine is the role that the caller holds, in whatever room.
	mine  core.Lease
	holds bool
	// ended: nobody takes a role in a room that takes no messages.
	ended bool
}

func (r *Registry) roleView(ctx context.Context, c Caller, room string) roleView {
	v := roleView{registry: r, caller: c, room: room, leases: r.node.LeasesIn(ctx, room)}
	v.mine, v.holds = r.node.LiveLease(ctx, c.Agent)
	sum, _ := r.node.Room(room)
	v.ended = sum.State == core.StateClosed || sum.State == core.StatePurged
	return v
}

func (v roleView) facts(def core.RoleDef) RoleFacts {
	out := RoleFacts{Name: def.Name, Exclusive: def.Exclusive, HeldBy: []Holder{}}
	out.AssumableByMe = !v.ended && (!v.holds || v.mine.Room == v.room && v.mine.Role == def.Name)
	for _, l := range v.leases {
		if l.Role != def.Name {
			continue
		}
		out.HeldBy = append(out.HeldBy, v.holder(l))
		if def.Exclusive && l.Agent != v.caller.Agent {
			out.AssumableByMe = false
		}
	}
	return out
}

func (v roleView) holder(l core.Lease) Holder {
	out := Holder{Name: v.registry.agentName(l.Agent)}
	if len(l.Claims) != 1 {
		return out
	}
	if out.PresentHere = l.Claims[0] == v.room; out.PresentHere {
		return out
	}
	// A caller that is bound to one room is told of no other.
	if elsewhere, ok := v.registry.node.Room(l.Claims[0]); ok && v.caller.Room == "" &&
		v.registry.mayKnow(v.caller.Agent, elsewhere) {
		out.SessionRoom = &elsewhere.Name
	}
	return out
}

// agentName is what an agent is addressed by; its id if it is gone.
func (r *Registry) agentName(id string) string {
	a, _ := r.node.Agent(id)
	return cmp.Or(a.Handle, a.Name, id)
}

// roleOf is the role that an agent holds in a room, nil if none.
func roleOf(leases []core.Lease, agent string) *string {
	for _, l := range leases {
		if l.Agent == agent {
			return &l.Role
		}
	}
	return nil
}

func firstCharacters(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
