package console

import (
	"errors"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"
)

// maxForm bounds the body of a form in bytes: a message of the largest size, with every character escaped.
const maxForm = 1 << 20

// policy is what a page may load: files of the gateway, and nothing that stands in the page itself (CWE-79: a script that an
// agent's message brought would not run).
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// surround is what every answer has: headers that keep browsers careful, a bound on what is sent, and a page when the program
// fails.
func (c *Console) surround(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) (err error) {
		h := ec.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		// Other sites learn nothing of where somebody comes from. With "no-referrer" browsers would hide it from the gateway too:
		// a form over plain http then comes from the origin "null", which is nobody's.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		r := ec.Request()
		r.Body = http.MaxBytesReader(ec.Response(), r.Body, maxForm)
		if path := r.URL.Path; path != "/" && strings.HasSuffix(path, "/") {
			r.URL.Path = strings.TrimRight(path, "/")
		}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				panic(p)
			}
			c.log.Error("page failed", zap.String("path", ec.Path()), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			err = errInternal
		}()
		return next(ec)
	}
}
