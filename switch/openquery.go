package agentswitch

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/strictjson"
)

// StartFrom is where a stream begins: at the newest event, or after a cursor.
type StartFrom struct {
	// Head: begin with what comes after the newest event. It wins over Cursor.
	Head bool
	// Cursor: begin with the first event whose sequence is greater.
	Cursor uint64
}

// OpenRequest is a request to open a stream.
type OpenRequest struct {
	ConnectionID string
	Scope        Scope
	Filter       Filter
	StartFrom    StartFrom
	SpawnCapable bool
	// Rooms are claimed, with takeover, in this order before anything is read.
	Rooms       []string
	Declaration Declaration
}

// PollRequest is a request of the long poll, which shares the path.
type PollRequest struct {
	// Timeout is how long to wait for an event; never negative.
	Timeout time.Duration
}

// WantsStream reports whether the Accept header asks for a stream. Everything
// else is the long poll.
func WantsStream(h http.Header) bool {
	return strings.Contains(strings.Join(h.Values("Accept"), ","), AcceptStream)
}

// ParseOpenQuery reads the query and headers of a stream's open. Errors are an
// Error, found in the order of the protocol page: values that can not be
// parsed (422, all at once), then connection_id, scope, filter and start
// position (400).
func ParseOpenQuery(q url.Values, h http.Header) (OpenRequest, error) {
	p := queryParser{q: q}
	req := OpenRequest{
		ConnectionID: q.Get("connection_id"),
		Scope:        Scope(p.text("scope", string(ScopeSingle))),
		Filter:       Filter(p.text("filter", string(FilterAll))),
		SpawnCapable: p.boolean("spawn_capable"),
		Rooms:        splitRooms(q.Get("rooms")),
		Declaration: Declaration{
			Protocol:        p.integer("protocol"),
			ProtocolAccepts: p.integer("protocol_accepts"),
			Client:          p.optional("client"),
			ClientVersion:   p.optional("client_version"),
		},
	}
	p.timeout()
	if err := unprocessable(p.issues); err != nil {
		return OpenRequest{}, err
	}
	if req.ConnectionID == "" {
		return OpenRequest{}, Refuse(http.StatusBadRequest, "connection_id is required to open an event stream")
	}
	if req.Scope != ScopeSingle && req.Scope != ScopeAll {
		return OpenRequest{}, Refuse(http.StatusBadRequest, "scope must be %q or %q", ScopeSingle, ScopeAll)
	}
	if req.Filter != FilterAll && req.Filter != FilterAddressed {
		return OpenRequest{}, Refuse(http.StatusBadRequest, "filter must be %q or %q", FilterAll, FilterAddressed)
	}
	var ok bool
	if req.StartFrom, ok = ParseStartFrom(h.Get(HeaderLastEventID), q.Get("start_from")); !ok {
		return OpenRequest{}, Refuse(http.StatusBadRequest, "%s and start_from must be empty, \"head\" or an integer", HeaderLastEventID)
	}
	return req, nil
}

// ParsePollQuery reads the query of the long poll.
func ParsePollQuery(q url.Values) (PollRequest, error) {
	p := queryParser{q: q}
	req := PollRequest{Timeout: p.timeout()}
	return req, unprocessable(p.issues)
}

// ParseStartFrom applies the rule for start positions: the header, if it is
// not empty, beats the query; empty and "head" are the head; negatives are 0.
// It returns false for anything else.
func ParseStartFrom(lastEventID, startFrom string) (StartFrom, bool) {
	raw := lastEventID
	if raw == "" {
		raw = startFrom
	}
	if raw == "" || raw == "head" {
		return StartFrom{Head: true}, true
	}
	cursor, ok := parseCursor(raw)
	return StartFrom{Cursor: cursor}, ok
}

// String returns the value for start_from.
func (s StartFrom) String() string {
	if s.Head {
		return "head"
	}
	return strconv.FormatUint(s.Cursor, 10)
}

func splitRooms(list string) []string {
	var rooms []string
	for id := range strings.SplitSeq(list, ",") {
		if id = strings.TrimSpace(id); id != "" {
			rooms = append(rooms, id)
		}
	}
	return rooms
}

// queryParser collects the faults of a query.
type queryParser struct {
	q      url.Values
	issues []Issue
}

func (p *queryParser) report(name, typ, msg, input string) {
	p.issues = append(p.issues, Issue{
		Type: typ, Loc: []any{locQuery, name}, Msg: msg,
		Input: json.RawMessage(strictjson.AppendString(nil, input)),
	})
}

func (p *queryParser) text(name, absent string) string {
	if !p.q.Has(name) {
		return absent
	}
	return p.q.Get(name)
}

func (p *queryParser) optional(name string) *string {
	if !p.q.Has(name) {
		return nil
	}
	value := p.q.Get(name)
	return &value
}

func (p *queryParser) requiredText(name string) string {
	if !p.q.Has(name) {
		p.issues = append(p.issues, Issue{Type: IssueMissing, Loc: []any{locQuery, name}, Msg: msgFieldRequired})
	}
	return p.q.Get(name)
}

// choice returns one of the texts that are allowed, or nothing when the name
// is absent or empty.
func (p *queryParser) choice(name string, allowed ...string) string {
	text := p.q.Get(name)
	if text == "" || slices.Contains(allowed, text) {
		return text
	}
	p.issues = append(p.issues, literalIssue([]any{locQuery, name}, strictjson.AppendString(nil, text), allowed))
	return ""
}

func (p *queryParser) boolean(name string) bool {
	if !p.q.Has(name) {
		return false
	}
	value, ok := parseBool(p.q.Get(name))
	if !ok {
		p.report(name, IssueBoolParsing, msgBoolParsing, p.q.Get(name))
	}
	return value
}

func (p *queryParser) integer(name string) *int {
	if !p.q.Has(name) {
		return nil
	}
	text := strings.TrimSpace(p.q.Get(name))
	n, err := strconv.Atoi(text)
	if err != nil {
		p.report(name, IssueIntParsing, msgIntParsing, p.q.Get(name))
		return nil
	}
	return &n
}

func (p *queryParser) timeout() time.Duration {
	if !p.q.Has("timeout") {
		return DefaultPollTimeout
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(p.q.Get("timeout")), 64)
	if err != nil || math.IsNaN(seconds) {
		p.report("timeout", IssueFloatParsing, msgFloatParsing, p.q.Get("timeout"))
		return 0
	}
	return time.Duration(min(max(seconds, 0), math.MaxInt64/2/float64(time.Second)) * float64(time.Second))
}
