package core

import "time"

// Env is what a decision may know beside the state and the command: the time, fresh ids, and what the
// node was told at its start.
type Env struct {
	// Now is in UTC, whole milliseconds.
	Now time.Time
	// IDs makes ids and secrets.
	IDs IDs
	// Lives are how long things live that begin now.
	Lives Lives
}

// millis is the resolution of every time in the log.
func millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
