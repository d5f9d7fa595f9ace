package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"stele/areyouai"
)

const (
	maxResponseHeaderBytes = 16 << 10
	maxDrainBytes          = 4 << 10
	// drainTimeout is what the rest of an answer is worth: a connection that can be used again.
	drainTimeout     = 500 * time.Millisecond
	handshakeTimeout = 5 * time.Second

	idleTimeout         = 30 * time.Second
	maxIdleConns        = 64
	maxIdleConnsPerHost = 2
	// maxConnsPerHost is above any sensible number of deliveries at a time, so that it bounds mistakes only.
	maxConnsPerHost = 64
)

// Options configure a [Sender]. The zero value is right for a gateway whose webhooks go to the Internet.
type Options struct {
	// Timeout bounds an attempt from name resolution to the status. Default 10 s (areyouai: webhooks).
	Timeout time.Duration
	// AllowLoopback lets URLs whose host is localhost or a loopback address reach this machine, at any port. Default
	// false: whoever may create an endpoint could reach the operator's other services.
	AllowLoopback bool
	// LoopbackTargets are the host:port of URLs that may lead to a loopback address though AllowLoopback is false. The port
	// is never left out; a host can be a name that resolves to loopback.
	LoopbackTargets []string
	// RootCAs verify the certificates of endpoints; nil: those of the system.
	RootCAs *x509.CertPool
	// Resolver finds the addresses of names; nil: [net.DefaultResolver].
	Resolver Resolver
	// Now is the clock of the signature's timestamp; nil: [time.Now].
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = areyouai.WebhookTimeout
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Sender makes attempts to deliver webhooks. It starts no goroutine but those of its connections, which [Sender.Close]
// ends. It is safe for concurrent use; how many attempts run at a time is the caller's choice.
type Sender struct {
	options Options
	policy  policy
	// The two differ in which addresses they connect to, and share no connections.
	plain, secure *http.Transport
}

// NewSender returns a Sender, or a [*TargetError].
func NewSender(options Options) (*Sender, error) {
	options = options.withDefaults()
	p, err := newPolicy(options)
	if err != nil {
		return nil, err
	}
	return newSender(options, p, connectTCP), nil
}

// NewPublicSender returns a Sender that reaches public addresses only, with a clock for the signatures' timestamps.
func NewPublicSender(now func() time.Time) *Sender {
	o := Options{Now: now}.withDefaults()
	return newSender(o, policy{}, connectTCP)
}

func newSender(o Options, p policy, c connect) *Sender {
	plain := &dialer{policy: p, resolver: o.Resolver, plain: true, timeout: o.Timeout, connect: c}
	secure := &dialer{policy: p, resolver: o.Resolver, timeout: o.Timeout, connect: c}
	return &Sender{options: o, policy: p, plain: newTransport(o, plain), secure: newTransport(o, secure)}
}

// newTransport leaves Proxy nil: a proxy would resolve the name itself, out of reach of the policy.
func newTransport(o Options, d *dialer) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            d.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    handshakeTimeout,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxResponseHeaderBytes,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConnsPerHost,
		MaxConnsPerHost:        maxConnsPerHost,
		IdleConnTimeout:        idleTimeout,
		Protocols:              protocols,
	}
}

// Close closes the idle connections. Attempts must have ended before.
func (s *Sender) Close() {
	s.plain.CloseIdleConnections()
	s.secure.CloseIdleConnections()
}

// Send makes one attempt and returns within the timeout. The outcome follows [areyouai.JudgeWebhook]; besides, a delivery
// that can not become a request is dead, and one whose attempt was cut short by the end of ctx is to be tried again,
// without this attempt being counted.
func (s *Sender) Send(ctx context.Context, d Delivery) Outcome {
	attempt, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	req, err := s.request(attempt, d)
	if err != nil {
		return Outcome{Kind: areyouai.WebhookDead, Err: &attemptError{err}}
	}
	transport := s.secure
	if req.URL.Scheme == "http" {
		transport = s.plain
	}
	// A transport, unlike a client, follows no redirect and keeps no cookie.
	resp, err := transport.RoundTrip(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return Outcome{Kind: areyouai.WebhookRetry, Err: &attemptError{context.Cause(ctx)}}
	case err != nil:
		return Outcome{Kind: areyouai.JudgeWebhook(max(d.Attempt, 1), 0), Err: &attemptError{err}}
	}
	drain(resp, cancel)
	return Outcome{Kind: areyouai.JudgeWebhook(max(d.Attempt, 1), resp.StatusCode), Status: resp.StatusCode}
}

func (s *Sender) request(ctx context.Context, d Delivery) (*http.Request, error) {
	if err := d.checkHeaders(); err != nil {
		return nil, err
	}
	u, err := s.policy.check(d.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDelivery, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(d.Body))
	if err != nil {
		return nil, fmt.Errorf("%w: the URL makes no request", ErrDelivery)
	}
	payload := areyouai.WebhookPayload{DeliveryID: d.ID, Type: d.Type}
	areyouai.SetWebhookHeaders(req.Header, d.Secret, d.KeyID, payload, d.Body, s.options.Now())
	return req, nil
}

// drain reads the little that an endpoint has to say, so that the connection can be used again, and closes the rest.
func drain(resp *http.Response, cancel context.CancelFunc) {
	// Behind "switching protocols" there is a connection, not a body: reading it would wait for ever.
	if resp.StatusCode >= http.StatusOK {
		timer := time.AfterFunc(drainTimeout, cancel)
		_, _ = io.CopyN(io.Discard, resp.Body, maxDrainBytes)
		timer.Stop()
	}
	_ = resp.Body.Close()
}
