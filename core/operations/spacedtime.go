package operations

import "time"

// spacedTime writes a time as records of rooms and agents carry it (Switch protocol: date strings): microseconds, UTC,
// a space where ISO 8601 has a T.
func spacedTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000000-07:00") }
