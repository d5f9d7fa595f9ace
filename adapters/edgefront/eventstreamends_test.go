package edgefront_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
	"stele/internal/sse"
)

func TestEventStreamEndsWithItsRights(t *testing.T) {
	o := patient()
	o.Reauth = 10 * time.Millisecond
	g := newGateway(t, o)
	alice := g.register("alice")
	g.room("secret", private, alice)
	s := g.listen("/agents/alice/secret?token=" + alice.key)
	s.until(`"kind":"hello"`)
	_, err := g.node.RotateKey(t.Context(), alice.ID)
	require.NoError(t, err)
	require.Contains(t, s.until(`"kind":"error"`), `"code":"unauthorized"`)
	_, err = s.r.Next()
	require.ErrorIs(t, err, io.EOF, "in order")
}

func TestEventStreamKeepsAliveAndDrains(t *testing.T) {
	o := patient()
	o.KeepAlive = 20 * time.Millisecond
	g := newGateway(t, o)
	alice := g.register("alice")
	g.room("chat", nil, alice)
	s := g.listen("/agents/alice/chat?subscribe=state&token=" + alice.key)
	raw := make([]byte, 0, 4096)
	for strings.Count(string(raw), ": keepalive\n\n") < 3 {
		n, err := s.resp.Body.Read(raw[len(raw):cap(raw)])
		require.NoError(t, err)
		raw = raw[:len(raw)+n]
	}
	g.front.Drain()
	_, err := io.ReadAll(s.resp.Body)
	require.NoError(t, err, "in order")
	late := g.listen("/agents/alice/chat?token=" + alice.key)
	require.Equal(t, http.StatusServiceUnavailable, late.resp.StatusCode)
	require.Equal(t, "1", late.resp.Header.Get("Retry-After"))
}

// On a server that gives its connections away the stream takes its over, and gives it back for the next request.
func TestEventStreamOnARecycler(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	recycler := transport.NewRecycler(ln.Addr())
	srv := &http.Server{
		Handler: g.front.Handler(), ReadHeaderTimeout: patience,
		BaseContext: func(net.Listener) context.Context { return recycler.Context(context.Background()) },
	}
	done := make(chan error, 2)
	go func() { done <- srv.Serve(ln) }()
	go func() { done <- srv.Serve(recycler) }()
	defer func() {
		_ = recycler.Close()
		_ = srv.Close()
		<-done
		<-done
	}()
	c, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(c, "GET /agents/alice/chat?token=%s HTTP/1.1\r\nHost: gateway\r\n\r\n", alice.key)
	require.NoError(t, err)
	lines := bufio.NewReader(c)
	resp, err := http.ReadResponse(lines, nil)
	require.NoError(t, err)
	s := &source{t: t, g: g, resp: resp, r: sse.NewReader(resp.Body, 0)}
	s.until(`"kind":"hello"`)
	g.post(room, alice, "over a connection taken over")
	require.Contains(t, s.until(`"kind":"messages"`), "over a connection taken over")
	g.front.Drain()
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err, "in order")
	_, err = fmt.Fprint(c, "GET /agents/alice/chat HTTP/1.1\r\nHost: gateway\r\n\r\n")
	require.NoError(t, err)
	resp, err = http.ReadResponse(lines, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
}

// A client that takes nothing of its stream loses it and holds up nobody.
func TestEventStreamThatIsNotRead(t *testing.T) {
	o := patient()
	o.ProgressTimeout = 200 * time.Millisecond
	g := newGateway(t, o)
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	listener := g.attach("/agents/alice/chat", alice.key)
	c, err := net.Dial("tcp", strings.TrimPrefix(g.srv.URL, "http://"))
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "GET /agents/alice/chat?token=%s HTTP/1.1\r\nHost: gateway\r\n\r\n", alice.key)
	require.NoError(t, err)
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for {
			if _, err := c.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for range 120 {
		g.post(room, alice, strings.Repeat("x", 100_000))
		listener.until(`"kind":"messages"`)
	}
	select {
	case <-cut:
	case <-time.After(patience):
		t.Fatal("the stream was never cut")
	}
}
