package core

import "time"

// Env is what a decision may know beside the state and the command: the time and fresh ids.
type Env struct {
	// Now is in UTC, whole milliseconds.
	Now time.Time
	// IDs makes ids and secrets.
	IDs IDs
}

// millis is the resolution of every time in the log.
func millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
