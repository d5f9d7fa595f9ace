package agentswitch

import "stele/internal/strictjson"

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
