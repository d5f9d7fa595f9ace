package agentswitch

import (
	"time"

	"stele/internal/isotime"
)

// Milliseconds returns a time as events and entries carry it.
func Milliseconds(t time.Time) int64 { return t.UnixMilli() }

// SpacedTime formats created_at of rooms and agents and last_seen_at: UTC with
// microseconds and a space, as in 2026-01-02 03:04:05.000006+00:00.
func SpacedTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000000+00:00") }

// ISOTime formats the times of tasks in operations: as SpacedTime, but with
// the T of ISO 8601.
func ISOTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// ParseTime reads a time in ISO 8601 as requests carry it, in any of the forms
// that the reference server's language takes; without a zone it is UTC.
func ParseTime(text string) (time.Time, bool) { return isotime.Parse(text) }
