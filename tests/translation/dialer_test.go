package translation_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// host is the name under which clients know the gateway; where it listens changes with every start.
const host = "gateway.test"

// network leads clients to the gateway and cuts their connections, each after a random number of bytes of one direction.
type network struct {
	target atomic.Pointer[string]
	cuts   atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
}

func newNetwork(random *rand.Rand) *network { return &network{random: random} }

// lead makes new connections go to an address.
func (n *network) lead(address string) { n.target.Store(&address) }

// client makes requests over connections of its own, which are cut or not. It puts a context's idempotency key into the
// request.
func (n *network) client(cut bool) *http.Client {
	return &http.Client{Transport: &keyedTransport{&http.Transport{
		MaxIdleConnsPerHost: 256,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", *n.target.Load())
			if err != nil || !cut {
				return conn, err
			}
			return n.frail(conn.(*net.TCPConn)), nil
		},
	}}}
}

// frail gives a connection its budgets: some get through whole, some end within the first answer, most somewhere later.
func (n *network) frail(conn *net.TCPConn) net.Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := &frailConn{TCPConn: conn, network: n}
	c.down.Store(1 << 40)
	c.up.Store(1 << 40)
	// Small numbers are as likely as large ones, but not so small that clients are busy with nothing else.
	few := int64(256) << n.random.IntN(9)
	switch n.random.IntN(8) {
	case 0, 1:
	case 2:
		few /= 16
		c.up.Store(1 + few/2 + n.random.Int64N(few))
	default:
		c.down.Store(1 + few + n.random.Int64N(few))
	}
	return c
}

// frailConn is a connection that breaks when a budget is spent: what is on its way then is lost.
type frailConn struct {
	*net.TCPConn
	network  *network
	up, down atomic.Int64
	once     sync.Once
}

func (c *frailConn) Read(p []byte) (int, error) {
	left := c.down.Load()
	if left <= 0 {
		return 0, c.cut()
	}
	n, err := c.TCPConn.Read(p[:min(int64(len(p)), left)])
	c.down.Add(-int64(n))
	return n, err
}

func (c *frailConn) Write(p []byte) (int, error) {
	passes := min(int64(len(p)), c.up.Load())
	n, err := c.TCPConn.Write(p[:max(0, passes)])
	if c.up.Add(-int64(n)); err == nil && n < len(p) {
		err = c.cut()
	}
	return n, err
}

func (c *frailConn) cut() error {
	c.once.Do(func() {
		c.network.cuts.Add(1)
		// Without this the rest would still be delivered.
		_ = c.SetLinger(0)
		_ = c.Close()
	})
	return io.ErrUnexpectedEOF
}

// keyedTransport puts the idempotency key of a request's context into its header.
type keyedTransport struct{ *http.Transport }

type keyOf struct{}

func withKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}

func (k *keyedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if key, ok := r.Context().Value(keyOf{}).(string); ok && r.Method == http.MethodPost {
		r = r.Clone(r.Context())
		r.Header.Set("Idempotency-Key", key)
	}
	return k.Transport.RoundTrip(r)
}
