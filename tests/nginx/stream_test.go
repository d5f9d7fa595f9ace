package nginx

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/sse"
)

// body is the text of a message's event.
func body(t *testing.T, e sse.Event) string {
	t.Helper()
	var envelope struct {
		Payload struct {
			Body string `json:"body"`
		} `json:"payload"`
	}
	require.NoError(t, json.Unmarshal(e.Data, &envelope), "%s", e.Data)
	return envelope.Payload.Body
}

// TestFramesArriveAtOnce although nginx buffers answers and compresses what it may: nothing else is written to the stream
// that could push a frame through, neither more frames nor keepalives nor its end.
func TestFramesArriveAtOnce(t *testing.T) {
	t.Parallel()
	g := startGateway(t, never)
	s := g.must(startProxy(t, g.addr, "").url)
	require.Empty(t, s.header.Get("Content-Encoding"))
	require.Contains(t, s.header.Get("Content-Type"), "text/event-stream")
	for i := range 5 {
		g.post(fmt.Sprint("message ", i))
		e, err := s.Next()
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("message ", i), body(t, e))
	}
}

// The time of idleness is simulated by making all times shorter in the same ratio: what counts is how many keepalives
// come within the time after which nginx gives a silent upstream up, and for how many of those times they go on coming.
const (
	// shorter is how much faster time passes. The defaults are a keepalive every 15 s and nginx's 60 s.
	shorter   = 40
	keepAlive = 15 * time.Second / shorter
	tolerated = 60 * time.Second / shorter
	idleness  = 10 * time.Minute / shorter
)

// TestKeepalivesHoldAnIdleStream for ten minutes, of which nginx tolerates one in silence.
func TestKeepalivesHoldAnIdleStream(t *testing.T) {
	t.Parallel()
	timeout := fmt.Sprintf("proxy_read_timeout %dms;", tolerated.Milliseconds())
	g, silent := startGateway(t, keepAlive), startGateway(t, never)
	s, cut := g.must(startProxy(t, g.addr, timeout).url), silent.must(startProxy(t, silent.addr, timeout).url)

	began := time.Now()
	_, err := cut.Next()
	require.Error(t, err)
	require.GreaterOrEqual(t, time.Since(began), tolerated*9/10, "without keepalives nginx ends the stream, and not before")

	keepalives := 0
	for time.Since(began) < idleness {
		e, err := s.Next()
		require.NoError(t, err, "after %v", time.Since(began))
		require.True(t, e.Comment)
		keepalives++
	}
	require.Greater(t, keepalives, int(idleness/tolerated), "they came steadily")
	g.post("still there")
	for {
		e, err := s.Next()
		require.NoError(t, err)
		if !e.Comment {
			require.Equal(t, "still there", body(t, e))
			return
		}
	}
}

// TestReloadLosesNothing: over reloads of nginx, with and without an end of the workers that still serve the streams, a
// client that comes back with its cursor gets every message once and in order.
func TestReloadLosesNothing(t *testing.T) {
	t.Parallel()
	const reloads, each = 6, 50
	g := startGateway(t, never)
	p := startProxy(t, g.addr, "")
	got, opens := make(chan string, reloads*each), make(chan struct{}, 100)
	followed := make(chan error, 1)
	go func() { followed <- g.follow(p.url, reloads*each, got, opens) }()
	<-opens
	cuts := 0
	for i := range reloads {
		for j := range each {
			g.post(fmt.Sprint(i*each + j))
			switch {
			case j == each/3:
				p.reload()
			case j == 2*each/3 && i%2 == 1:
				cuts += p.endOldWorkers()
			}
		}
	}
	require.NoError(t, <-followed)
	for i := range reloads * each {
		require.Equal(t, fmt.Sprint(i), <-got)
	}
	require.Positive(t, cuts)
	require.NotEmpty(t, opens, "the stream was never cut, so nothing was resumed")
}

// follow reads a number of messages through a proxy as a client does: it opens the stream again whenever it ends, from its
// cursor. opens gets a signal for each stream.
func (g *gateway) follow(base string, count int, got chan<- string, opens chan<- struct{}) error {
	cursor := "0"
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		s, err := g.open(base, cursor)
		if err != nil {
			// The worker that took the connection may have been at its end.
			continue
		}
		for {
			e, err := s.Next()
			if err != nil {
				break
			}
			if e.Event == "connection_state" {
				opens <- struct{}{}
			}
			if !e.HasID {
				continue
			}
			cursor = e.ID
			if e.Event == "message" {
				got <- body(g.t, e)
				count--
			}
			if count == 0 {
				return s.body.Close()
			}
		}
		_ = s.body.Close()
	}
	return fmt.Errorf("%d messages did not come in time", count)
}
