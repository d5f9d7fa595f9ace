package conformance

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/edgeframes"
)

// peer is the server's end of a connection of a scripted server.
type peer struct {
	ctx  context.Context
	conn *websocket.Conn
	// n counts the connections from 1.
	n int
}

// scripted serves a script to each connection, which ends when it returns.
func scripted(t *testing.T, script func(p *peer)) (url string) {
	t.Helper()
	ctx := within(t)
	var mu sync.Mutex
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		mu.Lock()
		n++
		p := &peer{ctx: ctx, conn: conn, n: n}
		mu.Unlock()
		script(p)
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

// send fails silently when the client is gone: the test sees it at the other end.
func (p *peer) send(x string) { _ = p.conn.Write(p.ctx, websocket.MessageText, []byte(x)) }

// recv is the client's next text, or how the connection ended.
func (p *peer) recv() (string, error) {
	_, b, err := p.conn.Read(p.ctx)
	return string(b), err
}

// proxy stands between clients and a server, and cuts their connections.
type proxy struct {
	url string

	mu    sync.Mutex
	conns []net.Conn
	shut  bool
}

// behind makes a proxy before a server.
func behind(t *testing.T, s *server) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{url: "ws://" + ln.Addr().String()}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			work.Go(func() { p.pass(c, strings.TrimPrefix(s.url, "http://"), &work) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		p.cut(true)
		work.Wait()
	})
	return p
}

func (p *proxy) pass(c net.Conn, to string, work *sync.WaitGroup) {
	d, err := net.Dial("tcp", to)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, c, d)
	shut := p.shut
	p.mu.Unlock()
	if shut {
		p.cut(true)
	}
	work.Go(func() { carry(c, d) })
	carry(d, c)
}

// carry moves bytes one way until either end is closed, and closes both.
func carry(from, to net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_, _ = from.Close(), to.Close()
}

// cut ends every connection; shut lets no new one through from then on.
func (p *proxy) cut(shut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = shut
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// wire is what a client sent and received, in order.
type wire struct {
	mu    sync.Mutex
	texts []string
	// down tells each time that a link ended or could not be made.
	down chan error
}

func newWire() *wire { return &wire{down: make(chan error, 1024)} }

// options are those of a client whose wire is watched, and that comes back soon.
func (w *wire) options(token string, resume bool) edgeframes.ClientOptions {
	return edgeframes.ClientOptions{
		Token: token, Resume: resume, BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond,
		OnRaw: func(d edgeframes.Direction, b []byte) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.texts = append(w.texts, d.String()+" "+string(b))
		},
		OnDisconnect: func(err error) {
			select {
			case w.down <- err:
			default:
			}
		},
	}
}

// with lists the texts that begin with a word and contain a part.
func (w *wire) with(word, part string) (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.texts {
		if strings.HasPrefix(x, word) && strings.Contains(x, part) {
			out = append(out, x)
		}
	}
	return out
}

// place is where the first text with a part stands, -1 if there is none.
func (w *wire) place(part string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.IndexFunc(w.texts, func(x string) bool { return strings.Contains(x, part) })
}

// begin starts a client that ends with the test.
func begin(t *testing.T, url string, o edgeframes.ClientOptions) *edgeframes.Client {
	t.Helper()
	c, err := edgeframes.NewClient(url, o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}
