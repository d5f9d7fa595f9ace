package switchfront_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnauthorized holds the table of the protocol's authentication, byte by byte.
func TestUnauthorized(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	session, _, err := g.node.OpenSession(context.Background(), g.node.Authenticate(a.key))
	require.NoError(t, err)
	const (
		missing = "Missing or invalid Authorization header"
		invalid = "Invalid credentials"
	)
	for _, tc := range []struct {
		name, method, path, header string
		status                     int
		contentType, body          string
	}{
		{"no header", "GET", "/version", "", 401, "", missing},
		{"no header, unknown path", "GET", "/nowhere", "", 401, "", missing},
		{"no header, health under a path", "GET", "/some/health", "", 401, "", missing},
		{"no header, no public prefix", "GET", "/healthz", "", 401, "", missing},
		{"no header, wrong method", "DELETE", "/version", "", 401, "", missing},
		{"no header, root", "GET", "/", "", 401, "", missing},
		{"lower-case scheme", "GET", "/version", "bearer " + a.key, 401, "", missing},
		{"no space", "GET", "/version", "Bearer", 401, "", missing},
		{"basic", "GET", "/version", "Basic YTpi", 401, "", missing},
		{"two spaces", "GET", "/version", "Bearer  " + a.key, 401, "", invalid},
		{"unknown token", "GET", "/version", "Bearer nothing", 401, "", invalid},
		{"unknown token, unknown path", "GET", "/nowhere", "Bearer nothing", 401, "", invalid},
		{"session of another door", "GET", "/version", "Bearer " + session, 401, "", invalid},
		{"registration token, agent route", "GET", "/version", "Bearer " + g.token, 401, "application/json", `{"detail":"Not authenticated"}`},
		{"registration token, stream", "GET", a.path("/events"), "Bearer " + g.token, 401, "application/json", `{"detail":"Not authenticated"}`},
		{"registration token, operation", "POST", a.path("/ops/list_rooms"), "Bearer " + g.token, 401, "application/json", `{"detail":"Not authenticated"}`},
		{"registration token, unknown path", "GET", "/nowhere", "Bearer " + g.token, 404, "application/json", `{"detail":"Not Found"}`},
		{"agent key, registration", "POST", "/agents/register-known", "Bearer " + a.key, 401, "application/json", `{"detail":"Invalid registration token"}`},
		{"agent key, unknown path", "GET", "/nowhere", "Bearer " + a.key, 404, "application/json", `{"detail":"Not Found"}`},
		{"agent key, trailing slash", "GET", "/version/", "Bearer " + a.key, 404, "application/json", `{"detail":"Not Found"}`},
		{"agent key, wrong method", "DELETE", "/version", "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent key, options", "OPTIONS", "/version", "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent key, options, unknown path", "OPTIONS", "/nowhere", "Bearer " + a.key, 404, "application/json", `{"detail":"Not Found"}`},
		{"agent key, get an operation", "GET", a.path("/ops/list_rooms"), "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent key, all agents", "GET", "/agents", "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent key, itself", "GET", a.path(""), "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent key, another agent", "GET", b.path(""), "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"registration token, all agents", "GET", "/agents", "Bearer " + g.token, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"no header, all agents", "GET", "/agents", "", 401, "", missing},
		{"no header, an agent", "GET", a.path(""), "", 401, "", missing},
		{"no header, message", "POST", a.path("/message"), "", 401, "", missing},
		{"no header, participants", "GET", "/agents/rooms/r/participants", "", 401, "", missing},
		{"registration token, message", "POST", a.path("/message"), "Bearer " + g.token, 401, "application/json", `{"detail":"Not authenticated"}`},
		{"registration token, typing", "POST", a.path("/typing"), "Bearer " + g.token, 401, "application/json", `{"detail":"Not authenticated"}`},
		{"registration token, history", "GET", a.path("/rooms/r/history"), "Bearer " + g.token, 401, "application/json", `{"detail":"Not authenticated"}`},
		{"registration token, participants", "GET", "/agents/rooms/r/participants", "Bearer " + g.token, 401, "application/json", `{"detail":"Not authenticated"}`},
		{"agent key, get a message", "GET", a.path("/message"), "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent key, post history", "POST", a.path("/rooms/r/history"), "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"agent key, post participants", "POST", "/agents/rooms/r/participants", "Bearer " + a.key, 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"public, unknown below deeplink", "GET", "/deeplink/x", "", 404, "application/json", `{"detail":"Not Found"}`},
		{"public, deeplink, wrong method", "POST", "/deeplink/session", "", 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"public, unknown", "GET", "/oauth/authorize", "", 404, "application/json", `{"detail":"Not Found"}`},
		{"public, unknown below health", "GET", "/health/x", "", 404, "application/json", `{"detail":"Not Found"}`},
		{"public, well-known", "GET", "/.well-known/x", "", 404, "application/json", `{"detail":"Not Found"}`},
		{"public, wrong method", "POST", "/health", "", 405, "application/json", `{"detail":"Method Not Allowed"}`},
		{"public prefix in another place", "GET", "/health/../agents/" + a.id + "/ops", "", 404, "application/json", `{"detail":"Not Found"}`},
		{"somebody else's stream", "GET", b.path("/events?connection_id=c"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's operations", "GET", b.path("/ops"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's operation", "POST", b.path("/ops/nothing"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's beat", "POST", b.path("/connection/beat"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's subscribe", "POST", b.path("/connection/subscribe"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's message", "POST", b.path("/message"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's typing", "POST", b.path("/typing"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's history", "GET", b.path("/rooms/r/history"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
		{"somebody else's unsubscribe", "POST", b.path("/connection/unsubscribe"), "Bearer " + a.key, 403, "application/json", `{"detail":"Not authorized for this agent"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := g.node.Applied()
			var headers []string
			if tc.header != "" {
				headers = []string{"Authorization: " + tc.header}
			}
			r := g.do(tc.method, tc.path, "", "", headers...)
			require.Equal(t, tc.status, r.status)
			require.Equal(t, tc.body, r.body)
			require.Equal(t, tc.contentType, r.header.Get("Content-Type"))
			_, sent := r.header["Content-Type"]
			require.Equal(t, tc.contentType != "", sent, "no content type means no header")
			require.Equal(t, before, g.node.Applied())
		})
	}
}

func TestHealthAndVersion(t *testing.T) {
	g := newGateway(t, setup{})
	r := g.do("GET", "/health", "", "")
	require.Equal(t, 200, r.status)
	require.Equal(t, `{"status":"ok"}`, r.body)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))

	a := g.register("alice")
	require.Equal(t, `{"version":null,"contracts":{"agent-protocol":{"speaks":1,"accepts":1}}}`,
		g.do("GET", "/version", a.key, "").body)
}

// TestDeeplink: the query comes back as it was sent, and nothing in it can change where the redirect leads.
func TestDeeplink(t *testing.T) {
	g := newGateway(t, setup{})
	g.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for query, location := range map[string]string{
		"":                             "switchdash://session",
		"?":                            "switchdash://session",
		"?room_id=room_1&agent=a":      "switchdash://session?room_id=room_1&agent=a",
		"?b=%2F%2f+x&a=1&&c;d=%0d%0aX": "switchdash://session?b=%2F%2f+x&a=1&&c;d=%0d%0aX",
		"?//elsewhere@host?x=%zz":      "switchdash://session?//elsewhere@host?x=%zz",
	} {
		r := g.do("GET", "/deeplink/session"+query, "", "")
		require.Equal(t, 302, r.status, query)
		require.Equal(t, []string{location}, r.header["Location"], query)
		require.Empty(t, r.body, query)
		require.NotContains(t, r.header, "Content-Type", query)
	}
}
