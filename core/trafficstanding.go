package core

// Standing is how a node does, for operators. Its zero value is that of a node that does well.
type Standing struct {
	// Stopped is why the node stopped by itself, nil while it runs. Refusing is why the newest append failed, nil when it did
	// not: the node reads and takes no commands. Draining: it takes no more commands because it is about to end.
	Stopped, Refusing error
	Draining          bool
	// Conflicts counts how often another node wrote first, since the start.
	Conflicts int64
	// Unerased counts the purged rooms whose content may not be destroyed everywhere yet, OverRetention the closed ones that
	// kept theirs for longer than they may.
	Unerased, OverRetention int
}

// Standing tells how the node does.
func (n *Node) Standing() Standing {
	s := Standing{Stopped: n.Err(), Conflicts: n.Conflicts(), Unerased: len(n.index.unerased()), OverRetention: n.PurgeStanding().OverRetention}
	if why := n.refusal.Load(); why != nil && n.Refusing() {
		s.Refusing = *why
	}
	n.gate.Lock()
	defer n.gate.Unlock()
	s.Draining = n.draining
	return s
}
