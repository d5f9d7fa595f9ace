package transport

import (
	"context"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Recycler is a listener that "accepts" connections whose event stream has ended. The HTTP server serves it beside its
// real listener, so that a connection taken over by a stream serves the client's next request afterwards, as the client
// may expect of one that was announced as kept alive.
type Recycler struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
	// streams are the attended streams that took a connection over; working counts those with something to do.
	streams sync.WaitGroup
	working atomic.Int64
	// share is what one turn of a stream takes, of all processors together.
	share  time.Duration
	chunks sync.Pool
}

// A stream that writes again before all others had their turn makes them, and those who post, wait for less than it could
// write. So the pace of a stream is a round of turns, where that is longer than its own.
const (
	// turnCost is twice what a turn with a short write takes of one processor, the client's side of a local socket
	// included, so that turns leave half the machine to those who post.
	turnCost = 60 * time.Microsecond
	// longestRound bounds the pace, and with it how much later an event comes than it could.
	longestRound = 100 * time.Millisecond
)

// round is how long it takes about to serve every stream that has something to do.
func (r *Recycler) round() time.Duration {
	return min(time.Duration(r.working.Load())*r.share, longestRound)
}

// NewRecycler returns a recycler for connections of a listener with that address.
func NewRecycler(addr net.Addr) *Recycler {
	return &Recycler{
		addr: addr, conns: make(chan net.Conn), done: make(chan struct{}),
		share: turnCost / time.Duration(runtime.GOMAXPROCS(0)),
	}
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
