package areyouaifront

import (
	"strings"

	"github.com/labstack/echo/v4"

	"stele/core"
)

// CountEncodings lets a test see each encoding that the front makes. It must be called before the front serves.
func (f *Front) CountEncodings(seen func(*core.Entry)) {
	encode := f.encode
	f.encode = func(e *core.Entry) []byte {
		seen(e)
		return encode(e)
	}
}

// OpenStreams counts the streams that are open.
func (f *Front) OpenStreams() (n int) {
	f.streams.mu.Lock()
	defer f.streams.mu.Unlock()
	for _, open := range f.streams.open {
		n += open
	}
	return n
}

// BreakEncoding makes every encoding panic.
func (f *Front) BreakEncoding(with string) {
	f.encode = func(*core.Entry) []byte { panic(with) }
}

// SendNow has the dispatcher look for what is due, as after a time that only the test's clock knows of.
func (f *Front) SendNow() { f.toSend() }

// Routes lists the method and path of every route that has a handler.
func (f *Front) Routes() (out []string) {
	for _, r := range f.echo.Routes() {
		if r.Method != echo.RouteNotFound {
			out = append(out, r.Method+" "+strings.ReplaceAll(r.Path, ":id", "{id}"))
		}
	}
	return out
}
