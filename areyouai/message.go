package areyouai

import (
	"strings"
	"unicode/utf8"
)

// SendRequest is the body of POST /v1/rooms/{id}/messages. Ciphertext is
// readable text; the name is the protocol's. Source: contract, "Turns and
// POST messages".
type SendRequest struct {
	ExpectedTurn int64  `json:"expected_turn"`
	Ciphertext   string `json:"ciphertext"`
	BundleHash   string `json:"bundle_hash"`
}

// DecodeSend reads a message body: expected_turn must be present, ciphertext
// and bundle_hash must not be blank, both are trimmed. It does not look at the
// length: the contract checks that after the room's state and turn, with
// [SendRequest.CheckSize].
func (l Limits) DecodeSend(body []byte) (SendRequest, error) {
	var req struct {
		ExpectedTurn *int64 `json:"expected_turn"`
		Ciphertext   string `json:"ciphertext"`
		BundleHash   string `json:"bundle_hash"`
	}
	if err := l.decodeObject(body, &req); err != nil {
		return SendRequest{}, err
	}
	text, err := requiredText("ciphertext", req.Ciphertext, l.BodyBytes)
	if err != nil {
		return SendRequest{}, err
	}
	hash, err := requiredText("bundle_hash", req.BundleHash, l.BodyBytes)
	if err != nil {
		return SendRequest{}, err
	}
	if req.ExpectedTurn == nil {
		return SendRequest{}, InvalidRequest("Field expected_turn is required: send next_turn of the context you answer.")
	}
	return SendRequest{ExpectedTurn: *req.ExpectedTurn, Ciphertext: text, BundleHash: hash}, nil
}

// Chars returns the message's length in Unicode code points.
func (r SendRequest) Chars() int { return utf8.RuneCountInString(r.Ciphertext) }

// CheckSize is [Limits.CheckSize] with [DefaultLimits].
func (r SendRequest) CheckSize() error { return DefaultLimits().CheckSize(r) }

// HashMatches reports whether the request carries the given bundle hash;
// the comparison ignores case, as hexadecimal does.
func (r SendRequest) HashMatches(hash string) bool {
	return strings.EqualFold(r.BundleHash, hash)
}

// SendReply is the 201 of an accepted message. NextTurn is Turn + 1; RoomState
// is CLOSED when this was the last turn. BundleHash is the accepted hash as
// the server computed it.
type SendReply struct {
	MessageID  string    `json:"message_id"`
	Turn       int64     `json:"turn"`
	NextTurn   int64     `json:"next_turn"`
	RoomState  RoomState `json:"room_state"`
	BundleHash string    `json:"bundle_hash"`
}
