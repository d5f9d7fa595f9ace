package core

// AckedTurns tells up to which turn the members of a room said that they have read it. A member that never said so is not in
// it.
func (n *Node) AckedTurns(room string) map[string]int {
	x := n.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	acked := map[string]int{}
	for _, agent := range x.inRoom[room] {
		if entry := x.s.Agents[agent]; entry != nil {
			if turn, ok := entry.State.Acked[room]; ok {
				acked[agent] = turn
			}
		}
	}
	return acked
}
