package webhook_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/adapters/webhook"
	"stele/areyouai"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, "http://10.0.0.1:3128"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

func newSender(t *testing.T, options webhook.Options) *webhook.Sender {
	t.Helper()
	s, err := webhook.NewSender(options)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// local returns a sender that reaches the servers of these tests.
func local(t *testing.T) *webhook.Sender {
	return newSender(t, webhook.Options{AllowLoopback: true})
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func serveTLS(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func noContent(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// listen accepts on a loopback port and gives each connection to handle, which runs alone.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			handle(conn)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

func portOf(t *testing.T, rawURL string) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	require.NoError(t, err)
	return u.Port()
}

func to(rawURL string) webhook.Delivery {
	return webhook.Delivery{
		ID: "whd_test", Type: areyouai.EventRoomJoined, URL: rawURL, KeyID: "v1", Secret: "whsec_test",
		Body: []byte(`{"delivery_id":"whd_test","type":"room.joined"}`), Attempt: 1,
	}
}

// answers is a resolver whose lookups return one set of addresses after the other, the last one for ever.
type answers struct {
	mu      sync.Mutex
	sets    [][]string
	lookups int
}

func resolving(sets ...[]string) *answers { return &answers{sets: sets} }

func (a *answers) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	set := a.sets[min(a.lookups, len(a.sets)-1)]
	a.lookups++
	var addrs []netip.Addr
	for _, s := range set {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	return addrs, nil
}
