package conformance

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain401 expects one of the two refusals that come before routing: plain text without a content type.
func plain401(t *testing.T, a answer, body string) {
	t.Helper()
	a.is(401)
	require.Equal(t, body, a.body, a.what)
	require.Empty(t, a.header.Values("Content-Type"), a.what)
}

const (
	missingAuthorization = "Missing or invalid Authorization header"
	invalidCredentials   = "Invalid credentials"
	notFound             = `{"detail":"Not Found"}`
)

func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("missing", func(t *testing.T) {
		shows(t, "1.1-auth-missing")
		plain401(t, s.do(t, "GET", "/version", "", nil), missingAuthorization)
		plain401(t, s.do(t, "POST", "/agents/register-known", "", object{}), missingAuthorization)
	})
	t.Run("scheme", func(t *testing.T) {
		shows(t, "1.1-auth-scheme")
		for _, value := range []string{a.key, "bearer " + a.key, "BEARER " + a.key, "Basic " + a.key, "Bearer", "Token " + a.key} {
			plain401(t, s.do(t, "GET", "/version", "", nil, "Authorization: "+value), missingAuthorization)
		}
		s.do(t, "GET", "/version", "", nil, "Authorization: Bearer  "+a.key).is(401)
	})
	t.Run("unknown", func(t *testing.T) {
		shows(t, "1.1-auth-unknown")
		for _, path := range []string{"/version", a.path("/ops"), "/agents/register-known"} {
			plain401(t, s.do(t, "GET", path, "no such token", nil), invalidCredentials)
		}
	})
	t.Run("rotated", func(t *testing.T) {
		shows(t, "1.1-auth-rotated", "6.1-key-ends")
		b := s.agent(t)
		next := s.known(t, "codex", object{"name": b.name, "overwrite": true})
		plain401(t, b.get(t, "/ops"), invalidCredentials)
		next.get(t, "/ops").is(200)
	})
	t.Run("deleted", func(t *testing.T) {
		shows(t, "1.1-auth-deleted")
		b := s.agent(t)
		s.do(t, "DELETE", b.path(""), b.key, nil).is(200)
		plain401(t, b.get(t, "/ops"), invalidCredentials)
	})
	t.Run("registration token for an agent", func(t *testing.T) {
		shows(t, "1.1-auth-registration-token", "6.1-registration-token")
		for _, path := range []string{a.path("/ops"), "/version", a.path("/events?connection_id=c"), "/agents/rooms/x/participants"} {
			s.do(t, "GET", path, s.token, nil).is(401).exactly(`{"detail":"Not authenticated"}`)
		}
		s.do(t, "POST", a.path("/ops/list_rooms"), s.token, object{}).is(401).exactly(`{"detail":"Not authenticated"}`)
	})
	t.Run("agent key for a registration", func(t *testing.T) {
		shows(t, "1.1-auth-agent-key")
		for _, path := range []string{"/agents/register-known", "/agents", "/agents/register-known-bulk"} {
			s.do(t, "POST", path, a.key, object{}).is(401).exactly(`{"detail":"Invalid registration token"}`)
		}
	})
	t.Run("agent key", func(t *testing.T) {
		shows(t, "6.1-agent-key")
		require.Equal(t, a.id, text(t, a.open(t).state, "agent_id"))
		require.Empty(t, a.call(t, "list_rooms", nil))
		room := a.room(t, a)
		require.Equal(t, room, text(t, a.call(t, "list_rooms", nil), 0, "room_id"))
	})
}

// alone is the server where it serves this protocol only. This project's own serves others beside it, whose paths are
// theirs, and this one alone below a prefix.
func alone(s *server) *server {
	if s.proc == nil {
		return s
	}
	return &server{url: s.url + "/switch", token: s.token}
}

func TestPathsOutside(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("401 before routing", func(t *testing.T) {
		shows(t, "1.1-unknown-path-401", "8-31")
		for _, path := range []string{"/nothing", "/", "/some/path/health", "/agents/x/nothing"} {
			plain401(t, s.do(t, "GET", path, "", nil), missingAuthorization)
			plain401(t, s.do(t, "POST", path, "no such token", object{}), invalidCredentials)
		}
		require.Equal(t, 401, s.do(t, "DELETE", "/agents", "", nil).status, "a wrong method is not told to strangers")
	})
	t.Run("404", func(t *testing.T) {
		shows(t, "1.1-unknown-path-404")
		for _, path := range []string{"/nothing", a.path("/nothing"), a.path("/ops/a/b"), "/version/x"} {
			s.do(t, "GET", path, a.key, nil).is(404).exactly(notFound)
			s.do(t, "GET", path, s.token, nil).is(404).exactly(notFound)
		}
	})
	t.Run("405", func(t *testing.T) {
		shows(t, "1.1-wrong-method")
		for _, c := range [][2]string{
			{"DELETE", a.path("/ops")},
			{"POST", a.path("/events")},
			{"GET", a.path("/ops/list_rooms")},
			{"PUT", a.path("/connection/beat")},
			{"GET", "/agents/register-known"},
			{"POST", "/version"},
			{"GET", a.path("/message")},
			{"GET", a.path("/typing")},
		} {
			s.do(t, c[0], c[1], a.key, nil).is(405).exactly(`{"detail":"Method Not Allowed"}`)
		}
		s.do(t, "POST", "/health", "", nil).is(405)
	})
	t.Run("agents are not read", func(t *testing.T) {
		shows(t, "1.2-agents-get")
		s.do(t, "GET", "/agents", a.key, nil).is(405).exactly(`{"detail":"Method Not Allowed"}`)
		s.do(t, "GET", a.path(""), a.key, nil).is(405).exactly(`{"detail":"Method Not Allowed"}`)
	})
	t.Run("public prefixes", func(t *testing.T) {
		shows(t, "1.1-public-prefixes", "1.2-well-known", "1.2-gateway")
		for _, path := range []string{
			"/.well-known", "/.well-known/openid-configuration", "/oauth", "/oauth/token", "/deeplink", "/deeplink/x", "/health/x",
		} {
			s.do(t, "GET", path, "", nil).is(404).exactly(notFound)
		}
		s.do(t, "GET", "/health", "", nil).is(200)
		for path, status := range map[string]int{"/gateway": 303, "/gateway/x": 404} {
			require.Equal(t, status, s.do(t, "GET", path, "", nil).status, "the console's own: %s", path)
		}
		require.Equal(t, 302, s.do(t, "GET", "/deeplink/session", "", nil).status)
	})
	t.Run("boundary of a prefix", func(t *testing.T) {
		shows(t, "1.1-public-boundary")
		for _, path := range []string{"/healthz", "/.well-knownx", "/oauth2", "/gateways", "/deeplinks"} {
			plain401(t, alone(s).do(t, "GET", path, "", nil), missingAuthorization)
			alone(s).do(t, "GET", path, a.key, nil).is(404).exactly(notFound)
		}
	})
	t.Run("not offered", func(t *testing.T) {
		shows(t, "1.2-moderation", "1.2-feature-flags", "1.2-mcp", "1.2-docs", "1.10-moderation", "1.10-flags")
		for _, c := range [][2]string{
			{"POST", "/mcp"},
			{"GET", "/mcp"},
			{"GET", "/docs"},
			{"GET", "/redoc"},
			{"GET", "/openapi.json"},
			{"POST", a.path("/moderation/rooms")},
			{"GET", a.path("/moderation/rooms")},
			{"GET", a.path("/moderation/rooms/x")},
			{"POST", a.path("/moderation/rooms/x/invite")},
			{"GET", a.path("/moderation/agents")},
			{"GET", a.path("/moderation/bridges")},
			{"GET", "/agents/feature-flags"},
			{"PUT", "/agents/feature-flags/ecosystem.show_owners"},
		} {
			s.do(t, c[0], c[1], a.key, nil).is(404).exactly(notFound)
		}
		require.Contains(t, []int{401, 404}, s.do(t, "POST", "/mcp", s.token, object{}).status)
		plain401(t, s.do(t, "POST", "/mcp", "", object{}), missingAuthorization)
	})
	t.Run("no way to close a connection", func(t *testing.T) {
		shows(t, "1.2-no-close")
		for _, path := range []string{"/connection", "/connection/close", "/connection/disconnect"} {
			for _, method := range []string{"POST", "DELETE"} {
				require.Contains(t, []int{404, 405}, s.do(t, method, a.path(path), a.key, object{"connection_id": "c"}).status)
			}
		}
	})
	t.Run("prefix", func(t *testing.T) {
		shows(t, "1.1-base-prefix")
		needsProcess(t)
		prefixed := &agent{s: alone(s), id: a.id, key: a.key}
		prefixed.s.do(t, "GET", "/health", "", nil).exactly(`{"status":"ok"}`)
		prefixed.get(t, "/ops").is(200)
		require.Equal(t, a.id, text(t, prefixed.open(t).state, "agent_id"))
		b := prefixed.s.agent(t)
		require.NotEmpty(t, b.call(t, "list_bridges", nil))
	})
}

func TestInformation(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("health", func(t *testing.T) {
		shows(t, "1.3-health", "1.2-health", "1.1-json-200")
		h := s.do(t, "GET", "/health", "", nil).is(200).exactly(`{"status":"ok"}`)
		require.Regexp(t, "^application/json", h.header.Get("Content-Type"))
		s.do(t, "GET", "/health", "whatever", nil).is(200)
		b := s.known(t, "codex", object{"description": "grüßt 你好 🙂"})
		a.get(t, "/ops").is(200)
		require.Equal(t, "grüßt 你好 🙂", text(t, a.call(t, "get_agent_detail", object{"agent_id": b.id}), "description"))
		a.post(t, "/typing", object{"room_id": a.room(t, a), "is_typing": true}).is(200)
	})
	t.Run("version", func(t *testing.T) {
		shows(t, "1.3-version", "1.2-version", "0.1-protocol-range")
		o := shape(t, s.do(t, "GET", "/version", a.key, nil).is(200).json(), "version string?, contracts object")
		require.Equal(t, object{"agent-protocol": object{"speaks": 1.0, "accepts": 1.0}}, o["contracts"])
		state := a.open(t).state
		require.Equal(t, o["version"], at(t, state, "server", "version"))
		require.Equal(t, 1.0, state["protocol"])
		_, refusal := a.tryOpen(t, opening{}, "protocol=2")
		require.Equal(t, 1.0, at(t, refusal.object(), "detail", "server", "speaks"))
	})
	t.Run("version without an agent", func(t *testing.T) {
		shows(t, "1.3-version-auth")
		s.do(t, "GET", "/version", "", nil).is(401)
		s.do(t, "GET", "/version", s.token, nil).is(401)
	})
	t.Run("deeplink", func(t *testing.T) {
		shows(t, "1.3-deeplink", "1.3-deeplink-empty", "1.3-deeplink-fixed", "1.2-deeplink")
		for query, want := range map[string]string{
			"?a=1&b=%2F%20x&a=2": "switchdash://session?a=1&b=%2F%20x&a=2",
			"":                   "switchdash://session",
			"?":                  "switchdash://session",
			"?//evil.example":    "switchdash://session?//evil.example",
			"?url=http://x&%zz":  "switchdash://session?url=http://x&%zz",
		} {
			r := s.do(t, "GET", "/deeplink/session"+query, "", nil, "Host: evil.example", "X-Forwarded-Host: evil.example")
			require.Equal(t, http.StatusFound, r.status)
			require.Equal(t, want, r.header.Get("Location"))
		}
	})
}
