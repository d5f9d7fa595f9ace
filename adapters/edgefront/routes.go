package edgefront

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"
)

const (
	addressPath = "/agents/:name/:conversation"
	rpcPath     = addressPath + "/rpc/:method"
)

func (f *Front) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = f.answerError
	e.Use(f.recover, f.crossOrigin)
	e.Any(addressPath, f.address)
	e.Any(rpcPath, f.address)
	return e
}

// address serves the paths of a conversation. The request decides on the transport and not the path (docs, The Address and
// Transports): a GET is a socket or else an event stream, whatever follows the address, and a POST below it is a call.
func (f *Front) address(c echo.Context) error {
	r := c.Request()
	switch {
	case strings.Contains(c.Param("method"), "/"):
		// The router lets a last name hold what follows it.
		return echo.ErrNotFound
	case r.Method != http.MethodGet && r.Header.Get("Upgrade") != "":
		return refuse(http.StatusBadRequest, "only a GET request can be upgraded")
	case r.Method == http.MethodPost && c.Path() == rpcPath:
		return f.rpc(c)
	case r.Method != http.MethodGet:
		allow := http.MethodGet
		if c.Path() == rpcPath {
			allow = "GET, POST"
		}
		c.Response().Header().Set(echo.HeaderAllow, allow)
		return refuse(http.StatusMethodNotAllowed, "use GET for a WebSocket or an event stream, and POST …/rpc/<method> for a call")
	case hasToken(r.Header, "Upgrade", "websocket"):
		return f.socket(c)
	}
	return f.stream(c)
}

// socket checks the handshake, upgrades, and leaves the session to a goroutine of its own, which Drain waits for.
func (f *Front) socket(c echo.Context) error {
	r := c.Request()
	where, err := addressOf(c)
	if err != nil {
		return err
	}
	if err := checkHandshake(r); err != nil {
		return err
	}
	if !f.open.enter() {
		return shutDown()
	}
	conn, network, err := f.accept(c.Response(), r)
	if err != nil {
		f.open.leave()
		// The library has answered, or the client is gone.
		f.log.Debug("upgrade failed", zap.Error(err))
		return nil
	}
	// The request ends here, and its context with it: what that holds would stay as long as the socket.
	s := newSession(context.Background(), f, r, where, &socket{gatherConn: network, conn: conn})
	go s.serveSocket()
	return nil
}

// checkHandshake finds what the library would refuse in plain text, and answers in the protocol's shape.
func checkHandshake(r *http.Request) error {
	switch {
	case r.ProtoMajor != 1 || !r.ProtoAtLeast(1, 1):
		return refuse(http.StatusUpgradeRequired, "a WebSocket needs HTTP/1.1")
	case !hasToken(r.Header, "Connection", "upgrade"):
		return refuse(http.StatusUpgradeRequired, "the Connection header must contain Upgrade")
	case r.Header.Get("Sec-WebSocket-Version") != "13":
		return refuse(http.StatusUpgradeRequired, "only WebSocket version 13 is spoken")
	case len(r.Header.Values("Sec-WebSocket-Key")) != 1 || !isHandshakeKey(r.Header.Get("Sec-WebSocket-Key")):
		return refuse(http.StatusBadRequest, "Sec-WebSocket-Key must be 16 bytes in base64, given once")
	}
	return nil
}

// recover turns a panic into the protocol's own 500. After the upgrade there is nobody to answer; the session has closed
// its socket on the way.
func (f *Front) recover(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				panic(p)
			}
			f.log.Error("request failed", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			err = refuse(http.StatusInternalServerError, internalError)
		}()
		return next(c)
	}
}
