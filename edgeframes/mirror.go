package edgeframes

import "stele/edgeframes/superjson"

// mirror is the client's copy of the agent's state and message log, and where it is in
// each stream. The client's lock guards it.
type mirror struct {
	keep int

	state *superjson.Object
	// stateAt counts the changes of state, 0 before the first.
	stateAt uint64

	// messages are the newest of the log; first is the place of messages[0] in all
	// that came since the last snapshot, and epoch counts the snapshots.
	messages []Message
	first    int
	epoch    uint64

	messageCursor uint64
	eventCursor   uint64
}

func (m *mirror) cursor(s Stream) uint64 {
	switch s {
	case StreamMessages:
		return m.messageCursor
	case StreamEvents:
		return m.eventCursor
	}
	return 0
}

// cursors are what an attach frame resumes after.
func (m *mirror) cursors() map[Stream]uint64 {
	seen := make(map[Stream]uint64)
	for _, s := range []Stream{StreamMessages, StreamEvents} {
		if at := m.cursor(s); at > 0 {
			seen[s] = at
		}
	}
	if len(seen) == 0 {
		return nil
	}
	return seen
}

func (m *mirror) applyState(f State) {
	if f.Patch != nil {
		m.state = MergeObject(m.state, f.Patch)
	} else {
		m.state = f.Snapshot
	}
	m.stateAt++
}

// applyMessages takes a snapshot as the whole log, so its end is the cursor even when
// the server's log was reset to less than was seen.
func (m *mirror) applyMessages(f Messages) {
	if f.Appended == nil {
		m.messages, m.first, m.messageCursor = nil, 0, 0
		m.epoch++
	}
	for _, items := range [][]Message{f.Snapshot, f.Appended} {
		m.messages = append(m.messages, items...)
		for _, item := range items {
			m.messageCursor = max(m.messageCursor, item.Seq)
		}
	}
	// A copy now and then, not at each message; listeners keep the old one.
	if over := len(m.messages) - m.keep; over > m.keep/4 {
		m.messages = append(make([]Message, 0, m.keep+m.keep/2), m.messages[over:]...)
		m.first += over
	}
}
