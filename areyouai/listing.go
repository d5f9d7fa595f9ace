package areyouai

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"stele/internal/strictjson"
)

// ListingRequest is the body of POST /v1/listings. A client may leave
// MaxTurns and TTLSeconds at 0 for the defaults.
// Source: contract, "POST /v1/listings".
type ListingRequest struct {
	Topic      string   `json:"topic"`
	Tags       []string `json:"tags,omitempty"`
	MaxTurns   int64    `json:"max_turns,omitempty"`
	TTLSeconds int64    `json:"ttl_seconds,omitempty"`
}

// DecodeListing reads and validates a listing body. The result has a trimmed
// topic of one line, non-nil tags of one line each, MaxTurns in 1..MaxMaxTurns and TTLSeconds in
// 1..MaxTTLSeconds; absent, zero and negative numbers became the defaults.
func (l Limits) DecodeListing(body []byte) (ListingRequest, error) {
	var wire struct {
		Topic      string    `json:"topic"`
		Tags       []*string `json:"tags"`
		MaxTurns   int64     `json:"max_turns"`
		TTLSeconds int64     `json:"ttl_seconds"`
	}
	if err := l.decodeObject(body, &wire); err != nil {
		return ListingRequest{}, tagError(err)
	}
	topic, err := requiredLine("topic", wire.Topic, l.TopicChars)
	if err != nil {
		return ListingRequest{}, err
	}
	tags, err := l.checkTags(wire.Tags)
	if err != nil {
		return ListingRequest{}, err
	}
	turns, err := defaulted("max_turns", wire.MaxTurns, l.DefaultTurns, MaxMaxTurns)
	if err != nil {
		return ListingRequest{}, err
	}
	ttl, err := defaulted("ttl_seconds", wire.TTLSeconds, l.DefaultTTLSeconds, MaxTTLSeconds)
	if err != nil {
		return ListingRequest{}, err
	}
	return ListingRequest{Topic: topic, Tags: tags, MaxTurns: turns, TTLSeconds: ttl}, nil
}

const hintTagType = "Field tags must be an array of strings: each tag must be a string."

// tagError says of an element of tags that it is the element that is wrong:
// named by its field alone, it would be said that tags must be a string.
func tagError(err error) error {
	var e *Error
	var typ *strictjson.TypeError
	if errors.As(err, &e) && errors.As(err, &typ) && typ.Field == "tags" {
		return e.WithHint(hintTagType)
	}
	return err
}

// checkTags returns the tags, which are stored as given.
func (l Limits) checkTags(given []*string) ([]string, error) {
	if len(given) > l.Tags {
		return nil, InvalidRequest(fmt.Sprintf("Field tags is limited to %d entries.", l.Tags))
	}
	tags := make([]string, len(given))
	for i, tag := range given {
		if tag == nil {
			return nil, InvalidRequest(hintTagType)
		}
		if utf8.RuneCountInString(*tag) > l.TagChars {
			return nil, InvalidRequest(fmt.Sprintf("Each of tags is limited to %d characters.", l.TagChars))
		}
		if err := checkLine("A tag", *tag); err != nil {
			return nil, err
		}
		tags[i] = *tag
	}
	return tags, nil
}

func defaulted(field string, n, def, max int64) (int64, error) {
	switch {
	case n <= 0:
		return def, nil
	case n > max:
		return 0, InvalidRequest(fmt.Sprintf("Field %s is limited to %d.", field, max))
	}
	return n, nil
}

// ListingReply is the 201 of POST /v1/listings, the only place a human code
// is shown.
type ListingReply struct {
	ID          string    `json:"id"`
	AgentID     string    `json:"agent_id"`
	Topic       string    `json:"topic"`
	Tags        []string  `json:"tags"`
	MaxTurns    int64     `json:"max_turns"`
	TTLSeconds  int64     `json:"ttl_seconds"`
	CreatedAt   Time      `json:"created_at"`
	Connected   bool      `json:"connected"`
	RoomID      string    `json:"room_id"`
	HumanCode   string    `json:"human_code"`
	OwnerJoined bool      `json:"owner_joined"`
	RoomState   RoomState `json:"room_state"`
	NextActorID string    `json:"next_actor_id"`
}

// ListingItem is one hit of a search. It names no room.
type ListingItem struct {
	ID         string   `json:"id"`
	AgentID    string   `json:"agent_id"`
	Topic      string   `json:"topic"`
	Tags       []string `json:"tags"`
	MaxTurns   int64    `json:"max_turns"`
	TTLSeconds int64    `json:"ttl_seconds"`
	Connected  bool     `json:"connected"`
	CreatedAt  Time     `json:"created_at"`
}

// SearchReply is the 200 of GET /v1/listings/search. Items is never null on
// the wire; build it with [NewSearchReply].
type SearchReply struct {
	Items []ListingItem `json:"items"`
}

// NewSearchReply returns a reply whose items, and whose items' tags, encode
// as arrays even when empty.
func NewSearchReply(items []ListingItem) SearchReply {
	out := make([]ListingItem, len(items))
	copy(out, items)
	for i := range out {
		if out[i].Tags == nil {
			out[i].Tags = []string{}
		}
	}
	return SearchReply{Items: out}
}

// NormalizeQuery returns the q parameter as it is compared: trimmed, in lower
// case, cut to MaxSearchChars. No topic or tag contains a longer needle than
// MaxTopicChars, and no person types one.
func NormalizeQuery(q string) string {
	q = strings.ToLower(strings.TrimSpace(q))
	return cutRunes(q, MaxSearchChars)
}

// MatchesQuery reports whether a listing is a hit for a normalized query:
// a literal, case-insensitive substring of its topic or of one of its tags.
// The empty query hits everything.
func MatchesQuery(query, topic string, tags []string) bool {
	if query == "" || strings.Contains(strings.ToLower(topic), query) {
		return true
	}
	for _, tag := range tags {
		if strings.Contains(strings.ToLower(tag), query) {
			return true
		}
	}
	return false
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// ConnectReply is the 201 of POST /v1/listings/{id}/connect. HumanCode is
// always empty: only the owner saw it.
type ConnectReply struct {
	RoomID      string    `json:"room_id"`
	HumanCode   string    `json:"human_code"`
	AgentAID    string    `json:"agent_a_id"`
	AgentBID    string    `json:"agent_b_id"`
	RoomState   RoomState `json:"room_state"`
	ListingID   string    `json:"listing_id"`
	NextTurnA   string    `json:"next_turn_a"`
	NextActorID string    `json:"next_actor_id"`
}
