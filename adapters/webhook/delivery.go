package webhook

import (
	"errors"
	"fmt"
	"strings"

	"stele/areyouai"
)

// Delivery is one attempt to make.
type Delivery struct {
	// ID is the delivery's id, the same for all attempts.
	ID string
	// Type is the event that is told of.
	Type areyouai.EventType
	// URL is the endpoint's, as [Sender.Check] accepts it.
	URL string `json:"-"`
	// KeyID names the secret to the receiver.
	KeyID string
	// Secret signs the request.
	Secret string `json:"-"`
	// Body is the stored payload (see [areyouai.AppendWebhookPayload]), sent as it is.
	Body []byte `json:"-"`
	// Attempt counts from 1; less means 1. The last attempt that the protocol grants is never answered with a retry.
	Attempt int
}

// Format shows which delivery it is, for every verb, and nothing that is secret (CWE-532).
func (d Delivery) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "webhook.Delivery(%q, %q, attempt %d)", d.ID, string(d.Type), d.Attempt)
}

// visible tells whether s can be the value of a header and have been meant.
func visible(s string) bool {
	return s != "" && len(s) <= maxHeaderValueBytes && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

const maxHeaderValueBytes = 1 << 10

// checkHeaders keeps a stored value from adding headers of its own (CWE-113).
func (d Delivery) checkHeaders() error {
	var problems []error
	for _, v := range []struct{ name, value string }{{"id", d.ID}, {"type", string(d.Type)}, {"key id", d.KeyID}} {
		if !visible(v.value) {
			problems = append(problems, fmt.Errorf("%w: %s is no header value", ErrDelivery, v.name))
		}
	}
	return errors.Join(problems...)
}

// Outcome is what an attempt came to.
type Outcome struct {
	// Kind says what to do with the delivery.
	Kind areyouai.WebhookOutcome
	// Status is the HTTP status of the answer, 0 when there was none.
	Status int
	// Err tells why there was no answer, nil when there was one. It is for the operator's eyes, not for the endpoint's
	// owner: it can name addresses inside the network. [ErrAddress] and [ErrDelivery] can be asked for.
	Err error
}

const maxErrorBytes = 256

// attemptError bounds the text of a cause that may quote what the endpoint sent.
type attemptError struct{ cause error }

func (e *attemptError) Error() string {
	text := e.cause.Error()
	if len(text) > maxErrorBytes {
		text = strings.ToValidUTF8(text[:maxErrorBytes], "") + "…"
	}
	return text
}

func (e *attemptError) Unwrap() error { return e.cause }
