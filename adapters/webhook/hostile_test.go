package webhook_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/webhook"
	"stele/areyouai"
)

// long is far more than an attempt with a short timeout may take, and far less than the test's own.
const long = 8 * time.Second

func TestAnEndpointThatDoesNotAnswerInTime(t *testing.T) {
	for name, handle := range map[string]func(net.Conn, <-chan struct{}){
		"takes nothing": func(_ net.Conn, end <-chan struct{}) { <-end },
		"says nothing": func(conn net.Conn, end <-chan struct{}) {
			_, _ = bufio.NewReader(conn).ReadString('}')
			<-end
		},
		"drips headers": func(conn net.Conn, end <-chan struct{}) {
			_, _ = bufio.NewReader(conn).ReadString('}')
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			drip(conn, "X: y\r\n", end)
		},
		"drips interim answers": func(conn net.Conn, end <-chan struct{}) {
			_, _ = bufio.NewReader(conn).ReadString('}')
			drip(conn, "HTTP/1.1 102 Processing\r\n\r\n", end)
		},
	} {
		t.Run(name, func(t *testing.T) {
			end := make(chan struct{})
			address := listen(t, func(conn net.Conn) { handle(conn, end) })
			defer close(end)
			s := newSender(t, webhook.Options{AllowLoopback: true, Timeout: 200 * time.Millisecond})
			start := time.Now()
			out := s.Send(t.Context(), to("http://"+address+"/"))
			require.Less(t, time.Since(start), long)
			require.Equal(t, areyouai.WebhookRetry, out.Kind)
			require.Error(t, out.Err)
			// A flood of interim answers is cut off by their number, if it comes before the time is up.
			if name != "drips interim answers" {
				require.ErrorIs(t, out.Err, context.DeadlineExceeded)
			}
		})
	}
}

// drip writes until the other side or the test is through with it.
func drip(conn net.Conn, text string, end <-chan struct{}) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
}

// The transport goes on connecting after the request is gone, so the end of the lookup is looked at, too.
func TestTheTimeoutCoversResolution(t *testing.T) {
	names := hanging{ended: make(chan struct{})}
	s := newSender(t, webhook.Options{Timeout: 100 * time.Millisecond, Resolver: names})
	start := time.Now()
	out := s.Send(t.Context(), to("https://example.com/"))
	require.Less(t, time.Since(start), long)
	require.Equal(t, areyouai.WebhookRetry, out.Kind)
	require.ErrorIs(t, out.Err, context.DeadlineExceeded)
	select {
	case <-names.ended:
	case <-time.After(long):
		t.Fatal("the lookup goes on without anybody waiting for it")
	}
}

// hanging is a resolver that never answers.
type hanging struct{ ended chan struct{} }

func (h hanging) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	close(h.ended)
	return nil, ctx.Err()
}

// The status is there: an answer that never ends must neither hold the caller nor undo the delivery.
func TestAnAnswerThatNeverEnds(t *testing.T) {
	for name, handle := range map[string]func(net.Conn, <-chan struct{}){
		"silent body": func(conn net.Conn, end <-chan struct{}) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx")
			<-end
		},
		"dripping body": func(conn net.Conn, end <-chan struct{}) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
			drip(conn, "x", end)
		},
		"cut body": func(conn net.Conn, _ <-chan struct{}) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx")
		},
		"broken chunks": func(conn net.Conn, _ <-chan struct{}) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			end := make(chan struct{})
			address := listen(t, func(conn net.Conn) {
				_, _ = bufio.NewReader(conn).ReadString('}')
				handle(conn, end)
			})
			defer close(end)
			s := newSender(t, webhook.Options{AllowLoopback: true, Timeout: time.Minute})
			start := time.Now()
			out := s.Send(t.Context(), to("http://"+address+"/"))
			require.Less(t, time.Since(start), long)
			require.Equal(t, webhook.Outcome{Kind: areyouai.WebhookDelivered, Status: http.StatusOK}, out)
		})
	}
}

// What follows "switching protocols" is a connection that no context ends.
func TestSwitchingProtocolsIsNotWaitedFor(t *testing.T) {
	end := make(chan struct{})
	address := listen(t, func(conn net.Conn) {
		_, _ = bufio.NewReader(conn).ReadString('}')
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		<-end
	})
	defer close(end)
	s := newSender(t, webhook.Options{AllowLoopback: true, Timeout: time.Minute})
	start := time.Now()
	out := s.Send(t.Context(), to("http://"+address+"/"))
	require.Less(t, time.Since(start), long)
	require.Equal(t, webhook.Outcome{Kind: areyouai.WebhookRetry, Status: http.StatusSwitchingProtocols}, out)
}

func TestAHugeBodyIsCutOff(t *testing.T) {
	written := make(chan int64, 1)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var n int64
		defer func() { written <- n }()
		chunk := make([]byte, 64<<10)
		for {
			m, err := w.Write(chunk)
			n += int64(m)
			if err != nil || r.Context().Err() != nil {
				return
			}
		}
	})
	s := local(t)
	require.Equal(t, areyouai.WebhookDelivered, s.Send(t.Context(), to(server.URL)).Kind)
	// What the sockets' buffers hold is the system's business.
	require.Less(t, <-written, int64(64<<20))
}

func TestHugeHeadersAreRefused(t *testing.T) {
	for name, set := range map[string]func(http.Header){
		"one long":  func(h http.Header) { h.Set("X-Long", strings.Repeat("x", 17<<10)) },
		"many":      func(h http.Header) { addMany(h, 2000) },
		"very long": func(h http.Header) { h.Set("X-Long", strings.Repeat("x", 4<<20)) },
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) { set(w.Header()) })
			out := local(t).Send(t.Context(), to(server.URL))
			require.Equal(t, areyouai.WebhookRetry, out.Kind)
			require.Error(t, out.Err)
			require.Zero(t, out.Status)
		})
	}
}

func addMany(h http.Header, n int) {
	for i := range n {
		h.Set("X-Many-"+strconv.Itoa(i), "value")
	}
}

func TestWhatAnEndpointSaysDoesNotFillTheLog(t *testing.T) {
	address := listen(t, func(conn net.Conn) {
		_, _ = bufio.NewReader(conn).ReadString('}')
		_, _ = io.WriteString(conn, strings.Repeat("ÿ", 5000)+"\r\n\r\n")
	})
	out := local(t).Send(t.Context(), to("http://"+address+"/"))
	require.Equal(t, areyouai.WebhookRetry, out.Kind)
	require.Less(t, len(out.Err.Error()), 300)
}

func TestTLS(t *testing.T) {
	for name, c := range map[string]struct {
		max     uint16
		trusted bool
		host    string
		want    areyouai.WebhookOutcome
	}{
		"1.3":                     {tls.VersionTLS13, true, "example.com", areyouai.WebhookDelivered},
		"1.2":                     {tls.VersionTLS12, true, "example.com", areyouai.WebhookDelivered},
		"1.1":                     {tls.VersionTLS11, true, "example.com", areyouai.WebhookRetry},
		"an unknown authority":    {tls.VersionTLS13, false, "example.com", areyouai.WebhookRetry},
		"another name's identity": {tls.VersionTLS13, true, "other.test", areyouai.WebhookRetry},
	} {
		t.Run(name, func(t *testing.T) {
			var hits atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: c.max}
			server.StartTLS()
			defer server.Close()
			target := net.JoinHostPort(c.host, portOf(t, server.URL))
			options := trusting(server, resolving([]string{"127.0.0.1"}))
			options.LoopbackTargets = []string{target}
			if !c.trusted {
				options.RootCAs = nil
			}
			out := newSender(t, options).Send(t.Context(), to("https://"+target+"/"))
			require.Equal(t, c.want, out.Kind, "%v", out.Err)
			require.Equal(t, c.want == areyouai.WebhookDelivered, hits.Load() == 1)
		})
	}
}

// TestMain has set a proxy for the whole process: net/http reads the environment once.
func TestNoProxyOfTheEnvironmentIsUsed(t *testing.T) {
	require.NotEmpty(t, os.Getenv("HTTPS_PROXY"))
	server := serveTLS(t, noContent)
	target := net.JoinHostPort("example.com", portOf(t, server.URL))
	options := trusting(server, resolving([]string{"127.0.0.1"}))
	options.LoopbackTargets = []string{target}
	out := newSender(t, options).Send(t.Context(), to("https://"+target+"/"))
	require.Equal(t, areyouai.WebhookDelivered, out.Kind, "%v", out.Err)
}

func TestConnectionsAreUsedAgainAndNotHoarded(t *testing.T) {
	const together = 8
	var opened, closed atomic.Int64
	var arrived sync.WaitGroup
	arrived.Add(together)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/together" {
			arrived.Done()
			arrived.Wait()
		}
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			opened.Add(1)
		case http.StateClosed:
			closed.Add(1)
		case http.StateActive, http.StateIdle, http.StateHijacked:
		}
	}
	server.Start()
	defer server.Close()
	s := local(t)
	for range 3 {
		require.Equal(t, areyouai.WebhookDelivered, s.Send(t.Context(), to(server.URL)).Kind)
	}
	require.EqualValues(t, 1, opened.Load())

	var done sync.WaitGroup
	for range together {
		done.Go(func() { s.Send(t.Context(), to(server.URL+"/together")) })
	}
	done.Wait()
	require.Eventually(t, func() bool { return opened.Load()-closed.Load() <= 2 }, long, 10*time.Millisecond)
	s.Close()
	require.Eventually(t, func() bool { return opened.Load() == closed.Load() }, long, 10*time.Millisecond)
}
