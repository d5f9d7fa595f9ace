package areyouaifront

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/areyouai"
	"stele/core"
)

const (
	hintKeyReused   = "This Idempotency-Key was used for another request. Use a new key for a new request."
	hintNotAllowed  = "Only this room's creator and the agents of its owner may do this."
	hintUnavailable = "The gateway cannot do this at the moment. Retry later with increasing delays."
)

// byIdentity is what each of the core's refusals without fields is called here.
var byIdentity = [...]struct {
	err  error
	code areyouai.Code
	hint string
}{
	{core.ErrNoRoom, areyouai.CodeRoomNotFound, ""},
	{core.ErrNotMember, areyouai.CodeForbidden, ""},
	{core.ErrNotAllowed, areyouai.CodeForbidden, hintNotAllowed},
	{core.ErrNoListing, areyouai.CodeListingNotFound, ""},
	{core.ErrOwnListing, areyouai.CodeForbidden, "This is your own listing. Wait for another agent to connect."},
	{core.ErrListingTaken, areyouai.CodeListingAlreadyConnected, ""},
	{core.ErrKeyReused, areyouai.CodeConflict, hintKeyReused},
	{core.ErrRoomExists, areyouai.CodeConflict, ""},
	{core.ErrNoWebhook, areyouai.CodeNotFound, ""},
	{core.ErrNoAgent, areyouai.CodeNotFound, ""},
	{core.ErrNoMessage, areyouai.CodeNotFound, ""},
	{core.ErrWrongCode, areyouai.CodeForbidden, ""},
	{core.ErrNoViewer, areyouai.CodeViewerNotFound, ""},
	{core.ErrViewerLeft, areyouai.CodeGone, ""},
	{core.ErrNoDelivery, areyouai.CodeNotFound, ""},
	{core.ErrNotOwner, areyouai.CodeForbidden, ""},
	{core.ErrPerson, areyouai.CodeForbidden, ""},
	{core.ErrNoToken, areyouai.CodeUnauthorized, ""},
	{core.ErrConflict, areyouai.CodeConflict, ""},
	// Damage stays damage, whatever met it.
	{core.ErrCorrupt, areyouai.CodeInternalError, ""},
	{core.ErrNewerFormat, areyouai.CodeInternalError, ""},
}

// notNow are the failures that pass by themselves or with an operator's help. The protocol has no code of its own for
// them; clients go by the status.
var notNow = [...]error{
	core.ErrFull, core.ErrReadOnly, core.ErrClosed, core.ErrDraining, core.ErrLocked, core.ErrNoSnapshot, core.ErrNoPeer, core.ErrTraces,
	context.Canceled, context.DeadlineExceeded,
}

// wireError is the one table from errors to what the protocol calls them.
func wireError(err error) *areyouai.Error {
	var wire *areyouai.Error
	if errors.As(err, &wire) {
		return wire
	}
	for _, row := range byIdentity {
		if errors.Is(err, row.err) {
			return withHint(areyouai.NewError(row.code), row.hint)
		}
	}
	for _, e := range notNow {
		if errors.Is(err, e) {
			return unavailable()
		}
	}
	if e := wireErrorByType(err); e != nil {
		return e
	}
	return areyouai.NewError(areyouai.CodeInternalError)
}

// wireErrorByType knows the errors that carry fields; nil for one it does not know.
func wireErrorByType(err error) *areyouai.Error {
	var (
		notActive *core.RoomNotActiveError
		expired   *core.RoomExpiredError
		turn      *core.TurnMismatchError
		notYours  *core.NotYourTurnError
		tooLong   *core.TooLongError
		invalid   *core.InvalidError
		taken     *core.NameTakenError
		several   *core.NamesTakenError
		policy    *policyError
		http      *echo.HTTPError
	)
	switch {
	case errors.As(err, &notActive):
		if notActive.Ended() {
			return areyouai.NewError(areyouai.CodeGone)
		}
		return areyouai.NewError(areyouai.CodeRoomNotActive)
	case errors.As(err, &expired):
		return areyouai.NewError(areyouai.CodeGone)
	case errors.As(err, &turn):
		return turnMismatch(turn)
	case errors.As(err, &notYours):
		return turnMismatch(notYours)
	case errors.As(err, &tooLong):
		return areyouai.NewError(areyouai.CodePayloadTooLarge)
	case errors.As(err, &invalid):
		return areyouai.InvalidRequest(fmt.Sprintf("Field %s: %s.", invalid.Field, invalid.Reason))
	case errors.As(err, &taken), errors.As(err, &several):
		return areyouai.NewError(areyouai.CodeConflict)
	case errors.As(err, &policy):
		return areyouai.NewError(areyouai.CodePolicyBlocked).WithHint(policy.hint())
	case errors.As(err, &http):
		return routerError(http)
	}
	return connectionError(err)
}

// turnMismatch says whose turn it is before it says what to do.
func turnMismatch(refusal error) *areyouai.Error {
	text := refusal.Error()
	return areyouai.NewError(areyouai.CodeTurnMismatch).WithHint(
		strings.ToUpper(text[:1]) + text[1:] + ". " + areyouai.HintTurnMismatch)
}

// connectionError knows the core's errors about leases, which no route of this protocol takes; should one come all the
// same, it is a conflict and no failure of the program.
func connectionError(err error) *areyouai.Error {
	var (
		none     *core.NoConnectionError
		noStream *core.NoStreamError
		taken    *core.ConnectionTakenError
		tooMany  *core.TooManyConnectionsError
		claimed  *core.RoomClaimedError
		holds    *core.HoldsRoleError
		role     *core.RoleHeldError
	)
	if errors.As(err, &none) || errors.As(err, &noStream) || errors.As(err, &taken) || errors.As(err, &claimed) {
		return areyouai.NewError(areyouai.CodeConflict)
	}
	if errors.As(err, &tooMany) {
		return areyouai.NewError(areyouai.CodeRateLimited)
	}
	if errors.As(err, &holds) || errors.As(err, &role) {
		return areyouai.NewError(areyouai.CodeConflict)
	}
	return nil
}

func routerError(e *echo.HTTPError) *areyouai.Error {
	switch e.Code {
	case http.StatusNotFound:
		return areyouai.NewError(areyouai.CodeNotFound)
	case http.StatusMethodNotAllowed:
		return areyouai.NewError(areyouai.CodeMethodNotAllowed)
	}
	return nil
}

func withHint(e *areyouai.Error, hint string) *areyouai.Error {
	if hint != "" {
		e.Hint = hint
	}
	return e
}

func unavailable() *areyouai.Error {
	e := areyouai.NewError(areyouai.CodeInternalError).WithHint(hintUnavailable)
	e.HTTPStatus = http.StatusServiceUnavailable
	return e
}

// answerError writes an error as the protocol's error body.
func (f *Front) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	e := wireError(err)
	if e.Code == areyouai.CodePayloadTooLarge {
		// Whoever found it, the client is told what this door takes.
		e = f.opts.Sizes.PayloadTooLarge()
	}
	f.logFailure(c, e.HTTPStatus, err)
	if len(e.Allow) > 0 {
		c.Response().Header().Set(echo.HeaderAllow, strings.Join(e.Allow, ", "))
	}
	if e.HTTPStatus == http.StatusTooManyRequests {
		c.Response().Header().Set(echo.HeaderRetryAfter, retryAfter(e.RetryAfter))
	}
	if err := f.answer(c, e.HTTPStatus, e); err != nil {
		f.log.Debug("client is gone", zap.Error(err))
	}
}

// brokeOff notes that something ended before its end. Clients that leave do that all the time; a log that can not be read any
// more is what an operator must hear of, since the protocol has no word for it and the client will ask for ever.
func (f *Front) brokeOff(what string, err error, about ...zap.Field) {
	level := zap.DebugLevel
	if errors.Is(err, core.ErrCorrupt) {
		level = zap.ErrorLevel
	}
	f.log.Log(level, what+" broke off", append(about, zap.Error(err))...)
}

// logFailure tells the operator what is not the client's doing, with the cause that the client never sees. A client that
// left and a gateway that was told to stop are no failures.
func (f *Front) logFailure(c echo.Context, status int, err error) {
	fields := []zap.Field{zap.String("route", c.Path()), zap.Int("status", status), zap.Error(err)}
	switch {
	case c.Request().Context().Err() != nil, errors.Is(err, core.ErrDraining):
	case status == http.StatusInternalServerError:
		f.log.Error("request failed", fields...)
	case status == http.StatusServiceUnavailable:
		f.log.Warn("request cannot be served now", fields...)
	}
}
