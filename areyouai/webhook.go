package areyouai

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// HintWebhookURL says what a webhook URL may be.
const HintWebhookURL = "Field url must be an absolute https URL, or http on localhost or a loopback address, without user info, query and fragment."

// WebhookRequest is the body of POST /v1/agent/webhooks.
type WebhookRequest struct {
	URL    string `json:"url"`
	Secret string `json:"secret"`
	// KeyID names the secret in each request; empty means DefaultWebhookKeyID.
	KeyID string `json:"key_id,omitempty"`
	// Enabled is true when absent; DecodeWebhook never leaves it nil.
	Enabled *bool `json:"enabled,omitempty"`
}

// DecodeWebhook reads and validates a webhook body. url, secret and key_id are
// trimmed; url must pass [CheckWebhookURL]. Source: contract, "Webhooks".
func (l Limits) DecodeWebhook(body []byte) (WebhookRequest, error) {
	var req WebhookRequest
	if err := l.decodeObject(body, &req); err != nil {
		return WebhookRequest{}, err
	}
	var err error
	if req.URL, err = requiredText("url", req.URL, MaxWebhookURLChars); err != nil {
		return WebhookRequest{}, err
	}
	if err := CheckWebhookURL(req.URL); err != nil {
		return WebhookRequest{}, err
	}
	if req.Secret, err = requiredText("secret", req.Secret, MaxWebhookSecretChars); err != nil {
		return WebhookRequest{}, err
	}
	if strings.TrimSpace(req.KeyID) == "" {
		req.KeyID = DefaultWebhookKeyID
	}
	if req.KeyID, err = requiredText("key_id", req.KeyID, MaxWebhookKeyIDChars); err != nil {
		return WebhookRequest{}, err
	}
	if !visibleASCII(req.KeyID) {
		return WebhookRequest{}, InvalidRequest("Field key_id must consist of visible ASCII characters: it becomes a header.")
	}
	if req.Enabled == nil {
		enabled := true
		req.Enabled = &enabled
	}
	return req, nil
}

func visibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// CheckWebhookURL accepts https with any host, and http on "localhost" or a
// loopback address; never user info, query or fragment. What a name resolves
// to is checked at delivery, not here: it may change in between.
func CheckWebhookURL(raw string) error {
	u, err := url.Parse(raw)
	ok := err == nil && u.Opaque == "" && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(raw, "?#") && validPort(u.Port())
	switch {
	case ok && u.Scheme == "https":
		return nil
	case ok && u.Scheme == "http" && isLoopbackHost(u.Hostname()):
		return nil
	}
	// The parser's error is not kept: it quotes the URL, which may hold a secret.
	return InvalidRequest(HintWebhookURL)
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

func isLoopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Zone() == "" && addr.Unmap().IsLoopback()
}

// WebhookReply is the 201 of a new webhook and an entry of the list. The
// secret is never returned.
type WebhookReply struct {
	ID        string `json:"id"`
	AgentID   string `json:"agent_id"`
	URL       string `json:"url"`
	KeyID     string `json:"key_id"`
	Enabled   bool   `json:"enabled"`
	CreatedAt Time   `json:"created_at"`
	UpdatedAt Time   `json:"updated_at"`
}

// WebhooksReply is the 200 of GET /v1/agent/webhooks, newest first.
type WebhooksReply struct {
	Items []WebhookReply `json:"items"`
}

// NewWebhooksReply returns a reply whose items encode as an array.
func NewWebhooksReply(items []WebhookReply) WebhooksReply {
	if items == nil {
		items = []WebhookReply{}
	}
	return WebhooksReply{Items: items}
}
