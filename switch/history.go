package agentswitch

import (
	"net/http"
	"net/url"
	"time"
)

// HistoryQuery is the query of GET …/rooms/{room_id}/history.
type HistoryQuery struct {
	// Since, if set, bounds the history from below, inclusively.
	Since *time.Time
	// Before, if set, bounds the history from above, exclusively.
	Before *time.Time
	// Limit is how many of the newest events within the bounds are asked for;
	// never negative.
	Limit int
}

// ParseHistoryQuery reads the query of a room's history: the limit is
// DefaultReadLimit when absent, a bound that is absent or empty is none.
// Errors are an Error: 422 for a limit that is no integer, then 400 for a
// bound that is no time.
func ParseHistoryQuery(q url.Values) (HistoryQuery, error) {
	p := queryParser{q: q}
	req := HistoryQuery{Limit: DefaultReadLimit}
	if limit := p.integer("limit"); limit != nil {
		req.Limit = max(*limit, 0)
	}
	if err := unprocessable(p.issues); err != nil {
		return HistoryQuery{}, err
	}
	var err error
	if req.Since, err = timeBound(q, "since"); err != nil {
		return HistoryQuery{}, err
	}
	if req.Before, err = timeBound(q, "before"); err != nil {
		return HistoryQuery{}, err
	}
	return req, nil
}

func timeBound(q url.Values, name string) (*time.Time, error) {
	text := q.Get(name)
	if text == "" {
		return nil, nil
	}
	t, ok := ParseTime(text)
	if !ok {
		return nil, Refuse(http.StatusBadRequest, "%s must be a time in ISO 8601, such as 2026-01-31T12:00:00Z", name)
	}
	return &t, nil
}

// HistoryEvent is one message of a room's history.
type HistoryEvent struct {
	// Sender is the sender's stable id.
	Sender     string `json:"sender"`
	SenderName string `json:"sender_name"`
	Body       string `json:"body"`
	// Timestamp is in milliseconds since 1970.
	Timestamp *int64 `json:"timestamp"`
}

// HistoryAnswer is the answer of GET …/rooms/{room_id}/history.
type HistoryAnswer struct {
	// Events are oldest first, replies in threads among them.
	Events List[HistoryEvent] `json:"events"`
	// HasMore: there are older events within the bounds.
	HasMore bool `json:"has_more"`
}
