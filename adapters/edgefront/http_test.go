package edgefront_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/internal/testsocket"
)

func TestRefusalsBeforeTheUpgrade(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	with := func(edits ...string) http.Header {
		h := testsocket.Handshake()
		for i := 0; i < len(edits); i += 2 {
			if h.Del(edits[i]); edits[i+1] != "" {
				h.Set(edits[i], edits[i+1])
			}
		}
		return h
	}
	before := g.node.Applied()
	for name, c := range map[string]struct {
		method, path string
		header       http.Header
		status       int
	}{
		"POST":                     {"POST", "/agents/alice/chat", nil, 405},
		"PUT":                      {"PUT", "/agents/alice/chat", nil, 405},
		"POST with upgrade":        {"POST", "/agents/alice/chat", with(), 400},
		"DELETE with upgrade":      {"DELETE", "/agents/alice/chat", with(), 400},
		"HEAD":                     {"HEAD", "/agents/alice/chat", nil, 405},
		"OPTIONS of no page":       {"OPTIONS", "/agents/alice/chat", nil, 405},
		"rpc with upgrade":         {"POST", "/agents/alice/chat/rpc/say", with(), 400},
		"rpc without a method":     {"POST", "/agents/alice/chat/rpc/", nil, 404},
		"rpc of a longer path":     {"POST", "/agents/alice/chat/rpc/say/more", nil, 404},
		"rpc by PUT":               {"PUT", "/agents/alice/chat/rpc/say", nil, 405},
		"another path":             {"GET", "/agents/alice", with(), 404},
		"root":                     {"GET", "/", nil, 404},
		"a longer path":            {"GET", "/agents/alice/chat/x", with(), 404},
		"blank conversation":       {"GET", "/agents/alice/%20", with(), 400},
		"conversation too long":    {"GET", "/agents/alice/" + strings.Repeat("x", 257), with(), 400},
		"agent too long":           {"GET", "/agents/" + strings.Repeat("x", 257) + "/chat", with(), 400},
		"name that is not UTF-8":   {"GET", "/agents/alice/%FF", with(), 400},
		"no connection header":     {"GET", "/agents/alice/chat", with("Connection", ""), 426},
		"an old version":           {"GET", "/agents/alice/chat", with("Sec-WebSocket-Version", "8"), 426},
		"no key":                   {"GET", "/agents/alice/chat", with("Sec-WebSocket-Key", ""), 400},
		"a bad key":                {"GET", "/agents/alice/chat", with("Sec-WebSocket-Key", "short"), 400},
		"a foreign origin":         {"GET", "/agents/alice/chat", with("Origin", "https://evil.example"), 403},
		"an origin without host":   {"GET", "/agents/alice/chat", with("Origin", "null"), 403},
		"an origin that is no URL": {"GET", "/agents/alice/chat", with("Origin", "http://[::1"), 403},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), c.method, g.srv.URL+c.path, nil)
			require.NoError(t, err)
			for k, v := range c.header {
				req.Header[k] = v
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, c.status, resp.StatusCode, "%s", body)
			require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
			if c.method == http.MethodHead {
				return
			}
			require.Regexp(t, `^\{"json":\{"v":1,"kind":"error","code":"protocol_error","message":"[^"]+"\}\}$`, string(body))
		})
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.Equal(t, before, g.node.Applied(), "nothing changed")
}

func TestOrigins(t *testing.T) {
	for name, c := range map[string]struct {
		options edgefront.Options
		origin  string
		welcome bool
	}{
		"no browser":              {edgefront.Options{}, "", true},
		"the gateway's own":       {edgefront.Options{}, "self", true},
		"another":                 {edgefront.Options{}, "https://example.com", false},
		"a pattern":               {edgefront.Options{Origins: []string{"*.example.com"}}, "https://A.Example.com", true},
		"a pattern, not below it": {edgefront.Options{Origins: []string{"*.example.com"}}, "https://example.com", false},
		"with its scheme":         {edgefront.Options{Origins: []string{"https://example.com"}}, "https://example.com", true},
		"with another scheme":     {edgefront.Options{Origins: []string{"https://example.com"}}, "http://example.com", false},
		"a malformed pattern":     {edgefront.Options{Origins: []string{"["}}, "https://example.com", false},
		"any":                     {edgefront.Options{AnyOrigin: true}, "https://example.com", true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, c.options)
			origin := c.origin
			if origin == "self" {
				origin = g.srv.URL
			}
			_, resp, err := g.tryDial("/agents/a/b", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}})
			if c.welcome {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			require.Equal(t, http.StatusForbidden, resp.StatusCode)
		})
	}
}

func TestSubprotocolAndCompression(t *testing.T) {
	g := newGateway(t, patient())
	l, resp, err := g.tryDial("/agents/a/b", &websocket.DialOptions{
		Subprotocols: []string{"First", "second"}, CompressionMode: websocket.CompressionContextTakeover,
	})
	require.NoError(t, err)
	require.Equal(t, "First", l.conn.Subprotocol())
	require.Empty(t, resp.Header.Get("Sec-WebSocket-Extensions"))
	l, _, err = g.tryDial("/agents/a/b", nil)
	require.NoError(t, err)
	require.Empty(t, l.conn.Subprotocol())
}
