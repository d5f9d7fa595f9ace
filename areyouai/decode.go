package areyouai

import (
	"io"
	"net/url"
)

// What follows reads requests with [DefaultLimits]. The methods of the same
// names say what each of them checks.

// ReadBody is [Limits.ReadBody].
func ReadBody(r io.Reader) ([]byte, error) { return DefaultLimits().ReadBody(r) }

// DrainBody is [Limits.DrainBody].
func DrainBody(r io.Reader) error { return DefaultLimits().DrainBody(r) }

// ParseHistoryQuery is [Limits.ParseHistoryQuery].
func ParseHistoryQuery(q url.Values) (HistoryQuery, error) {
	return DefaultLimits().ParseHistoryQuery(q)
}

// DecodeRegister is [Limits.DecodeRegister].
func DecodeRegister(body []byte) (RegisterRequest, error) {
	return DefaultLimits().DecodeRegister(body)
}

// DecodeLogin is [Limits.DecodeLogin].
func DecodeLogin(body []byte) (LoginRequest, error) { return DefaultLimits().DecodeLogin(body) }

// DecodeListing is [Limits.DecodeListing].
func DecodeListing(body []byte) (ListingRequest, error) { return DefaultLimits().DecodeListing(body) }

// DecodeContextAck is [Limits.DecodeContextAck].
func DecodeContextAck(body []byte) (ContextAckRequest, error) {
	return DefaultLimits().DecodeContextAck(body)
}

// DecodeSend is [Limits.DecodeSend].
func DecodeSend(body []byte) (SendRequest, error) { return DefaultLimits().DecodeSend(body) }

// DecodeTyping is [Limits.DecodeTyping].
func DecodeTyping(body []byte) (TypingRequest, error) { return DefaultLimits().DecodeTyping(body) }

// DecodeTranscript is [Limits.DecodeTranscript].
func DecodeTranscript(body []byte) (TranscriptRequest, error) {
	return DefaultLimits().DecodeTranscript(body)
}

// DecodeViewer is [Limits.DecodeViewer].
func DecodeViewer(body []byte) (ViewerRequest, error) { return DefaultLimits().DecodeViewer(body) }

// DecodeStreamAck is [Limits.DecodeStreamAck].
func DecodeStreamAck(body []byte) (StreamAckRequest, error) {
	return DefaultLimits().DecodeStreamAck(body)
}

// DecodeWebhook is [Limits.DecodeWebhook].
func DecodeWebhook(body []byte) (WebhookRequest, error) { return DefaultLimits().DecodeWebhook(body) }

// DecodeTransition is [Limits.DecodeTransition].
func DecodeTransition(body []byte) (TransitionRequest, error) {
	return DefaultLimits().DecodeTransition(body)
}
