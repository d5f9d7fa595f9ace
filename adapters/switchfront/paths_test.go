package switchfront_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryPath asks for each path of the protocol's table with every method: what is served answers something else than
// that it is not, a known path refuses other methods, and what is not served here is unknown.
func TestEveryPath(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	handler := g.front.Handler()
	ask := func(method, path, token string) reply {
		r := httptest.NewRequest(method, path, nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return reply{w.Code, w.Header(), w.Body.String()}
	}
	served := map[string]string{
		"/health": "GET", "/deeplink/session": "GET", "/version": "GET",
		"/agents/register-known": "POST", "/agents": "POST", "/agents/register-known-bulk": "POST", "/agents/{id}": "PATCH DELETE",
		"/agents/{id}/events": "GET", "/agents/{id}/notifications": "GET", "/agents/{id}/rooms/r/events": "GET",
		"/agents/{id}/connection/beat": "POST", "/agents/{id}/connection/subscribe": "POST", "/agents/{id}/connection/unsubscribe": "POST",
		"/agents/{id}/ops": "GET", "/agents/{id}/ops/list_rooms": "POST", "/agents/{id}/message": "POST",
		"/agents/{id}/rooms/r/media": "GET POST", "/agents/{id}/typing": "POST", "/agents/{id}/runtime-state": "POST",
		"/agents/{id}/status": "POST", "/agents/{id}/leases/renew": "POST", "/agents/{id}/connection/renew": "POST",
		"/agents/{id}/watch/heartbeat": "POST", "/agents/{id}/rooms/r/history": "GET", "/agents/rooms/r/participants": "GET",
		"/agents/{id}/events/report": "POST", "/agents/{id}/mediation/pre-tool-call": "POST", "/agents/{id}/mediation/pre-llm-request": "POST",
		"/agents/{id}/mediation/post-tool-result": "POST", "/agents/{id}/mediation/post-llm-response": "POST",
		"/agents/{id}/tasks": "GET", "/agents/{id}/tasks/delegate": "GET POST", "/agents/{id}/tasks/accept": "GET POST",
		"/agents/{id}/tasks/update": "GET POST", "/agents/{id}/tasks/finalise": "GET POST", "/agents/{id}/tasks/cancel": "GET POST",
		"/agents/{id}/tasks/agents": "GET",

		"/.well-known/x": "", "/oauth/authorize": "", "/gateway/x": "", "/mcp": "", "/docs": "", "/redoc": "", "/openapi.json": "",
		"/agents/feature-flags": "", "/agents/feature-flags/events": "", "/agents/{id}/moderation/rooms": "",
		"/agents/{id}/moderation/rooms/r/invite": "", "/agents/{id}/moderation/agents": "", "/agents/{id}/moderation/bridges": "",
		"/agents/{id}/connection/close": "", "/agents/{id}/mediation/other": "",
	}
	const notAllowed, notFound = `{"detail":"Method Not Allowed"}`, `{"detail":"Not Found"}`
	for path, methods := range served {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			// Somebody else's id keeps the call from doing anything, and the query a poll from waiting.
			r := ask(method, strings.ReplaceAll(path, "{id}", "agt_other")+"?timeout=0", a.key)
			name := method + " " + path
			switch {
			case methods == "":
				require.Equal(t, 404, r.status, name)
				require.Equal(t, notFound, r.body, name)
			case strings.Contains(methods, method):
				require.NotContains(t, []string{notAllowed, notFound}, r.body, name)
			default:
				require.Equal(t, 405, r.status, name)
				require.Equal(t, notAllowed, r.body, name)
			}
			if strings.HasPrefix(path, "/agents") || path == "/mcp" || path == "/docs" {
				require.Equal(t, 401, ask(method, path, "").status, "%s without a token", name)
			}
		}
	}
}
