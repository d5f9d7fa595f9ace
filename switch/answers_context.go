package agentswitch

import (
	"time"

	"stele/internal/strictjson"
)

// ReadContextAnswer is the result of read_context.
type ReadContextAnswer struct {
	// Threads are ordered by their latest activity, most recent last.
	Threads List[Thread] `json:"threads"`
	// Truncated: the walk back stopped at the limit.
	Truncated bool `json:"truncated"`
	// OldestTimestamp is in milliseconds since 1970.
	OldestTimestamp *int64 `json:"oldest_timestamp"`
}

// Thread is a root and its replies, oldest first.
type Thread struct {
	Root    Entry       `json:"root"`
	Replies List[Entry] `json:"replies"`
}

// Entry is one message or arrival in a room's history.
type Entry struct {
	ID string `json:"id"`
	// Kind is EntryMessage or EntryRoomJoin.
	Kind       string `json:"kind"`
	Sender     string `json:"sender"`
	SenderName string `json:"sender_name"`
	Body       string `json:"body"`
	// Timestamp is in milliseconds since 1970.
	Timestamp   *int64           `json:"timestamp"`
	Attachments List[Attachment] `json:"attachments"`
	// Elided marks a root that was not found: a stub with an id and nothing
	// else, written with nulls and without attachments.
	Elided bool `json:"elided"`
}

// MarshalJSON implements json.Marshaler.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.Elided {
		return strictjson.Marshal(struct {
			ID         string  `json:"id"`
			Kind       string  `json:"kind"`
			Sender     *string `json:"sender"`
			SenderName *string `json:"sender_name"`
			Body       *string `json:"body"`
			Timestamp  *int64  `json:"timestamp"`
			Elided     bool    `json:"elided"`
		}{ID: e.ID, Kind: EntryMessage, Elided: true})
	}
	return strictjson.Marshal(struct {
		ID          string           `json:"id"`
		Kind        string           `json:"kind"`
		Sender      string           `json:"sender"`
		SenderName  string           `json:"sender_name"`
		Body        string           `json:"body"`
		Timestamp   *int64           `json:"timestamp"`
		Attachments List[Attachment] `json:"attachments"`
	}{e.ID, e.Kind, e.Sender, e.SenderName, e.Body, e.Timestamp, e.Attachments})
}

// Milliseconds returns a time as events and entries carry it.
func Milliseconds(t time.Time) int64 { return t.UnixMilli() }

// SpacedTime formats created_at of rooms and agents and last_seen_at: UTC with
// microseconds and a space, as in 2026-01-02 03:04:05.000006+00:00.
func SpacedTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000000+00:00") }

// ISOTime formats the times of tasks in operations: as SpacedTime, but with
// the T of ISO 8601.
func ISOTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// ParseTime reads a time in ISO 8601 as requests carry it: a date, or a date
// and a time of day after a T or a space, to the minute or finer. Z or an
// offset may follow; without one it is UTC.
func ParseTime(text string) (time.Time, bool) {
	for _, day := range []string{"2006-01-02T", "2006-01-02 "} {
		for _, clock := range []string{"15:04:05", "15:04"} {
			for _, zone := range []string{"Z07:00", "Z0700", ""} {
				if t, err := time.Parse(day+clock+zone, text); err == nil {
					return t.UTC(), true
				}
			}
		}
	}
	t, err := time.Parse(time.DateOnly, text)
	return t, err == nil
}
