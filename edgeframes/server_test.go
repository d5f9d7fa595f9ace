package edgeframes_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a test that would otherwise hang. Nothing waits for it to pass.
const patience = 20 * time.Second

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// peer is the server's end of one connection.
type peer struct {
	t    testing.TB
	ctx  context.Context
	conn *websocket.Conn
	n    int
}

// agentServer is a scripted server: script is run for each connection, numbered from
// 1, and the connection ends when it returns.
func agentServer(t testing.TB, script func(p *peer)) string {
	ctx := testContext(t)
	var mu sync.Mutex
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		conn.SetReadLimit(1 << 20)
		mu.Lock()
		n++
		p := &peer{t: t, ctx: ctx, conn: conn, n: n}
		mu.Unlock()
		script(p)
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// send fails silently when the client is gone: the test sees it at the other end.
func (p *peer) send(frames ...edgeframes.Frame) {
	for _, f := range frames {
		text, err := edgeframes.Encode(f)
		if err != nil {
			p.t.Errorf("encode: %v", err)
			return
		}
		p.write(websocket.MessageText, text)
	}
}

func (p *peer) write(typ websocket.MessageType, data []byte) { _ = p.conn.Write(p.ctx, typ, data) }

// recv returns nil when the connection ended.
func (p *peer) recv() edgeframes.Frame {
	_, text, err := p.conn.Read(p.ctx)
	if err != nil {
		return nil
	}
	f, err := edgeframes.ParseKnown(text, superjson.Limits{})
	if err != nil {
		p.t.Errorf("the client sent %s: %v", text, err)
	}
	return f
}

// drain answers pings until the client leaves, and returns its close code.
func (p *peer) drain() websocket.StatusCode {
	for {
		_, text, err := p.conn.Read(p.ctx)
		if err != nil {
			return websocket.CloseStatus(err)
		}
		if f, _ := edgeframes.ParseKnown(text, superjson.Limits{}); f == (edgeframes.Ping{}) {
			p.send(edgeframes.Pong{})
		}
	}
}

// quick makes reconnects immediate.
func quick(opts edgeframes.ClientOptions) edgeframes.ClientOptions {
	opts.BackoffMin, opts.BackoffMax = time.Millisecond, 2*time.Millisecond
	return opts
}

func newClient(t testing.TB, url string, opts edgeframes.ClientOptions) *edgeframes.Client {
	c, err := edgeframes.NewClient(url, opts)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func dial(t testing.TB, url string, opts edgeframes.ClientOptions) *edgeframes.Client {
	c, err := edgeframes.Dial(testContext(t), url, opts)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// receive takes one item or fails the test.
func receive[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

// fakeClock lets a test decide when a delay is over. Delays are told apart by length.
type fakeClock struct {
	mu      sync.Mutex
	waiting map[time.Duration][]chan time.Time
	asked   chan time.Duration
}

func newFakeClock() *fakeClock {
	return &fakeClock{waiting: map[time.Duration][]chan time.Time{}, asked: make(chan time.Duration, 1000)}
}

func (c *fakeClock) After(d time.Duration) <-chan time.Time {
	ch := make(chan time.Time, 1)
	c.mu.Lock()
	c.waiting[d] = append(c.waiting[d], ch)
	c.mu.Unlock()
	c.asked <- d
	return ch
}

// expect waits until somebody asked for d, whatever else was asked for meanwhile.
func (c *fakeClock) expect(t testing.TB, d time.Duration) {
	t.Helper()
	for receive(t, c.asked) != d {
		continue
	}
}

// pass ends every delay of length d.
func (c *fakeClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ch := range c.waiting[d] {
		ch <- time.Now()
	}
	delete(c.waiting, d)
}
