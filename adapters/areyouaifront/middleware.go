package areyouaifront

import (
	"crypto/rand"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/areyouai"
)

// frame is what surrounds every request: the headers that every reply carries, CORS, OPTIONS on any path, paths without
// slashes at the end, and an answer in the protocol's shape when the program fails.
func (f *Front) frame(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		r, h := c.Request(), c.Response().Header()
		var random [8]byte
		// It never fails on the systems that Go runs on, and an id that is not random harms nobody.
		_, _ = rand.Read(random[:])
		areyouai.SetCommonHeaders(h, areyouai.RequestID(r.Header, random), r.TLS != nil)
		f.allowOrigin(h, r.Header.Get("Origin"))
		if r.Method == http.MethodOptions {
			return c.NoContent(http.StatusNoContent)
		}
		defer f.recover(c, &err)
		trimSlashes(r)
		return next(c)
	}
}

// allowOrigin lets pages of the allowed origins read the reply (areyouai: transport, CORS).
func (f *Front) allowOrigin(h http.Header, origin string) {
	if origin == "" {
		return
	}
	for _, allowed := range f.opts.Origins {
		if strings.EqualFold(origin, allowed) {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Vary", "Origin")
			h.Set("Access-Control-Allow-Methods", "GET,POST,OPTIONS")
			h.Set("Access-Control-Allow-Headers", "Authorization,Content-Type")
			return
		}
	}
}

// recover turns a panic into the protocol's own 500, except the one with which net/http wants a connection cut.
func (f *Front) recover(c echo.Context, err *error) {
	p := recover()
	if p == nil {
		return
	}
	if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
		panic(p)
	}
	f.log.Error("request failed", zap.String("path", c.Path()), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
	*err = areyouai.NewError(areyouai.CodeInternalError)
}

// trimSlashes takes the slashes off a path's end, in both forms in which a URL holds it.
func trimSlashes(r *http.Request) {
	r.URL.Path = trimSlash(r.URL.Path)
	if r.URL.RawPath != "" {
		r.URL.RawPath = trimSlash(r.URL.RawPath)
	}
}

func trimSlash(path string) string {
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
		return trimmed
	}
	return "/"
}

// perIP refuses an address that asked too often, before the caller is known, so that failures count too.
func (f *Front) perIP(w *transport.Window, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ip, now := addressOf(c.Request()), f.node.Now()
		if !w.Take(ip, now) {
			return &ipLimitedError{ip: ip, refusal: refusal(w, ip, now)}
		}
		return next(c)
	}
}
