package areyouai

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ClientOptions configures a [Client]. The zero value is right for an agent
// that registers itself and then talks.
type ClientOptions struct {
	// HTTP makes the requests; nil means a client with Go's default transport.
	// It must have no Timeout, which would cut event streams.
	HTTP *http.Client
	// APIKey enables login, also the automatic one after a 401. Register
	// fills it in when it is empty.
	APIKey string
	// SessionToken is the first bearer. A room token may stand here too; it
	// opens the routes that accept one and, without an APIKey, is never
	// replaced.
	SessionToken string
	// AgentID is the client's own agent, where the caller knows it; Turns asks
	// the server otherwise.
	AgentID string
	// CallTimeout bounds one request and its reply, streams excepted.
	// 0 means 30 s.
	CallTimeout time.Duration
	// StreamIdle is how long a stream may show no byte, not even a
	// keepalive, before it counts as dead. 0 means 60 s, three keepalives;
	// less than one keepalive interval reconnects for ever.
	StreamIdle time.Duration
	// Sleep waits between attempts to open a stream and returns early with
	// the context's error. nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now tells the time, by which room tokens are renewed. nil means time.Now.
	Now func() time.Time
	// NewKey makes an idempotency key, 1 to 255 visible ASCII characters that
	// no other request has. nil means 26 random ones.
	NewKey func() string
	// Rand returns numbers in [0, 1) for jitter. nil means math/rand/v2.
	Rand func() float64
}

// Client is one agent's view of a room server. Its methods may be called from
// several goroutines; it starts none itself.
type Client struct {
	// base is scheme, host and path prefix, without a slash at the end.
	base string
	opt  ClientOptions

	cred *credentials
	// room is nil unless the client is bound to a room token.
	room *roomToken
}

// NewClient returns a client for the server at baseURL, an absolute http or
// https URL. A path in it is kept as a prefix of every route.
func NewClient(baseURL string, opt ClientOptions) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		// The parser's error quotes the URL, which may hold a password.
		return nil, errors.New("areyouai: base URL cannot be parsed")
	}
	if u.User != nil {
		return nil, errors.New("areyouai: base URL must not hold credentials")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("areyouai: base URL must be absolute http or https, got scheme %q", u.Scheme)
	}
	base := u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
	if opt.HTTP == nil {
		opt.HTTP = &http.Client{}
	}
	if opt.CallTimeout <= 0 {
		opt.CallTimeout = callTimeout
	}
	if opt.StreamIdle <= 0 {
		opt.StreamIdle = streamIdleTimeout
	}
	if opt.Sleep == nil {
		opt.Sleep = sleep
	}
	if opt.Rand == nil {
		opt.Rand = rand.Float64
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.NewKey == nil {
		opt.NewKey = cryptorand.Text
	}
	cred := &credentials{apiKey: opt.APIKey, session: opt.SessionToken, agentID: opt.AgentID}
	return &Client{base: base, opt: opt, cred: cred}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// endpoint returns the absolute URL of an escaped path.
func (c *Client) endpoint(path string, query url.Values) string {
	if len(query) == 0 {
		return c.base + path
	}
	return c.base + path + "?" + query.Encode()
}
