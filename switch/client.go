package agentswitch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"

	"stele/internal/sse"
)

// DefaultMaxAnswerBytes bounds an answer that is not a stream: 8 MiB.
const DefaultMaxAnswerBytes = 8 << 20

// Options configure a Client. Only BaseURL is needed.
type Options struct {
	// BaseURL is where the server is, with its path prefix if there is one.
	// Slashes at its end are dropped.
	BaseURL string
	// AgentID and APIKey are what registration returned. Without them only
	// Health and the registrations work.
	AgentID string
	APIKey  string
	// HTTPClient sends the requests; nil means http.DefaultClient. A Timeout
	// on it would end streams.
	HTTPClient *http.Client
	// Clock is used for waits and beats; nil means the real one.
	Clock Clock
	// Rand returns numbers in [0,1) that spread waits; nil means math/rand. It
	// must be safe for concurrent use.
	Rand func() float64
	// MaxFrameBytes bounds one frame of a stream; 0 means 4 MiB.
	MaxFrameBytes int
	// MaxAnswerBytes bounds every other answer; 0 means DefaultMaxAnswerBytes.
	MaxAnswerBytes int
}

// Client speaks to one server as one agent. It is safe for concurrent use and
// holds nothing that needs closing; what it opens does.
type Client struct {
	opts       Options
	connection string
	// session, if not nil, opens that connection again when it is dead.
	session *Session
	key     string // of the requests it makes
}

// NewClient checks opts and returns a client. It sends nothing.
func NewClient(opts Options) (*Client, error) {
	u, err := url.Parse(opts.BaseURL)
	if err != nil {
		return nil, errors.New("agentswitch: BaseURL is not a URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("agentswitch: BaseURL %q: want http(s)://host[/prefix]", u.Redacted())
	}
	if strings.ContainsAny(opts.APIKey, "\r\n") {
		return nil, errors.New("agentswitch: APIKey contains a line break")
	}
	opts.BaseURL = strings.TrimRight(opts.BaseURL, "/")
	if opts.HTTPClient == nil {
		opts.HTTPClient = http.DefaultClient
	}
	if opts.Clock == nil {
		opts.Clock = systemClock{}
	}
	if opts.Rand == nil {
		opts.Rand = rand.Float64
	}
	if opts.MaxFrameBytes <= 0 {
		opts.MaxFrameBytes = sse.DefaultMaxFrameBytes
	}
	if opts.MaxAnswerBytes <= 0 {
		opts.MaxAnswerBytes = DefaultMaxAnswerBytes
	}
	return &Client{opts: opts}, nil
}

// WithAgent returns a client that speaks as another agent, such as the one
// that Register just made.
func (c *Client) WithAgent(agentID, apiKey string) *Client {
	other := *c
	other.opts.AgentID, other.opts.APIKey = agentID, apiKey
	other.connection, other.session = "", nil
	return &other
}

// WithConnection returns a client whose operations act on the connection of
// that id. It may be one whose stream another process holds.
func (c *Client) WithConnection(connectionID string) *Client {
	other := *c
	other.connection, other.session = connectionID, nil
	return &other
}

// WithIdempotencyKey returns a client whose writing requests carry a key: 1 to
// 255 visible ASCII characters. A server that knows it executes the same
// request with the same key once, so that it can be sent again when its answer
// was lost; other servers ignore it.
func (c *Client) WithIdempotencyKey(key string) *Client {
	other := *c
	other.key = key
	return &other
}

// AgentID returns the agent the client speaks as.
func (c *Client) AgentID() string { return c.opts.AgentID }
