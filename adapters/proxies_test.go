package adapters

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/adapters/transport"
	"stele/core"
	"stele/core/memlog"
)

// TestWhoIsBehindAProxy: the address that limits hold for is that of the client as far as trusted proxies tell, and nobody can
// claim another.
func TestWhoIsBehindAProxy(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		peer    string
		headers []string
		want    string
	}{
		"no proxy":                     {"203.0.113.9:4000", nil, "203.0.113.9"},
		"a stranger who claims":        {"203.0.113.9:4000", []string{"198.51.100.1"}, "203.0.113.9"},
		"a proxy":                      {"10.1.2.3:4000", []string{"198.51.100.1"}, "198.51.100.1"},
		"a proxy that says nothing":    {"10.1.2.3:4000", nil, "10.1.2.3"},
		"a client that claims":         {"10.1.2.3:4000", []string{"192.0.2.7, 198.51.100.1"}, "198.51.100.1"},
		"two proxies":                  {"127.0.0.1:4000", []string{"192.0.2.7, 198.51.100.1,10.0.0.1"}, "198.51.100.1"},
		"two headers":                  {"127.0.0.1:4000", []string{"192.0.2.7", "198.51.100.1", "10.0.0.1"}, "198.51.100.1"},
		"proxies alone":                {"127.0.0.1:4000", []string{"10.0.0.2, 10.0.0.1"}, "10.0.0.2"},
		"nonsense before the client":   {"10.1.2.3:4000", []string{"unknown, 198.51.100.1"}, "198.51.100.1"},
		"nonsense":                     {"10.1.2.3:4000", []string{"198.51.100.1, unknown"}, "10.1.2.3"},
		"nothing between commas":       {"10.1.2.3:4000", []string{"198.51.100.1,,"}, "10.1.2.3"},
		"with a port":                  {"10.1.2.3:4000", []string{"198.51.100.1:55000"}, "198.51.100.1"},
		"an address of the other kind": {"[fd00::1]:4000", []string{"2001:db8::5"}, "2001:db8::5"},
		"a mapped peer":                {"[::ffff:10.1.2.3]:4000", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			h := behindProxies(trusted, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = transport.ClientIP(r) }))
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr, r.Header[forwardedFor] = c.peer, c.headers
			h.ServeHTTP(httptest.NewRecorder(), r)
			require.Equal(t, c.want, got)
			require.Equal(t, c.peer, r.RemoteAddr, "the server's own request is left alone")
		})
	}
}

// TestAGatewayBelievesItsProxies: who is locked out behind a trusted proxy locks out nobody else there.
func TestAGatewayBelievesItsProxies(t *testing.T) {
	node, err := core.Open(t.Context(), memlog.New(), core.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, node.Close(context.Background())) }()
	g := New(node, Options{
		Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Console: console.Options{SignInsPerIP: 1},
	})
	signIn := func(peer, from string) int {
		r := httptest.NewRequest(http.MethodPost, "/gateway/sign-in", strings.NewReader("name=nobody&password=wrong"))
		r.RemoteAddr = peer + ":4000"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(forwardedFor, from)
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		return w.Code
	}
	require.Equal(t, http.StatusUnauthorized, signIn("10.0.0.1", "198.51.100.1"))
	require.Equal(t, http.StatusTooManyRequests, signIn("10.0.0.1", "198.51.100.1"))
	require.Equal(t, http.StatusUnauthorized, signIn("10.0.0.1", "198.51.100.2"))
	require.Equal(t, http.StatusUnauthorized, signIn("203.0.113.9", "198.51.100.3"))
	require.Equal(t, http.StatusTooManyRequests, signIn("203.0.113.9", "198.51.100.4"), "nobody else is believed")
}
