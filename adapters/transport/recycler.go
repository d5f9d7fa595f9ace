package transport

import (
	"context"
	"net"
	"sync"
)

// Recycler is a listener that "accepts" connections whose event stream has ended. The HTTP server serves it beside its
// real listener, so that a connection taken over by a stream serves the client's next request afterwards, as the client
// may expect of one that was announced as kept alive.
type Recycler struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
	// streams are the goroutines of streams that took a connection over.
	streams sync.WaitGroup
	chunks  sync.Pool
}

// NewRecycler returns a recycler for connections of a listener with that address.
func NewRecycler(addr net.Addr) *Recycler {
	return &Recycler{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
}

type recyclerKey struct{}

// recycling is a recycler with the context of the server that uses it, which streams descend from when their request
// has ended.
type recycling struct {
	*Recycler
	base context.Context
}

// Context returns the base context that makes streams of an HTTP server use the recycler. Without it streams do not take
// connections over.
func (r *Recycler) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, recyclerKey{}, recycling{r, ctx})
}

// Wait waits for the streams that took a connection over. It is called when no handler runs any more: none begins then.
func (r *Recycler) Wait() { r.streams.Wait() }

// Accept implements [net.Listener].
func (r *Recycler) Accept() (net.Conn, error) {
	select {
	case c := <-r.conns:
		return c, nil
	case <-r.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (r *Recycler) Close() error {
	r.close.Do(func() { close(r.done) })
	return nil
}

// Addr implements [net.Listener].
func (r *Recycler) Addr() net.Addr { return r.addr }

// give hands a connection to the server, or closes it when the server takes no more.
func (r *Recycler) give(c net.Conn) {
	select {
	case r.conns <- c:
	case <-r.done:
		// The server is at its end; what the close reports changes nothing.
		_ = c.Close()
	}
}
