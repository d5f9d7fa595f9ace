package edgefront

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"stele/edgeframes"
)

// httpError is an answer in place of a connection or a call.
type httpError struct {
	status int
	frame  edgeframes.Error
	// retry, if set, is when to come back.
	retry time.Duration
}

func refuse(status int, message string) *httpError {
	return &httpError{status: status, frame: edgeframes.ConnectionError(edgeframes.CodeProtocolError, message)}
}

func shutDown() *httpError {
	e := refuse(http.StatusServiceUnavailable, "the gateway is shutting down")
	e.retry = time.Second
	return e
}

func (e *httpError) Error() string { return fmt.Sprintf("%d %s", e.status, e.frame.Message) }

// refusal is what a request is answered with whose session ended before anything was sent.
func (s *session) refusal(err error) error {
	e := s.endingOf(err)
	if e == nil {
		e = s.ended()
	}
	switch {
	case e.retry > 0:
		return &httpError{http.StatusTooManyRequests, *e.frame, e.retry}
	case e.frame != nil:
		return &httpError{status: http.StatusUnauthorized, frame: *e.frame}
	case e.code == edgeframes.CloseRefused:
		return &httpError{
			status: http.StatusForbidden, frame: edgeframes.ConnectionError(edgeframes.CodeUnauthorized, e.code.Text()),
		}
	case e.code == edgeframes.CloseGoingAway:
		return shutDown()
	}
	return refuse(http.StatusInternalServerError, internalError)
}

// answerError writes a refusal as an error frame in JSON (docs, handleSse).
func (f *Front) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	refusal := refuse(http.StatusInternalServerError, internalError)
	var routing *echo.HTTPError
	if !errors.As(err, &refusal) && errors.As(err, &routing) {
		refusal = refuse(routing.Code, strings.ToLower(http.StatusText(routing.Code)))
	}
	h := c.Response().Header()
	switch refusal.status {
	case http.StatusUpgradeRequired:
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "websocket")
		h.Set("Sec-WebSocket-Version", "13")
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	}
	if refusal.retry > 0 {
		seconds := (refusal.retry + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	// The client may be gone; nobody else is to be told.
	_ = f.writeFrame(c, refusal.status, refusal.frame)
}
