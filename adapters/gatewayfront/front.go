package gatewayfront

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
)

// The paths that are served.
const (
	PathCursor = "/gateway/rooms/:id/cursor"
	PathEvents = "/gateway/rooms/:id/events"
	PathEvent  = "/gateway/rooms/:id/events/:version"
)

// Front answers from a node. It is safe for concurrent use and starts no goroutine of its own.
type Front struct {
	node    *core.Node
	opts    Options
	log     *zap.Logger
	echo    *echo.Echo
	buffers transport.Buffers

	callers, places *transport.Places

	// life ends when the front drains; streams end with it.
	life context.Context
	end  context.CancelFunc
}

// New makes the front of a node.
func New(node *core.Node, o Options) *Front {
	o = o.withDefaults()
	f := &Front{
		node: node, opts: o, log: o.Logger,
		callers: transport.NewPlaces(o.OpenStreams), places: transport.NewPlaces(o.OpenPerIP),
	}
	f.life, f.end = context.WithCancel(context.Background())
	// A node that stopped delivers nothing, so its streams must end.
	node.AfterDone(f.end)
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = f.answerError
	e.Use(f.frame)
	for path, serve := range map[string]echo.HandlerFunc{PathCursor: f.cursor, PathEvents: f.events, PathEvent: f.event} {
		e.GET(path, serve)
		e.HEAD(path, serve)
	}
	f.echo = e
	return f
}

// Handler serves the paths, which begin with /gateway.
func (f *Front) Handler() http.Handler { return f.echo }

// Drain ends all streams and refuses new ones. A client comes back with the id of the last event that it saw.
func (f *Front) Drain() { f.end() }

// frame is what surrounds every request.
func (f *Front) frame(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		h := c.Response().Header()
		h.Set(echo.HeaderCacheControl, "no-store")
		h.Set(echo.HeaderXContentTypeOptions, "nosniff")
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				panic(p)
			}
			f.log.Error("request failed", zap.String("route", c.Path()), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			err = refuse(CodeInternal, "the gateway failed; its operator finds the cause in its log")
		}()
		return next(c)
	}
}
