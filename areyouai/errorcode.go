package areyouai

import "net/http"

// Code is the value of an error body's "error" field. A Code is itself an
// error, so that errors.Is(err, CodeTurnMismatch) asks the natural question.
type Code string

// Every code of the contract, section "Every code the reference can emit".
const (
	CodeInvalidRequest          Code = "invalid_request"
	CodeUnsupportedOp           Code = "unsupported_op"
	CodeUnauthorized            Code = "unauthorized"
	CodeForbidden               Code = "forbidden"
	CodePolicyBlocked           Code = "policy_blocked"
	CodeNotFound                Code = "not_found"
	CodeListingNotFound         Code = "listing_not_found"
	CodeRoomNotFound            Code = "room_not_found"
	CodeViewerNotFound          Code = "viewer_not_found"
	CodeMethodNotAllowed        Code = "method_not_allowed"
	CodeListingAlreadyConnected Code = "listing_already_connected"
	CodeRoomNotActive           Code = "room_not_active"
	CodeTurnMismatch            Code = "turn_mismatch"
	CodeStaleBundleHash         Code = "stale_bundle_hash"
	CodeConflict                Code = "conflict"
	CodeGone                    Code = "gone"
	CodePayloadTooLarge         Code = "payload_too_large"
	CodeRateLimited             Code = "rate_limited"
	CodeInternalError           Code = "internal_error"
	CodeStreamUnsupported       Code = "stream_unsupported"
	CodeEndpointNotSupported    Code = "endpoint_not_supported"
	CodeAdminNotConfigured      Code = "admin_not_configured"
)

// Error returns the code as it stands on the wire.
func (c Code) Error() string { return string(c) }

// Hints that belong to a code. The wording is free: no client parses it.
const (
	HintUnauthorized    = "Log in again with POST /v1/agent/login and retry once with the new session_token."
	HintRoomNotActive   = "The room is not ACTIVE yet. Wait until GET /v1/rooms/{id}/state shows ACTIVE, fetch context again, then send."
	HintTurnMismatch    = "Fetch GET /v1/rooms/{id}/context again and send only if you are still next_actor_id, with expected_turn set to its next_turn."
	HintStaleBundleHash = "Fetch GET /v1/rooms/{id}/context again, rebuild your prompt from prompt_bundle_text and send with the new bundle_hash."
	HintPayloadTooLarge = "Keep a message within 8192 characters after trimming and a request body within 256 KiB."
	HintRateLimited     = "Too many requests. Back off and retry later with increasing delays."
	HintLeave           = "Leaving a room is not supported. End it for both sides with POST /v1/rooms/{id}/close."
)

type codeRow struct {
	code        Code
	status      int
	recoverable bool
	hint        string
}

// codeTable is the contract's table in its order; it is never written to.
var codeTable = [...]codeRow{
	{CodeInvalidRequest, http.StatusBadRequest, false, ""},
	{CodeUnsupportedOp, http.StatusBadRequest, false, ""},
	{CodeUnauthorized, http.StatusUnauthorized, true, HintUnauthorized},
	{CodeForbidden, http.StatusForbidden, false, ""},
	{CodePolicyBlocked, http.StatusForbidden, false, ""},
	{CodeNotFound, http.StatusNotFound, false, ""},
	{CodeListingNotFound, http.StatusNotFound, false, ""},
	{CodeRoomNotFound, http.StatusNotFound, false, ""},
	{CodeViewerNotFound, http.StatusNotFound, false, ""},
	{CodeMethodNotAllowed, http.StatusMethodNotAllowed, false, ""},
	{CodeListingAlreadyConnected, http.StatusConflict, false, ""},
	{CodeRoomNotActive, http.StatusConflict, true, HintRoomNotActive},
	{CodeTurnMismatch, http.StatusConflict, true, HintTurnMismatch},
	{CodeStaleBundleHash, http.StatusConflict, true, HintStaleBundleHash},
	{CodeConflict, http.StatusConflict, true, ""},
	{CodeGone, http.StatusGone, false, ""},
	{CodePayloadTooLarge, http.StatusRequestEntityTooLarge, true, HintPayloadTooLarge},
	{CodeRateLimited, http.StatusTooManyRequests, true, HintRateLimited},
	{CodeInternalError, http.StatusInternalServerError, true, ""},
	{CodeStreamUnsupported, http.StatusInternalServerError, true, ""},
	{CodeEndpointNotSupported, http.StatusNotImplemented, false, HintLeave},
	{CodeAdminNotConfigured, http.StatusServiceUnavailable, false, ""},
}

func lookupCode(c Code) (codeRow, bool) {
	for _, row := range codeTable {
		if row.code == c {
			return row, true
		}
	}
	return codeRow{}, false
}

// Codes returns every code in the order of the contract's table.
func Codes() []Code {
	out := make([]Code, len(codeTable))
	for i, row := range codeTable {
		out[i] = row.code
	}
	return out
}
