package edgefront

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/edgeframes"
)

const (
	addressPath = "/agents/:name/:conversation"
	rpcPath     = addressPath + "/rpc/:method"
)

func (f *Front) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = f.answerError
	e.Use(f.recover)
	e.Any(addressPath, f.address)
	e.Any(rpcPath, f.rpc)
	return e
}

// address serves the one path that there is. The request decides on the transport and not the path (docs, The Address and
// Transports); of the transports only the socket is offered.
func (f *Front) address(c echo.Context) error {
	r := c.Request()
	switch {
	case r.Method != http.MethodGet && r.Header.Get("Upgrade") != "":
		return refuse(http.StatusBadRequest, "only a GET request can be upgraded")
	case r.Method != http.MethodGet:
		c.Response().Header().Set(echo.HeaderAllow, http.MethodGet)
		return refuse(http.StatusMethodNotAllowed, "this address takes WebSocket connections: use GET with Upgrade: websocket")
	case !hasToken(r.Header, "Upgrade", "websocket"):
		return refuse(http.StatusNotFound, "event streams are not offered here: connect with a WebSocket")
	}
	return f.socket(c)
}

// rpc answers for the calls over plain HTTP, which are not offered.
func (f *Front) rpc(c echo.Context) error {
	switch c.Request().Method {
	case http.MethodGet, http.MethodPost:
		return refuse(http.StatusNotFound, "calls over HTTP are not offered here: connect with a WebSocket")
	}
	return refuse(http.StatusMethodNotAllowed, "only POST calls a method")
}

// socket checks the handshake, upgrades, and serves the session until it ends.
func (f *Front) socket(c echo.Context) error {
	r := c.Request()
	where, err := addressOf(c)
	if err != nil {
		return err
	}
	if err := checkHandshake(r); err != nil {
		return err
	}
	if !f.originAllowed(r) {
		return refuse(http.StatusForbidden, "pages of this origin may not connect")
	}
	if !f.open.enter() {
		return refuse(http.StatusServiceUnavailable, "the gateway is shutting down")
	}
	defer f.open.leave()
	conn, network, err := f.accept(c.Response(), r)
	if err != nil {
		// The library has answered, or the client is gone.
		f.log.Debug("upgrade failed", zap.Error(err))
		return nil
	}
	f.serve(newSession(f, r, conn, network, where))
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

// httpError is a refusal before the upgrade.
type httpError struct {
	status  int
	message string
}

func refuse(status int, message string) error { return &httpError{status, message} }

func (e *httpError) Error() string { return fmt.Sprintf("%d %s", e.status, e.message) }

// answerError writes a refusal as an error frame in JSON, as the protocol's HTTP side does (docs, handleSse).
func (f *Front) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	refusal := &httpError{http.StatusInternalServerError, "internal error"}
	var routing *echo.HTTPError
	if !errors.As(err, &refusal) && errors.As(err, &routing) {
		refusal = &httpError{routing.Code, strings.ToLower(http.StatusText(routing.Code))}
	}
	body := f.frames.text(edgeframes.ConnectionError(edgeframes.CodeProtocolError, refusal.message))
	if refusal.status == http.StatusUpgradeRequired {
		h := c.Response().Header()
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "websocket")
		h.Set("Sec-WebSocket-Version", "13")
	}
	if err := c.Blob(refusal.status, echo.MIMEApplicationJSON, body); err != nil {
		f.log.Debug("client is gone", zap.Error(err))
	}
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
			err = refuse(http.StatusInternalServerError, "internal error")
		}()
		return next(c)
	}
}
