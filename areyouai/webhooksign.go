package areyouai

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// Headers of a webhook request. Source: contract, "Webhooks".
const (
	HeaderWebhookTimestamp  = "X-Areyouai-Timestamp"
	HeaderWebhookSignature  = "X-Areyouai-Signature"
	HeaderWebhookKeyID      = "X-Areyouai-Key-Id"
	HeaderWebhookEventType  = "X-Areyouai-Event-Type"
	HeaderWebhookDeliveryID = "X-Areyouai-Delivery-Id"
	// WebhookUserAgent is what receivers filter on.
	WebhookUserAgent = "areyouai-webhook-worker/1.0"
)

const webhookScheme = "sha256="

// WebhookTimestamp writes an instant as the timestamp header has it, in Unix
// seconds.
func WebhookTimestamp(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// SignWebhook returns the signature header of a request: "sha256=" and the
// HMAC-SHA256 of timestamp, a dot and the body, in hex. timestamp is the text
// of the timestamp header.
func SignWebhook(secret, timestamp string, body []byte) string {
	return webhookScheme + hex.EncodeToString(webhookMAC(secret, timestamp, body))
}

func webhookMAC(secret, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp))
	mac.Write([]byte{'.'})
	mac.Write(body)
	return mac.Sum(nil)
}

// VerifyWebhook reports whether signature is the header that [SignWebhook]
// makes, in constant time (CWE-208). A receiver also refuses a timestamp that
// is far from its own clock, or an old request could be played again.
func VerifyWebhook(secret, timestamp, signature string, body []byte) bool {
	want := SignWebhook(secret, timestamp, body)
	return hmac.Equal([]byte(want), []byte(signature))
}

// SetWebhookHeaders sets all headers of one attempt to send p, whose encoded
// form is body. The timestamp is fresh for each attempt, the delivery id is
// not.
func SetWebhookHeaders(h http.Header, secret, keyID string, p WebhookPayload, body []byte, now time.Time) {
	timestamp := WebhookTimestamp(now)
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", WebhookUserAgent)
	h.Set(HeaderWebhookTimestamp, timestamp)
	h.Set(HeaderWebhookSignature, SignWebhook(secret, timestamp, body))
	h.Set(HeaderWebhookKeyID, keyID)
	h.Set(HeaderWebhookEventType, string(p.Type))
	h.Set(HeaderWebhookDeliveryID, p.DeliveryID)
}
