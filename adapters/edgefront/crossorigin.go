package edgefront

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"
)

// crossOrigin lets pages of allowed origins in, and no others, whatever the transport (CORS for plain requests; a browser
// lets any page open a WebSocket and only names its origin, CWE-1385). Clients that send no Origin are no browsers. No
// answer allows credentials in cookies, since there are none.
func (f *Front) crossOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, h := c.Request(), c.Response().Header()
		origin := r.Header.Get("Origin")
		if origin == "" {
			return next(c)
		}
		h.Add("Vary", "Origin")
		if !f.originAllowed(r) {
			return refuse(http.StatusForbidden, "pages of this origin may not connect")
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" && c.Path() != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID")
			h.Set("Access-Control-Max-Age", "600")
			return c.NoContent(http.StatusNoContent)
		}
		return next(c)
	}
}

// originAllowed tells whether the page that sends a request may.
func (f *Front) originAllowed(r *http.Request) bool {
	if f.opts.AnyOrigin {
		return true
	}
	u, err := url.Parse(r.Header.Get("Origin"))
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
