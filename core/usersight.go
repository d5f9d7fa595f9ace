package core

// Owns tells whether something of an owner is the person's to see and change.
func (u User) Owns(owner string) bool { return u.Admin || owner != "" && owner == u.Name }

// RoomsSeenBy tells of rooms whether a person may look into them: an administrator into all, others into those that are
// theirs, or in which one of their agents, or they themselves, are members.
func (n *Node) RoomsSeenBy(u User) func(Summary) bool {
	if u.Admin {
		return func(Summary) bool { return true }
	}
	member := map[string]bool{}
	for _, a := range n.Agents() {
		if u.Owns(a.Owner) {
			for _, id := range n.index.roomIDsOf(a.ID) {
				member[id] = true
			}
		}
	}
	return func(sum Summary) bool { return u.Owns(sum.Owner) || member[sum.ID] }
}

// Shows tells whether a person may read an event of a room that it may look into: one that is for some agents alone is for
// whom one of them belongs to.
func (n *Node) Shows(u User, e *Entry) bool {
	parties := PartiesOf(e)
	if parties == nil || u.Admin {
		return true
	}
	for _, id := range parties {
		if a, ok := n.Agent(id); ok && u.Owns(a.Owner) {
			return true
		}
	}
	return false
}
