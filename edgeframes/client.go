package edgeframes

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"github.com/coder/websocket"
)

// What ends a call or a listener, to be compared with errors.Is.
var (
	// ErrClosed: the client was closed, or the context it was started with ended.
	ErrClosed = errors.New("edge: client closed")
	// ErrLinkDown: the connection dropped, or could not be made, while a call waited.
	// Whether a call that was sent took effect is unknown.
	ErrLinkDown = errors.New("edge: link down")
	// ErrTooManyCalls: as many calls wait as ClientOptions.MaxCalls allows.
	ErrTooManyCalls = errors.New("edge: too many calls waiting")
	// ErrBehind: a listener was too slow and lost items.
	ErrBehind = errors.New("edge: listener fell behind")
	// ErrSilent: the server sent no pong, or no hello, in time.
	ErrSilent = errors.New("edge: server is silent")
)

// Client keeps a connection to one agent. It reconnects whenever the link drops,
// whatever the reason, until it is closed. Its methods may be called from any
// goroutine.
type Client struct {
	url  string
	opts ClientOptions

	// ctx ends when the client is to end; its cause says why.
	ctx    context.Context
	cancel context.CancelCauseFunc
	start  sync.Once
	done   chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at each change of what follows
	ready   bool
	claims  []string
	streams []Stream
	mirror  mirror
	calls   callTable
	feeds   map[*eventFeed]struct{}
}

// NewClient prepares a client for a ws:// or wss:// address, taken as it is. It does
// nothing until [Client.Start]; listeners registered before miss nothing.
func NewClient(address string, opts ClientOptions) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("edge: address: %w", err)
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return nil, errors.New("edge: address: a ws:// or wss:// URL is needed")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	opts = opts.withDefaults()
	return &Client{
		url:     address,
		opts:    opts,
		ctx:     ctx,
		cancel:  cancel,
		done:    make(chan struct{}),
		changed: make(chan struct{}),
		mirror:  mirror{keep: opts.KeepMessages, messageCursor: opts.Cursors[StreamMessages], eventCursor: opts.Cursors[StreamEvents]},
		calls:   newCallTable(opts.MaxCalls),
		feeds:   make(map[*eventFeed]struct{}),
	}, nil
}

// Dial is NewClient, Start and Ready: it returns a client that has seen hello, or the
// error for which ctx ended the wait. The client itself lives until Close.
func Dial(ctx context.Context, address string, opts ClientOptions) (*Client, error) {
	c, err := NewClient(address, opts)
	if err != nil {
		return nil, err
	}
	c.Start(context.WithoutCancel(ctx))
	if err := c.Ready(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Start begins to connect. The end of ctx closes the client as [Client.Close] does.
// Starting again, or after Close, does nothing.
func (c *Client) Start(ctx context.Context) {
	c.start.Do(func() {
		go c.run(ctx)
	})
}

// Close ends the client for good: the server is told 1000 "client closed", waiting
// calls fail with [ErrClosed], listeners end. It returns when all goroutines have.
func (c *Client) Close() {
	c.cancel(ErrClosed)
	c.start.Do(func() { c.finish() })
	<-c.done
}

// Done is closed when the client has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Ready waits for hello. It returns at once while the link stands, ctx's error when
// that ends first, and [ErrClosed] after the end.
func (c *Client) Ready(ctx context.Context) error {
	for {
		c.mu.Lock()
		ready, changed := c.ready, c.changed
		c.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.done:
			return ErrClosed
		}
	}
}

// Claims are what attached granted. They are empty before, while the link is down,
// and always in plain mode.
func (c *Client) Claims() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.claims...)
}

// Accepted are the streams that attached accepted, under the rules of Claims.
func (c *Client) Accepted() []Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Stream(nil), c.streams...)
}

// Cursor is the last position seen on a stream, 0 before any. The state has none.
func (c *Client) Cursor(s Stream) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mirror.cursor(s)
}

// run owns the client from Start to its end: one session after another.
func (c *Client) run(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { c.cancel(ErrClosed) })
	defer stop()
	defer c.finish()
	// hurried tells that the session did not wait for its turn. The one after it does, so that a server which greets and then
	// goes away each time is not asked again and again without a pause.
	hurried := false
	for attempt := 0; c.ctx.Err() == nil; attempt++ {
		s := &session{client: c}
		err := s.run(c.ctx)
		c.linkDown(err)
		if s.greeted {
			attempt = 0
		}
		if hurried = !hurried && s.greeted && retryOf(err) == RetryAtOnce; hurried {
			continue
		}
		wait := backoff(attempt, c.opts.BackoffMin, c.opts.BackoffMax, c.opts.Rand())
		select {
		case <-c.opts.Clock.After(wait):
		case <-c.ctx.Done():
		}
	}
}

// retryOf reads the server's close code. A server that says 1000 did not ask the
// client to stay away: only Close does.
func retryOf(err error) Retry {
	if CloseCode(websocket.CloseStatus(err)) == CloseGoingAway {
		return RetryAtOnce
	}
	return RetryBackoff
}

// linkDown rejects every waiting call, sent or not, and forgets what held for the
// link only.
func (c *Client) linkDown(err error) {
	reason := fmt.Errorf("%w: %w", ErrLinkDown, err)
	if c.ctx.Err() != nil {
		reason = ErrClosed
	}
	c.mu.Lock()
	c.ready = false
	c.claims, c.streams = nil, nil
	c.calls.rejectAll(reason)
	c.announce()
	c.mu.Unlock()
	c.opts.OnDisconnect(err)
}

func (c *Client) finish() {
	c.mu.Lock()
	c.calls.close(ErrClosed)
	c.announce()
	c.mu.Unlock()
	close(c.done)
}

// announce wakes all who wait for a change. The caller holds mu.
func (c *Client) announce() {
	close(c.changed)
	c.changed = make(chan struct{})
}
