package core

// ActiveSessions counts the session tokens that are valid now, for operators.
func (n *Node) ActiveSessions() int {
	now, byAgent := n.now(), map[string][]int{}
	n.index.mu.RLock()
	for _, s := range n.index.s.Sessions {
		if now.Before(s.Until) {
			byAgent[s.Agent] = append(byAgent[s.Agent], s.Generation)
		}
	}
	n.index.mu.RUnlock()
	active := 0
	for agent, generations := range byAgent {
		a, ok := n.Agent(agent)
		for _, g := range generations {
			if ok && g == a.KeyGeneration {
				active++
			}
		}
	}
	return active
}
