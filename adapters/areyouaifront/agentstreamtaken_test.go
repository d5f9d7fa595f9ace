package areyouaifront_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/adapters/transport"
	"stele/areyouai"
)

// taking serves the gate as the gateway does, whose streams take their connections over. The returned function waits for
// the end of the streams.
func (g *gate) taking() (awaitStreams func()) {
	g.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(g.t, err)
	recycler := transport.NewRecycler(ln.Addr())
	srv := &http.Server{
		Handler:           g.front.Handler(),
		ReadHeaderTimeout: patience,
		BaseContext:       func(net.Listener) context.Context { return recycler.Context(context.Background()) },
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(ln) })
	serving.Go(func() { _ = srv.Serve(recycler) })
	g.url = "http://" + ln.Addr().String()
	g.t.Cleanup(func() {
		g.front.Drain()
		require.NoError(g.t, recycler.Close())
		require.NoError(g.t, srv.Close())
		recycler.Wait()
		serving.Wait()
	})
	return recycler.Wait
}

// TestAgentStreamsWithoutAHandler: on the gateway no handler waits at an idle stream; turns, keepalives, the look at the
// session, the cap and the drain work as they do elsewhere.
func TestAgentStreamsWithoutAHandler(t *testing.T) {
	limits := areyouaifront.DefaultLimits()
	limits.OpenAgentStreams = 2
	g := newGate(t, areyouaifront.Options{KeepAlive: 30 * time.Millisecond, Reauth: 20 * time.Millisecond, Limits: &limits})
	awaitStreams := g.taking()
	r := g.room()
	a, _ := g.openAgentStream(r.a, "")
	b, _ := g.openAgentStream(r.b, "")
	a.turn()
	for range 4 {
		r.talk(1)
		b.turn()
		r.talk(1)
		a.turn()
	}
	for strings.Count(a.raw.String(), ": keepalive\n\n") < 2 {
		f, err := a.reader.Next()
		require.NoError(t, err)
		require.True(t, f.Comment)
	}
	other, _ := g.openAgentStream(r.b, "")
	require.Equal(t, 429, g.get("/v1/agent/stream", r.b.token).status)
	other.close()
	require.Eventually(t, func() bool { return len(g.waiting(r.a)) == 1 }, patience, time.Millisecond)
	require.Eventually(t, func() bool {
		resp, cancel := g.startStream("/v1/agent/stream", r.b.token, nil)
		defer cancel()
		defer resp.Body.Close()
		return resp.StatusCode == 200
	}, patience, 5*time.Millisecond, "a client that left gives its place back")

	g.clock.Advance(areyouai.SessionTTL + time.Second)
	a.relogin(r.a)
	b.relogin(r.b)
	c := g.person("Cara")
	last, _ := g.openAgentStream(c, "")
	g.front.Drain()
	require.Nil(t, last.frame())
	awaitStreams()
}
