package core

// LateReaders is how many readers wait for the head to move.
func (n *Node) LateReaders() int {
	n.hub.lateMu.Lock()
	defer n.hub.lateMu.Unlock()
	return len(n.hub.late)
}
