package agentswitch

// position is where a stream resumes.
type position struct {
	cursor uint64
	// placed: the cursor means something. Before that a stream starts at head.
	placed bool
}

// after returns the position behind a frame with that id; either may be
// missing.
//
// A stream that began at head is placed by its first frame: without that, what
// happens between an early break and the reopen would be lost. The cursor
// never goes back, with one exception: a gap that says that the server
// restarted. A server that counts from 1 again, and one that was restored from
// a backup and goes on from before what was lost, both name the place below
// the cursor behind which everything is new. Keeping the higher cursor, as the
// reference client does, costs all events up to it, one gap after another.
// What the server skipped itself is not asked for again, since a client can
// not tell it from what it had before.
func (p position) after(frame Frame, id string) position {
	switch f := frame.(type) {
	case ConnectionState:
		if !p.placed {
			return position{cursor: f.Cursor, placed: true}
		}
	case Gap:
		if !p.placed || f.ResumedAt > p.cursor || f.Restarted() {
			return position{cursor: f.ResumedAt, placed: true}
		}
	}
	if sequence, err := parseSequence(id); err == nil && (!p.placed || sequence > p.cursor) {
		return position{cursor: sequence, placed: true}
	}
	return p
}
