package adapters_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/core"
)

// TestEscapesDoNotChangeTheWay asks for each path as it is and escaped, and compares the answers.
func TestEscapesDoNotChangeTheWay(t *testing.T) {
	n := newNode(t)
	ada, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: "ada", Handle: "ada", Description: "d", Owner: "owner",
	}})
	require.NoError(t, err)
	g := adapters.New(n, adapters.Options{})
	defer g.Drain()
	ask := func(method, path, upgrade, body string) (int, string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+ada.Key)
		r.Header.Set("X-Request-Id", "the-same-for-both")
		if upgrade != "" {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", upgrade)
		}
		given := *r.URL
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		require.Equal(t, given, *r.URL, "the caller's request is not changed")
		return w.Code, w.Body.String()
	}
	id := ada.Agent.ID
	require.True(t, strings.HasPrefix(id, "agt_"))
	escaped := strings.Replace(id, "_", "%5f", 1)
	for _, tc := range []struct {
		method, plain, escaped, upgrade string
		status                          int
	}{
		{"GET", "/agents/" + id + "/ops", "/agents/" + escaped + "/ops", "", 200},
		{"GET", "/agents/" + id + "/ops", "/%61gents/" + id + "/%6Fps", "", 200},
		{"POST", "/agents/" + id + "/ops/list_rooms", "/agents/" + id + "/ops/list%5Frooms", "", 200},
		{"GET", "/switch/agents/" + id + "/ops", "/%73witch/agents/" + escaped + "/ops", "", 200},
		{"GET", "/v1/mode", "/v1/%6dode", "", 200},
		{"GET", "/v1/mode", "/%76%31/mode", "", 200},
		{"GET", "/areyouai/v1/mode", "/areyoua%69/v1/%6dode", "", 200},
		{"GET", "/healthz", "/health%7a", "", 200},
		{"POST", "/agents/a/b", "/%61gents/a/b", "websocket", 400},
		{"POST", "/edge/agents/a/b", "/%65dge/agents/%61/b", "", 405},
		// An escaped escape is the name of something, and not what it would escape.
		{"GET", "/agents/agt%255f/ops", "/%61gents/agt%255f/ops", "", 403},
	} {
		status, body := ask(tc.method, tc.plain, tc.upgrade, `{}`)
		require.Equal(t, tc.status, status, "%s %s: %s", tc.method, tc.plain, body)
		again, same := ask(tc.method, tc.escaped, tc.upgrade, `{}`)
		require.Equal(t, status, again, "%s %s: %s", tc.method, tc.escaped, same)
		require.Equal(t, body, same, "%s %s", tc.method, tc.escaped)
	}
}

// TestEscapedSlashesSeparateNothing: they are part of a name, and it is the front that says what it thinks of that.
func TestEscapedSlashesSeparateNothing(t *testing.T) {
	g := adapters.New(newNode(t), adapters.Options{})
	defer g.Drain()
	for _, tc := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"POST", "/edge/agents/a%2Fb/c", 405, `"kind":"error"`},
		{"POST", "/edge/agents/a%2fb/c", 405, `"kind":"error"`},
		{"POST", "/edge/agents/a%2Fb", 404, `"kind":"error"`},
		{"GET", "/v1%2Fmode", 401, "Missing or invalid Authorization header"},
		{"GET", "/v1/%2Fmode", 404, `"error":"not_found"`},
		{"GET", "/areyouai/v1/rooms/a%2Fb/state", 401, `"status":401`},
		{"GET", "/switch%2Fhealth", 401, "Missing or invalid Authorization header"},
		{"GET", "/%73witch/health%2Fx", 401, "Missing or invalid Authorization header"},
	} {
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, httptest.NewRequest(tc.method, tc.path, nil))
		require.Equal(t, tc.status, w.Code, "%s %s: %s", tc.method, tc.path, w.Body)
		require.Contains(t, w.Body.String(), tc.body, "%s %s", tc.method, tc.path)
	}
}

// TestEdgeRequestsAtNativePaths: plain requests in the edge protocol's form reach its front, but for names that the Switch
// protocol knows; below the prefix they all do.
func TestEdgeRequestsAtNativePaths(t *testing.T) {
	g := adapters.New(newNode(t), adapters.Options{})
	defer g.Drain()
	const edge = `"kind":"error"`
	for _, tc := range []struct {
		method, path string
		edge         bool
	}{
		{"GET", "/agents/ada/chat?subscribe=state", true},
		{"GET", "/agents/ada/chat?token=x&subscribe=", true},
		{"GET", "/agents/ada/a%2Fb?subscribe=state", true},
		{"OPTIONS", "/agents/ada/chat?subscribe=state", true},
		{"POST", "/agents/ada/chat?subscribe=state", true},
		{"GET", "/agents/ada/chat", false},
		{"GET", "/agents/ada?subscribe=state", false},
		{"GET", "/agents/ada/events?subscribe=state", false},
		{"GET", "/agents/ada/ops?subscribe=state", false},
		{"GET", "/agents/ada/chat/more?subscribe=state", false},
		{"GET", "/agents/feature-flags/x?subscribe=state", false},
		{"POST", "/agents/ada/chat/rpc/say", true},
		{"PUT", "/agents/ada/chat/rpc/say", true},
		{"OPTIONS", "/agents/ada/chat/rpc/say", true},
		{"GET", "/agents/ada/chat/rpc/say?subscribe=state", true},
		{"GET", "/agents/ada/chat/rpc/say", false},
		{"POST", "/agents/ada/chat/rpc", false},
		{"POST", "/agents/ada/rooms/rpc/media", false},
		{"POST", "/agents/ada/ops/rpc/x", false},
		{"POST", "/agents/rooms/x/rpc/y", false},
	} {
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, httptest.NewRequest(tc.method, tc.path, nil))
		require.Equal(t, tc.edge, strings.Contains(w.Body.String(), edge), "%s %s: %d %s", tc.method, tc.path, w.Code, w.Body)
		w = httptest.NewRecorder()
		g.Handler().ServeHTTP(w, httptest.NewRequest(tc.method, "/edge"+tc.path, nil))
		require.Contains(t, w.Body.String(), edge, "%s %s", tc.method, tc.path)
	}
}
