package gatewayfront

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/core"
	"stele/core/operations"
	"stele/internal/strictjson"
)

// Code says in one word why something was refused.
type Code string

// The codes.
const (
	CodeInvalid       Code = "invalid_request"
	CodeUnauthorized  Code = "unauthorized"
	CodeForbidden     Code = "forbidden"
	CodeNoRoom        Code = "room_not_found"
	CodeNoEvent       Code = "event_not_found"
	CodeNotFound      Code = "not_found"
	CodeMethod        Code = "method_not_allowed"
	CodeCursorAhead   Code = "cursor_ahead"
	CodeCursorUnknown Code = "cursor_unknown"
	CodeGone          Code = "gone"
	CodeTooMany       Code = "rate_limited"
	CodeUnavailable   Code = "unavailable"
	CodeInternal      Code = "internal_error"
)

// statusOf is the HTTP status of a code.
func statusOf(c Code) int {
	switch c {
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeUnauthorized:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNoRoom, CodeNoEvent, CodeNotFound:
		return http.StatusNotFound
	case CodeMethod:
		return http.StatusMethodNotAllowed
	case CodeCursorAhead, CodeCursorUnknown:
		return http.StatusConflict
	case CodeGone:
		return http.StatusGone
	case CodeTooMany:
		return http.StatusTooManyRequests
	case CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Refusal is the body of every answer that is none: {"error":{"code":…,"message":…}}.
type Refusal struct {
	Error Fault `json:"error"`
}

// Fault is why, for a program and for people.
type Fault struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

func (e *Fault) Error() string { return string(e.Code) + ": " + e.Message }

func refuse(code Code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// faultOf is the one table from errors to what they are called here.
func faultOf(err error) *Fault {
	var (
		fault    *Fault
		place    *core.PlaceError
		ended    *core.RoomNotActiveError
		argument *operations.ArgumentError
		routing  *echo.HTTPError
	)
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.As(err, &place):
		return placeFault(place)
	case errors.As(err, &argument):
		return refuse(CodeInvalid, "%s", argument.Reason)
	case errors.Is(err, core.ErrNoRoom):
		return refuse(CodeNoRoom, "there is no room with this id")
	case errors.Is(err, core.ErrNotMember):
		return refuse(CodeForbidden, "this room is open to its members only")
	case errors.As(err, &ended):
		return gone()
	case errors.Is(err, core.ErrDraining), errors.Is(err, core.ErrClosed), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return refuse(CodeUnavailable, "the gateway cannot do this at the moment: try again later")
	case errors.As(err, &routing) && routing.Code == http.StatusNotFound:
		return refuse(CodeNotFound, "there is nothing here; see /gateway/rooms/{id}/cursor and /gateway/rooms/{id}/events")
	case errors.As(err, &routing) && routing.Code == http.StatusMethodNotAllowed:
		return refuse(CodeMethod, "only GET")
	}
	return refuse(CodeInternal, "the gateway failed; its operator finds the cause in its log")
}

func gone() *Fault {
	return refuse(CodeGone, "the content of this room was destroyed")
}

func placeFault(e *core.PlaceError) *Fault {
	switch e.Reason {
	case core.PlaceAhead:
		return refuse(CodeCursorAhead, "%s: this gateway never gave it; begin without a cursor", e)
	case core.PlaceTrimmed:
		return gone()
	}
	return refuse(CodeCursorUnknown, "%s; if a backup was restored, what it named is lost: begin without a cursor", e)
}

// answerError writes an error in the one shape. The cause of a failure goes to the log, never to the client.
func (f *Front) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	fault := faultOf(err)
	status := statusOf(fault.Code)
	if status == http.StatusInternalServerError && c.Request().Context().Err() == nil {
		f.log.Error("request failed", zap.String("route", c.Path()), zap.Error(err))
	}
	switch fault.Code {
	case CodeUnauthorized:
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
	case CodeTooMany:
		c.Response().Header().Set(echo.HeaderRetryAfter, "60")
	case CodeUnavailable:
		c.Response().Header().Set(echo.HeaderRetryAfter, "1")
	case CodeMethod:
		c.Response().Header().Set(echo.HeaderAllow, "GET, HEAD")
	}
	// Who went away is not told.
	_ = writeJSON(c, status, Refusal{Error: *fault})
}

func writeJSON(c echo.Context, status int, v any) error {
	b, err := strictjson.Marshal(v)
	if err != nil {
		return err
	}
	return c.Blob(status, echo.MIMEApplicationJSON, append(b, '\n'))
}
