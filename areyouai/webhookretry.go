package areyouai

import (
	"net/http"
	"time"
)

// WebhookOutcome is what one attempt to deliver a webhook came to.
type WebhookOutcome int

// Outcomes of an attempt. The zero value is a retry: what nobody judged is
// tried again.
const (
	WebhookRetry WebhookOutcome = iota
	WebhookDelivered
	WebhookDead
)

// JudgeWebhook returns the outcome of attempt n (from 1) that was answered
// with status, 0 for a network error or a timeout: delivered for 2xx, dead for
// a 4xx other than 408 and 429 and after WebhookMaxAttempts, else a retry.
// Source: contract, "Webhooks".
func JudgeWebhook(n, status int) WebhookOutcome {
	switch {
	case status >= 200 && status < 300:
		return WebhookDelivered
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests:
		return WebhookDead
	case n >= WebhookMaxAttempts:
		return WebhookDead
	}
	return WebhookRetry
}

// WebhookDelay returns how long to wait after failed attempt n (from 1): 5 s,
// doubled each time up to 300 s, plus up to a quarter of that. r is a random
// number in [0, 1).
func WebhookDelay(n int, r float64) time.Duration {
	wait := min(WebhookMaxBackoff, WebhookBaseBackoff<<min(max(n-1, 0), 16))
	return wait + time.Duration(r*float64(wait)/4)
}
