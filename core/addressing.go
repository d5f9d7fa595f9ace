package core

import "slices"

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
