package adapters

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Prefixes below which each front is mounted beside its native paths. What belongs to no protocol is below GatewayPrefix alone.
const (
	SwitchPrefix   = "/switch"
	AreyouaiPrefix = "/areyouai"
	EdgePrefix     = "/edge"
	GatewayPrefix  = "/gateway"
	WatchPrefix    = "/watch"
)

// router sends each request to the front it is for.
type router struct {
	agentSwitch, areyouai, edge, gateway, pages http.Handler
	// prefixed are the same behind their prefixes.
	prefixed []mount
}

type mount struct {
	prefix string
	front  http.Handler
}

func newRouter(agentSwitch, areyouai, edge, gateway, pages http.Handler) *router {
	return &router{agentSwitch: agentSwitch, areyouai: areyouai, edge: edge, gateway: gateway, pages: pages, prefixed: []mount{
		{SwitchPrefix, http.StripPrefix(SwitchPrefix, agentSwitch)},
		{AreyouaiPrefix, http.StripPrefix(AreyouaiPrefix, areyouai)},
		{EdgePrefix, http.StripPrefix(EdgePrefix, edge)},
	}}
}

func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = plain(r)
	path := routed(r.URL)
	for _, m := range rt.prefixed {
		if below(path, m.prefix) {
			m.front.ServeHTTP(w, r)
			return
		}
	}
	switch {
	case below(path, "/gateway/media"):
		// Files belong to the one protocol that has them; every protocol's clients are shown links to this path.
		rt.agentSwitch.ServeHTTP(w, r)
	case isGateway(path):
		rt.gateway.ServeHTTP(w, r)
	case below(path, GatewayPrefix), below(path, WatchPrefix):
		rt.pages.ServeHTTP(w, r)
	case isAreyouai(path):
		rt.areyouai.ServeHTTP(w, r)
	case below(path, "/agents") && (upgrades(r) || isEdge(r, path)):
		rt.edge.ServeHTTP(w, r)
	default:
		rt.agentSwitch.ServeHTTP(w, r)
	}
}

// plain returns a request whose path is spelled without escapes, so that it goes the same way and names the same thing
// however its client escapes: "%5f" is "_" (RFC 3986, 6.2.2.2). A path with an escaped slash is left alone: there the
// escape matters, since it tells a name with a slash from two names. The request that was given is not changed.
func plain(r *http.Request) *http.Request {
	raw := r.URL.RawPath
	if raw == "" || strings.Contains(raw, "%2F") || strings.Contains(raw, "%2f") {
		return r
	}
	unescaped, u := *r, *r.URL
	u.RawPath = ""
	unescaped.URL = &u
	return &unescaped
}

// routed is the form of a path that the fronts match: the escaped one where there is one.
func routed(u *url.URL) string {
	if u.RawPath != "" {
		return u.RawPath
	}
	return u.Path
}

// below tells whether a path is a prefix's or lies under it.
func below(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

// isGateway tells whether a request is for what programs look at rooms with; all else below the prefix is pages.
func isGateway(path string) bool {
	rest, ok := strings.CutPrefix(path, GatewayPrefix+"/rooms/")
	parts := strings.Split(rest, "/")
	return ok && len(parts) > 1 && (parts[1] == "cursor" && len(parts) == 2 || parts[1] == "events" && len(parts) <= 3)
}

func isAreyouai(path string) bool {
	return below(path, "/v1") || path == "/healthz" || strings.HasSuffix(path, ".md") && strings.Count(path, "/") == 1
}

// isEdge tells whether a plain request is for an edge address, of the form /agents/{name}/{conversation} with what may
// follow it: one for an event stream with its streams, or a call (edge: HTTP transport). The Switch protocol has paths of
// that form too; what it names stays its own, and so does an edge conversation of such a name, but below the prefix.
func isEdge(r *http.Request, path string) bool {
	parts := strings.Split(strings.TrimPrefix(path, "/agents/"), "/")
	if len(parts) < 2 || slices.Contains(switchNames(), parts[1]) || slices.Contains(switchAgents(), parts[0]) {
		return false
	}
	call := len(parts) == 4 && parts[2] == "rpc"
	return call && r.Method != http.MethodGet || (len(parts) == 2 || call) && r.URL.Query().Has("subscribe")
}

// switchNames are what stands below an agent in the paths of the Switch protocol.
func switchNames() []string {
	return []string{
		"events", "notifications", "rooms", "connection", "ops", "message", "typing", "status", "runtime-state", "leases",
		"watch", "mediation", "tasks",
	}
}

// switchAgents are what stands there in place of an agent.
func switchAgents() []string {
	return []string{"register-known", "register-known-bulk", "rooms", "feature-flags"}
}

// upgrades tells whether the request asks for a WebSocket. Header tokens compare without regard to case (RFC 9110).
func upgrades(r *http.Request) bool {
	for _, v := range r.Header.Values("Upgrade") {
		for token := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(token), "websocket") {
				return true
			}
		}
	}
	return false
}
