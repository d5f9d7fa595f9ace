package adapters

import (
	"net/http"
	"strings"
)

// Prefixes below which each front is mounted beside its native paths.
const (
	SwitchPrefix   = "/switch"
	AreyouaiPrefix = "/areyouai"
	EdgePrefix     = "/edge"
)

// router sends each request to the front it is for.
type router struct {
	agentSwitch, areyouai, edge http.Handler
	// prefixed are the same behind their prefixes.
	prefixed []mount
}

type mount struct {
	prefix string
	front  http.Handler
}

func newRouter(agentSwitch, areyouai, edge http.Handler) *router {
	return &router{agentSwitch: agentSwitch, areyouai: areyouai, edge: edge, prefixed: []mount{
		{SwitchPrefix, http.StripPrefix(SwitchPrefix, agentSwitch)},
		{AreyouaiPrefix, http.StripPrefix(AreyouaiPrefix, areyouai)},
		{EdgePrefix, http.StripPrefix(EdgePrefix, edge)},
	}}
}

func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, m := range rt.prefixed {
		if below(r.URL.Path, m.prefix) {
			m.front.ServeHTTP(w, r)
			return
		}
	}
	switch {
	case isAreyouai(r.URL.Path):
		rt.areyouai.ServeHTTP(w, r)
	case below(r.URL.Path, "/agents") && upgrades(r):
		rt.edge.ServeHTTP(w, r)
	default:
		rt.agentSwitch.ServeHTTP(w, r)
	}
}

// below tells whether a path is a prefix's or lies under it.
func below(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

func isAreyouai(path string) bool {
	return below(path, "/v1") || path == "/healthz" || strings.HasSuffix(path, ".md") && strings.Count(path, "/") == 1
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
