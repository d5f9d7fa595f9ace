package core

// wakeRekeyed wakes the readers of every agent whose record a batch replaced or removed, so that a stream that was opened
// with a key that is dead now looks at once whether it must end.
func (n *Node) wakeRekeyed(batch []Recorded) {
	for i := range batch {
		agent := ""
		switch e := batch[i].Payload.(type) {
		case *AgentRegisteredEvent:
			agent = e.Agent.ID
		case *AgentChangedEvent:
			agent = e.Agent.ID
		case *AgentDeletedEvent:
			agent = e.ID
		default:
			continue
		}
		n.hub.wakeFeeds(agent)
		n.inboxes.wakeInboxes(map[string]struct{}{agent: {}})
	}
}

// wakeFeeds wakes the readers of an agent.
func (h *hub) wakeFeeds(agent string) {
	h.mu.RLock()
	readers := make([]*Reader, 0, len(h.feeds[agent]))
	for r := range h.feeds[agent] {
		readers = append(readers, r)
	}
	h.mu.RUnlock()
	for _, r := range readers {
		r.wake()
	}
}

// KeyStands tells whether the agent's key that a credential rests on is its key still: it was not replaced, and the agent
// not deleted. A session or room token that merely ended by itself is no matter here.
func (n *Node) KeyStands(c Credential) (stands bool) {
	// Every turn of every stream asks: the record is looked at and not copied.
	n.directory.view(func(d *Directory) {
		a := d.Agents[c.Agent]
		stands = a != nil && a.KeyGeneration == c.generation
	})
	return stands
}
