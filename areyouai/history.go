package areyouai

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// ParseQuery reads a request's query string. One that does not parse to its end
// is invalid_request: what was lost of it may have been the cursor.
func ParseQuery(raw string) (url.Values, error) {
	q, err := url.ParseQuery(raw)
	if err != nil {
		e := InvalidRequest("The query string cannot be read. Write it as name=value pairs joined by &, with %XX for special characters.")
		e.cause = err
		return nil, e
	}
	return q, nil
}

// HistoryQuery is a parsed query of GET /v1/rooms/{id}/events/history.
type HistoryQuery struct {
	// Since is exclusive; 0 is the beginning. Whether a value above 0 is an
	// event of this room only the room can say.
	Since int64
	// Limit is in 1..HistoryPage.
	Limit int
}

// ParseHistoryQuery reads since and limit. An empty parameter counts as
// absent, a limit above HistoryPage is capped whatever its size.
// Source: contract, "events/history".
func (l Limits) ParseHistoryQuery(q url.Values) (HistoryQuery, error) {
	out := HistoryQuery{Limit: l.HistoryPage}
	since, err := ParseCursor(q.Get("since"), "")
	if err != nil {
		return HistoryQuery{}, err
	}
	out.Since = since
	raw := strings.TrimSpace(q.Get("limit"))
	if raw == "" {
		return out, nil
	}
	if !isDigits(raw) || strings.Trim(raw, "0") == "" {
		return HistoryQuery{}, InvalidRequest("Parameter limit must be an integer of 1 or more.")
	}
	if n, err := strconv.Atoi(raw); err == nil && n < l.HistoryPage {
		out.Limit = n
	}
	return out, nil
}

// ParseCursor returns where an event stream starts: the since parameter when
// it is not empty, else the Last-Event-ID header, else 0. Anything but an
// integer of 0 or more is invalid_request.
// Source: contract, "Streams", row "Resume".
func ParseCursor(since, lastEventID string) (int64, error) {
	name, raw := "Parameter since", strings.TrimSpace(since)
	if raw == "" {
		name, raw = "Header Last-Event-ID", strings.TrimSpace(lastEventID)
	}
	if raw == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || !isDigits(raw) {
		return 0, InvalidRequest(fmt.Sprintf("%s must be an event id, an integer of 0 or more.", name))
	}
	return n, nil
}

// isDigits rules out the signs that strconv accepts and the contract does not.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// HistoryReply is one page of events, ascending. NextSince is the last id
// returned, or the given since for an empty page.
type HistoryReply struct {
	RoomID    string  `json:"room_id"`
	Items     []Event `json:"items"`
	NextSince int64   `json:"next_since"`
}

// NewHistoryReply returns the page that follows since.
func NewHistoryReply(roomID string, since int64, items []Event) HistoryReply {
	if len(items) == 0 {
		return HistoryReply{RoomID: roomID, Items: []Event{}, NextSince: since}
	}
	return HistoryReply{RoomID: roomID, Items: items, NextSince: items[len(items)-1].EventID}
}
