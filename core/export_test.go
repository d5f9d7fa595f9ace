package core

// LateReaders is how many readers wait for the head to move.
func (n *Node) LateReaders() int {
	n.hub.lateMu.Lock()
	defer n.hub.lateMu.Unlock()
	return len(n.hub.late)
}

// Sightings is how many agents are remembered that were heard of without a connection.
func (n *Node) Sightings() int {
	n.sightings.mu.Lock()
	defer n.sightings.mu.Unlock()
	return len(n.sightings.until)
}

// ViewDirectory runs fn with the state of the directory, which it must not keep or change.
func (n *Node) ViewDirectory(fn func(*Directory)) { n.directory.view(fn) }

// DecodeRecord makes the typed payload of a record.
func DecodeRecord(rec *Recorded) error { return rec.decode() }
