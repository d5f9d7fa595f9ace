package areyouaifront_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/internal/seal"
)

const (
	notFound  = `{"error":"not_found","status":404,"recoverable":false}` + "\n"
	noSession = `{"error":"unauthorized","status":401,"recoverable":true,"hint":"Log in again with POST /v1/agent/login and retry once with the new session_token."}` + "\n"
)

// routes are the served routes with the methods they take.
var routes = map[string]string{
	"/v1/mode":                    "GET",
	"/v1/capabilities":            "GET",
	"/v1/agent/register":          "POST",
	"/v1/agent/login":             "POST",
	"/v1/listings":                "POST",
	"/v1/listings/search":         "GET",
	"/v1/listings/x/connect":      "POST",
	"/v1/rooms/x/state":           "GET",
	"/v1/rooms/x/context":         "GET",
	"/v1/rooms/x/context/ack":     "POST",
	"/v1/rooms/x/messages":        "POST",
	"/v1/rooms/x/close":           "POST",
	"/v1/rooms/x/events":          "GET",
	"/v1/rooms/x/events/history":  "GET",
	"/v1/rooms/x/leave":           "POST",
	"/v1/rooms/x/typing":          "POST",
	"/v1/agent/webhooks":          "GET, POST",
	"/v1/agent/webhooks/x":        "DELETE",
	"/v1/rooms/x/viewer-events":   "GET",
	"/v1/agent/actionable-rooms":  "GET",
	"/v1/rooms/x/events/":         "GET",
	"/v1/rooms/x/events/history/": "GET",
	"/v1/rooms/state-machine":     "POST",
	"/v1/admin/overview":          "GET",
	"/v1/admin/nothing":           "GET",
	"/skill.md":                   "GET, HEAD",
	"/nodejs_loop.md":             "GET, HEAD",
	"/python_loop.md/":            "GET, HEAD",
}

func TestMethodComesFirst(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	p := g.person("p")
	for path, allow := range routes {
		token := ""
		if path == "/v1/agent/webhooks" {
			// Here the credential comes first.
			require.Equal(t, noSession, g.do(ask{method: "PUT", path: path}).body)
			token = p.token
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "BREW"} {
			if strings.Contains(allow, method) {
				continue
			}
			got := g.do(ask{method: method, path: path, token: token})
			require.Equal(t, 405, got.status, "%s %s", method, path)
			require.Equal(t, allow, got.header.Get("Allow"))
			if method != "HEAD" {
				want := `{"error":"method_not_allowed","status":405,"recoverable":false,"allow":["` + strings.ReplaceAll(allow, ", ", `","`) + `"]}` + "\n"
				require.Equal(t, want, got.body)
			}
		}
	}
}

func TestHealthTakesAnyMethod(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	for _, method := range []string{"GET", "POST", "PUT", "DELETE", "BREW"} {
		got := g.do(ask{method: method, path: "/healthz"})
		require.Equal(t, answer{status: 200, header: got.header, body: `{"status":"ok"}` + "\n"}, got, method)
	}
	require.Equal(t, 200, g.do(ask{method: "HEAD", path: "/healthz"}).status)
}

func TestUnknownPaths(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	for _, path := range []string{
		"/", "/v1", "/v1/", "/v1/agent/logout", "/v1/rooms", "/v1/rooms/", "/v1/rooms/x", "/v1/rooms/x/nothing",
		"/v1/rooms/x/state/more", "/v1/rooms/x/events/history/more", "/v1/listings/x", "/v1/listings/x/connect/y", "/v1/admin", "/v1/admin/", "/v1/admin/overview/x", "/v1/agent/webhooks/x/y", "/skill.md/x", "/x/skill.md",
		"/v2/mode", "/v1/Mode", "/nothing", "/v1/rooms/a%2Fstate", "/%2e%2e/v1/mode",
	} {
		for _, method := range []string{"GET", "POST", "BREW"} {
			got := g.do(ask{method: method, path: path})
			require.Equal(t, 404, got.status, "%s %s: %s", method, path, got.body)
			require.Equal(t, notFound, got.body)
			require.Equal(t, "application/json", got.header.Get("Content-Type"))
		}
	}
	require.Equal(t, notFound, g.get("/v1/rooms//state", "").body)
}

func TestSlashesAtTheEnd(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	for _, tail := range []string{"/state/", "/context//", "/events/history/"} {
		require.Equal(t, 200, g.get(r.path(tail), r.a.token).status, tail)
	}
	require.Equal(t, 200, g.get("/v1/mode/", "").status)
	// The escaped slash is part of the id and not of the route.
	require.Equal(t, "room_not_found", g.get("/v1/rooms/"+r.id+"%2F/state", r.a.token).code())
	require.Equal(t, 200, g.get("/v1/rooms/"+strings.Replace(r.id, "_", "%5F", 1)+"/state", r.a.token).status)
}

func TestHeadersOnEveryReply(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	for _, a := range []ask{
		{method: "GET", path: "/healthz"},
		{method: "GET", path: "/nothing"},
		{method: "PUT", path: "/v1/mode"},
		{method: "OPTIONS", path: "/v1/mode"},
		{method: "POST", path: "/v1/listings"},
		{method: "GET", path: "/v1/rooms/x/events"},
	} {
		a.header = map[string]string{"X-Request-Id": "golden"}
		got := g.do(a)
		for name, want := range commonHeaders {
			require.Equal(t, want, got.header.Get(name), "%s %s", a.method, a.path)
		}
		require.Empty(t, got.header.Get("Strict-Transport-Security"))
	}
	require.Regexp(t, `^req_[0-9a-f]{16}$`, g.get("/healthz", "").header.Get("X-Request-Id"))
	require.NotEqual(t, g.get("/healthz", "").header.Get("X-Request-Id"), g.get("/healthz", "").header.Get("X-Request-Id"))
	require.Equal(t, "c-1", g.do(ask{method: "GET", path: "/healthz", header: map[string]string{"X-Correlation-Id": "c-1"}}).header.Get("X-Request-Id"))

	echoed := func(id string) string {
		return g.do(ask{method: "GET", path: "/healthz", header: map[string]string{"X-Request-Id": id}}).header.Get("X-Request-Id")
	}
	require.Equal(t, "é \xff\tx", echoed("é \xff\tx"))
	require.Equal(t, strings.Repeat("é", 32), echoed(strings.Repeat("é", 40)))

	secure := httptest.NewRequest(http.MethodGet, "/healthz", nil)
	secure.TLS = &tls.ConnectionState{}
	rec := httptest.NewRecorder()
	g.front.Handler().ServeHTTP(rec, secure)
	require.Equal(t, "max-age=31536000; includeSubDomains", rec.Header().Get("Strict-Transport-Security"))
}

func TestOptionsAndOrigins(t *testing.T) {
	cors := []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Vary"}
	for _, tc := range []struct {
		name    string
		options areyouaifront.Options
		origin  string
		allowed bool
	}{
		{"default", areyouaifront.Options{}, "https://areyouai.fun", true},
		{"other case", areyouaifront.Options{}, "HTTPS://www.AreYouAI.fun", true},
		{"stranger", areyouaifront.Options{}, "https://example.com", false},
		{"none", areyouaifront.Options{}, "", false},
		{"suffix", areyouaifront.Options{}, "https://areyouai.fun.example.com", false},
		{"own", areyouaifront.Options{Origins: []string{"https://example.com"}}, "https://example.com", true},
		{"own replaces default", areyouaifront.Options{Origins: []string{"https://example.com"}}, "https://areyouai.fun", false},
		{"switched off", areyouaifront.Options{Origins: []string{}}, "https://areyouai.fun", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := newGate(t, tc.options)
			header := map[string]string{}
			if tc.origin != "" {
				header["Origin"] = tc.origin
			}
			want := []string{"", "", "", ""}
			if tc.allowed {
				want = []string{tc.origin, "GET,POST,OPTIONS", "Authorization,Content-Type", "Origin"}
			}
			for _, a := range []ask{
				{method: "OPTIONS", path: "/v1/listings"},
				{method: "OPTIONS", path: "/nothing"},
				{method: "GET", path: "/v1/mode"},
				{method: "GET", path: "/v1/rooms/x/state"},
			} {
				a.header = header
				got := g.do(a)
				for i, name := range cors {
					require.Equal(t, want[i], got.header.Get(name), "%s %s %s", a.method, a.path, name)
				}
				if a.method == "OPTIONS" {
					require.Equal(t, 204, got.status)
					require.Empty(t, got.body)
				}
			}
		})
	}
}

// TestCapabilitiesTellTheTruth: what is marked supported is served, and what is not answers as marked. Webhooks need a key
// for their secrets; leaving is not part of the protocol.
func TestCapabilitiesTellTheTruth(t *testing.T) {
	key, err := seal.SingleKey(strings.Repeat("k", 32))
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		options areyouaifront.Options
		missing []string
	}{
		"with a key":    {areyouaifront.Options{Keys: key}, []string{"room_leave"}},
		"without a key": {areyouaifront.Options{}, []string{"room_leave", "agent_webhooks_create"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, tc.options)
			c := as[areyouai.Capabilities](g, 200, g.get("/v1/capabilities", ""))
			all := areyouai.NewCapabilities()
			require.Equal(t, all.ErrorCodes, c.ErrorCodes)
			require.Len(t, c.Endpoints, len(all.Endpoints))
			var missing []string
			for i, e := range c.Endpoints {
				require.Equal(t, all.Endpoints[i].Name, e.Name)
				got := g.do(ask{method: e.Method, path: areyouai.Path(e.Path, "x")})
				if e.Supported {
					require.NotContains(t, []int{404, 405, 501}, got.status, e.Name)
					continue
				}
				missing = append(missing, e.Name)
				require.Equal(t, e.StatusIfCalled, got.status, e.Name)
				refusal := areyouai.ParseError(got.status, []byte(got.body))
				require.Equal(t, e.Error, refusal.Code)
				require.Equal(t, e.Path, refusal.Endpoint)
				require.Equal(t, e.Hint, refusal.Hint)
			}
			require.Equal(t, tc.missing, missing)
			features := all.Features
			features.EventsWebhook, features.WebhookEndpoints = tc.options.Keys != nil, tc.options.Keys != nil
			require.Equal(t, features, c.Features)
		})
	}
	g := newGate(t, areyouaifront.Options{})
	require.Equal(t, `{"error":"endpoint_not_supported","status":501,"recoverable":false,"hint":"Leaving a room is not supported. End it for both sides with POST /v1/rooms/{id}/close.","endpoint":"/v1/rooms/{id}/leave"}`+"\n",
		g.post("/v1/rooms/x/leave", "", "").body)
}

// TestBelowAPrefix: the gateway mounts the front a second time, with the prefix stripped.
func TestBelowAPrefix(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	srv := httptest.NewServer(http.StripPrefix("/areyouai", g.front.Handler()))
	defer srv.Close()
	r := g.room()
	g.url = srv.URL + "/areyouai"
	require.Equal(t, 200, g.get(r.path("/state/"), r.a.token).status)
	require.Equal(t, 200, g.get("/v1/rooms/"+strings.Replace(r.id, "_", "%5F", 1)+"/state", r.a.token).status)
	require.Equal(t, notFound, g.get("", "").body)
}
