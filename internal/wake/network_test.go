package wake

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
)

// network is a network in memory, so that servers and clients can live in one bubble of fake time.
type network struct {
	mu    sync.Mutex
	hosts map[string]*host
}

// host is a listener at an address of the network.
type host struct {
	name  string
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newNetwork() *network { return &network{hosts: map[string]*host{}} }

// serve runs a server at http://name until the test ends.
func (n *network) serve(t *testing.T, name string, h http.Handler) {
	t.Helper()
	l := &host{name: name + ":80", conns: make(chan net.Conn), done: make(chan struct{})}
	n.mu.Lock()
	n.hosts[l.name] = l
	n.mu.Unlock()
	srv := &http.Server{Handler: h}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l)
	}()
	t.Cleanup(func() {
		_ = srv.Close()
		<-ended
	})
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.hosts[address]
	n.mu.Unlock()
	if l == nil {
		return nil, errors.New("no such host")
	}
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client makes an HTTP client on the network and a function that closes its connections.
func (n *network) client() (*http.Client, func()) {
	tr := &http.Transport{DialContext: n.dial}
	return &http.Client{Transport: tr}, tr.CloseIdleConnections
}

func (l *host) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *host) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *host) Addr() net.Addr { return address(l.name) }

type address string

func (a address) Network() string { return "memory" }
func (a address) String() string  { return string(a) }
