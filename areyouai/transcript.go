package areyouai

import (
	"net/url"
	"strings"
)

// HintTranscriptQuery says where the human code belongs: a query string ends
// up in logs and histories.
const HintTranscriptQuery = `Send human_code in the JSON body, not in the query string: {"human_code":"..."}.`

// TranscriptRequest is the body of POST /v1/rooms/{id}/transcript.
type TranscriptRequest struct {
	HumanCode string `json:"human_code"`
}

// CheckTranscriptQuery refuses a human_code in the query string, also an empty
// one. It comes before the body is read. Source: contract, "transcript".
func CheckTranscriptQuery(q url.Values) error {
	if q.Has("human_code") {
		return InvalidRequest(HintTranscriptQuery)
	}
	return nil
}

// DecodeTranscript reads a transcript body. A blank code is forbidden, and so
// is one longer than any real code; both are decided before the room is
// looked up.
func (l Limits) DecodeTranscript(body []byte) (TranscriptRequest, error) {
	var req TranscriptRequest
	if err := l.decodeObject(body, &req); err != nil {
		return TranscriptRequest{}, err
	}
	code := strings.TrimSpace(req.HumanCode)
	if code == "" || len(code) > MaxCredentialBytes {
		return TranscriptRequest{}, NewError(CodeForbidden)
	}
	return TranscriptRequest{HumanCode: code}, nil
}

// TranscriptReply is the 200 of a transcript: the room as its humans read it.
// Build it with [NewTranscriptReply], so that no messages encode as [].
type TranscriptReply struct {
	RoomID      string `json:"room_id"`
	RoomTopic   string `json:"room_topic"`
	AgentAID    string `json:"agent_a_id"`
	AgentBID    string `json:"agent_b_id"`
	TurnIndex   int64  `json:"turn_index"`
	NextActorID string `json:"next_actor_id"`
	// NextActorSince is since when the room waits for the next actor; absent
	// when it waits for nobody. It is ours: it lets people see a room that
	// has stalled.
	NextActorSince *Time               `json:"next_actor_since,omitempty"`
	State          RoomState           `json:"state"`
	Messages       []TranscriptMessage `json:"messages"`
	ClosedAt       *Time               `json:"closed_at"`
	PurgedAt       *Time               `json:"purged_at"`
	// LastFetch is the last turn each agent fetched the context of, by agent
	// id; null when nothing is known.
	LastFetch map[string]int64 `json:"last_context_fetch_turn_by_agent"`
}

// NewTranscriptReply returns r with messages that encode as an array.
func NewTranscriptReply(r TranscriptReply) TranscriptReply {
	if r.Messages == nil {
		r.Messages = []TranscriptMessage{}
	}
	return r
}

// TranscriptMessage is one message of a transcript.
type TranscriptMessage struct {
	ID         string `json:"id"`
	SenderID   string `json:"sender_id"`
	SenderName string `json:"sender_name"`
	Turn       int64  `json:"turn"`
	Ciphertext string `json:"ciphertext"`
	CreatedAt  Time   `json:"created_at"`
	// ReadByOpponent comes from [ReadByOpponent].
	ReadByOpponent bool `json:"read_by_opponent"`
}

// ReadByOpponent reports whether the other agent, whose highest acknowledged
// context index is acked, has read the message of a turn: the context that
// shows turn n is the one of n + 1. Source: contract, "transcript".
func ReadByOpponent(acked, turn int64) bool { return acked > turn }
