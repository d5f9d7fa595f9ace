package adapters

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"go.uber.org/zap"

	"stele/adapters/areyouaifront"
	"stele/adapters/console"
	"stele/adapters/edgefront"
	"stele/adapters/gatewayfront"
	"stele/adapters/switchfront"
	"stele/adapters/transport"
	"stele/core"
	"stele/core/operations"
)

// Options configure a gateway. The zero value is right.
type Options struct {
	// Version is the release that clients are told.
	Version string
	// Logger receives what an operator should know; nil: nothing is logged.
	Logger *zap.Logger
	// Switch, Areyouai and Edge configure their fronts; the gateway sets their loggers, and what the first is told of the
	// version.
	Switch   switchfront.Options
	Areyouai areyouaifront.Options
	Edge     edgefront.Options
	// Gateway configures the door for those who look at rooms from outside of any protocol; the gateway sets its logger.
	Gateway gatewayfront.Options
	// Console configures the pages; the gateway sets its logger and version.
	Console console.Options
	// Proxies are the addresses of proxies before the gateway, which are believed when they tell whom a request is from.
	Proxies []netip.Prefix
	// DrainTimeout bounds the end: what is not finished by then is cut. Default 4 s.
	DrainTimeout time.Duration
	// HeaderTimeout bounds how long the header of a request may take to arrive. Default DefaultHeaderTimeout.
	HeaderTimeout time.Duration
	// BodyTimeout bounds how long the body of a request may take to arrive, counted from the end of its header. Default
	// DefaultBodyTimeout.
	BodyTimeout time.Duration
	// ReplyTimeout bounds how long a client may take for each 64 KiB of an answer that is no stream. Default
	// DefaultReplyTimeout.
	ReplyTimeout time.Duration
	// IdleTimeout bounds how long a connection is kept that waits for its next request. Default DefaultIdleTimeout.
	IdleTimeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.DrainTimeout <= 0 {
		o.DrainTimeout = 4 * time.Second
	}
	if o.HeaderTimeout <= 0 {
		o.HeaderTimeout = DefaultHeaderTimeout
	}
	if o.BodyTimeout <= 0 {
		o.BodyTimeout = DefaultBodyTimeout
	}
	if o.ReplyTimeout <= 0 {
		o.ReplyTimeout = DefaultReplyTimeout
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	o.Switch.Version, o.Switch.Logger = o.Version, o.Logger
	o.Areyouai.Logger, o.Edge.Logger, o.Gateway.Logger = o.Logger, o.Logger, o.Logger
	o.Console.Version, o.Console.Logger = o.Version, o.Logger
	return o
}

// Default timeouts of the HTTP server (areyouai: limits and validation in one place). There is no timeout on a whole request
// or answer, since streams outlive any.
const (
	DefaultHeaderTimeout = 5 * time.Second
	DefaultBodyTimeout   = 15 * time.Second
	DefaultReplyTimeout  = 30 * time.Second
	DefaultIdleTimeout   = 60 * time.Second
)

// maxHeader bounds the header of a request in bytes.
const maxHeader = 64 << 10

// Gateway is all fronts on one node.
type Gateway struct {
	opts   Options
	drains []func()
	// runs work beside the requests, as long as the gateway serves.
	runs    []func(context.Context)
	handler http.Handler
	// handlers counts requests, also those whose connection the HTTP server has given up.
	handlers inFlight
}

// New makes the fronts of a node.
func New(node *core.Node, o Options) *Gateway {
	o = o.withDefaults()
	ops := operations.New(node)
	agentSwitch := switchfront.New(node, ops, o.Switch)
	areyouai := areyouaifront.New(node, o.Areyouai)
	for _, door := range []**transport.Guesses{&o.Edge.Guesses, &o.Gateway.Guesses, &o.Console.Guesses} {
		if *door == nil {
			*door = areyouai.Guesses()
		}
	}
	edge := edgefront.New(node, ops, o.Edge)
	gateway := gatewayfront.New(node, o.Gateway)
	pages := console.New(node, ops, o.Console)
	g := &Gateway{opts: o, drains: []func(){agentSwitch.Drain, areyouai.Drain, edge.Drain, gateway.Drain, pages.Drain}}
	g.runs = []func(context.Context){areyouai.Run}
	g.handler = g.counted(behindProxies(o.Proxies, boundBody(o.BodyTimeout, boundReply(o.ReplyTimeout, caughtUp(node,
		newRouter(agentSwitch.Handler(), areyouai.Handler(), edge.Handler(), gateway.Handler(), pages.Handler()))))))
	return g
}

// counted lets the end of the gateway wait for every handler. The HTTP server itself waits for none that took its
// connection over, as streams and sockets do.
func (g *Gateway) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.handlers.enter()
		defer g.handlers.leave()
		next.ServeHTTP(w, r)
	})
}

// awaitHandlers waits for all handlers, and the streams that they left behind, until ctx ends.
func (g *Gateway) awaitHandlers(ctx context.Context, streams *transport.Recycler) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-g.handlers.wait()
		streams.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// caughtUp lets a request see whatever was committed before it came, also through another node: a client may send each
// request to any of them. A log with a single node is always caught up with what its clients were told.
func caughtUp(node *core.Node, next http.Handler) http.Handler {
	if !node.Shared() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A node that cannot catch up answers from what it has; its front reports what is wrong with the log.
		_ = node.CatchUp(r.Context())
		next.ServeHTTP(w, r)
	})
}

// Handler serves all fronts.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Drain tells every stream its protocol's goodbye and ends it.
func (g *Gateway) Drain() {
	for _, drain := range g.drains {
		drain()
	}
}

// Serve answers on a listener until ctx ends, then drains. It returns nil after an orderly end.
func (g *Gateway) Serve(ctx context.Context, ln net.Listener) error {
	recycler, fresh := transport.NewRecycler(ln.Addr()), newFreshConns()
	srv := &http.Server{
		Handler: g.handler, ReadHeaderTimeout: g.opts.HeaderTimeout, IdleTimeout: g.opts.IdleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: zap.NewStdLog(g.opts.Logger), ConnState: fresh.watch,
		BaseContext: func(net.Listener) context.Context { return recycler.Context(context.WithoutCancel(ctx)) },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			boundUnsent(c)
			return ctx
		},
	}
	var work sync.WaitGroup
	defer work.Wait()
	working, rest := context.WithCancel(ctx)
	defer rest()
	for _, run := range g.runs {
		work.Go(func() { run(working) })
	}
	ended := make(chan error, 2)
	go func() { ended <- srv.Serve(ln) }()
	go func() { ended <- srv.Serve(recycler) }()
	select {
	case err := <-ended:
		g.Drain()
		return errors.Join(fmt.Errorf("serve: %w", err), srv.Close(), <-ended)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.opts.DrainTimeout)
	defer cancel()
	err := g.shutdown(end, srv, ln, recycler, fresh)
	for range 2 {
		if serr := <-ended; !errors.Is(serr, http.ErrServerClosed) && !errors.Is(serr, net.ErrClosed) {
			err = errors.Join(err, serr)
		}
	}
	return err
}

// shutdown takes no more connections, ends the streams, lets requests finish until ctx ends, and cuts what is left.
func (g *Gateway) shutdown(ctx context.Context, srv *http.Server, ln net.Listener, recycler *transport.Recycler, fresh *freshConns) error {
	err := errors.Join(ln.Close(), recycler.Close())
	g.Drain()
	fresh.cut()
	unfinished := srv.Shutdown(ctx)
	if errors.Is(unfinished, net.ErrClosed) {
		// The listeners were closed above.
		unfinished = nil
	}
	unfinished = errors.Join(unfinished, g.awaitHandlers(ctx, recycler))
	if errors.Is(unfinished, context.DeadlineExceeded) {
		g.opts.Logger.Warn("some connections did not end in time and were cut")
		unfinished = srv.Close()
	}
	return errors.Join(err, unfinished)
}

// boundBody gives a request's body a time within which it must arrive, so that a client that sends a byte at a time
// holds nothing for long. Requests without a body have none: a deadline would end their streams.
func boundBody(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0 {
			// A connection without deadlines, as a test's recorder is, has nothing to bound.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(timeout))
		}
		next.ServeHTTP(w, r)
	})
}
