package core

import (
	"fmt"
	"slices"
)

// MaxPolicyRules bounds a policy: every rule may be looked at for every message.
const MaxPolicyRules = 64

// check finds what a policy of an owner's agent may not be. A rule that nothing can match is a mistake of whoever wrote
// it, who would find the agent unreachable.
func (p *AddressingPolicy) check(owner string) error {
	if p == nil {
		return nil
	}
	if len(p.Rules) > MaxPolicyRules {
		return &InvalidError{Field: "policy", Reason: fmt.Sprintf("must have at most %d rules", MaxPolicyRules)}
	}
	for i, r := range p.Rules {
		switch {
		case len(r.Rooms) == 0:
			return &InvalidError{Field: "policy", Reason: fmt.Sprintf(`rule %d covers no room: rooms must be ids, or "*" for all`, i+1)}
		case r.Groups != nil && len(r.Groups) == 0:
			return &InvalidError{Field: "policy", Reason: fmt.Sprintf(`rule %d covers no group: leave groups out for all`, i+1)}
		case len(r.Users)+len(r.Agents) == 0 && !r.Owner && !r.OwnerAgents:
			return &InvalidError{Field: "policy", Reason: fmt.Sprintf("rule %d admits nobody", i+1)}
		case r.OwnerAgents && owner == "":
			return &InvalidError{Field: "policy", Reason: fmt.Sprintf("rule %d admits agents of the same owner, but the agent has none", i+1)}
		}
	}
	return nil
}

// mayAddress tells whether a policy lets a sender address its agent in a room. An agent without rules is open to all.
func (p *AddressingPolicy) mayAddress(target, sender Agent, room, group string) bool {
	if p == nil || len(p.Rules) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Rules, func(r AddressingRule) bool {
		return r.covers(room, group) && r.admits(target, sender)
	})
}

func (r AddressingRule) covers(room, group string) bool {
	inRoom := slices.Contains(r.Rooms, "*") || slices.Contains(r.Rooms, room)
	inGroup := r.Groups == nil || slices.Contains(r.Groups, "*") || group != "" && slices.Contains(r.Groups, group)
	return inRoom && inGroup
}

func (r AddressingRule) admits(target, sender Agent) bool {
	return slices.Contains(r.Agents, sender.ID) ||
		r.OwnerAgents && target.Owner != "" && target.Owner == sender.Owner
}

// mayCommand tells whether a policy lets a person command its agent in a room.
func (p *AddressingPolicy) mayCommand(target Agent, person, room, group string) bool {
	if p == nil || len(p.Rules) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Rules, func(r AddressingRule) bool {
		return r.covers(room, group) &&
			(slices.Contains(r.Users, person) || r.Owner && target.Owner != "" && target.Owner == person)
	})
}

// MayAddress tells whether an agent may address another one in a room. An agent that does not exist cannot be addressed
// and addresses nobody who has rules.
func (n *Node) MayAddress(sender, target, room string) (may bool) {
	sum, _ := n.Room(room)
	n.directory.view(func(d *Directory) { may = d.mayAddress(sender, target, room, sum.Group) })
	return may
}

func (d *Directory) mayAddress(sender, target, room, group string) bool {
	t := d.Agents[target]
	if t == nil {
		return false
	}
	var from Agent
	if s := d.Agents[sender]; s != nil {
		from = *s
	}
	return t.Policy.mayAddress(*t, from, room, group)
}
