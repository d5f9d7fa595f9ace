package archive

import (
	"cmp"
	"slices"

	"stele/core"
)

// membersOf lists the members of a room in the order of joining.
func membersOf(r *core.Room) []memberHead {
	members := make([]*core.Member, 0, len(r.Members))
	for _, m := range r.Members {
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b *core.Member) int {
		return cmp.Or(cmp.Compare(a.Joined, b.Joined), cmp.Compare(a.Agent, b.Agent))
	})
	out := make([]memberHead, len(members))
	for i, m := range members {
		out[i] = memberHead{Agent: m.Agent, Name: m.Name, Handle: m.Handle, Side: m.Side}
	}
	return out
}
