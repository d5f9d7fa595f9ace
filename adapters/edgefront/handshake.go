package edgefront

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// hasToken looks for a token in a comma-separated header, without regard to case.
func hasToken(h http.Header, key, token string) bool {
	for _, line := range h.Values(key) {
		for t := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(t), token) {
				return true
			}
		}
	}
	return false
}

func isHandshakeKey(key string) bool {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(key))
	return err == nil && len(raw) == 16
}

// originAllowed tells whether the page that opens the socket may. Browsers let any page connect anywhere and only name
// its origin (CWE-1385).
func (f *Front) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || f.opts.AnyOrigin {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if strings.EqualFold(u.Host, r.Host) {
		return true
	}
	for _, pattern := range f.opts.Origins {
		target := u.Host
		if strings.Contains(pattern, "://") {
			target = u.Scheme + "://" + u.Host
		}
		if ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(target)); ok && err == nil {
			return true
		}
	}
	return false
}
