package console

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/core"
	"stele/core/operations"
)

// Refusals of the console itself.
var (
	errAdminsOnly = errors.New("only an administrator may see or do that")
	errNotYours   = errors.New("this belongs to somebody else")
	errNoPage     = errors.New("there is no such page")
	errInternal   = errors.New("the gateway failed; its log says how")
	errForm       = errors.New("what was sent is not a form")
	errTooMany    = errors.New("too many live pages are open")
)

// fault is how an error is answered.
type fault struct {
	status int
	// text is for the visitor; empty: the error's own.
	text string
}

// statusOf is the one table from errors to pages.
func statusOf(err error) fault {
	for _, row := range []struct {
		err error
		fault
	}{
		{errAdminsOnly, fault{http.StatusForbidden, ""}},
		{errNotYours, fault{http.StatusForbidden, ""}},
		{errNoPage, fault{http.StatusNotFound, ""}},
		{errTooMany, fault{http.StatusTooManyRequests, ""}},
		{core.ErrNoRoom, fault{http.StatusNotFound, ""}},
		{core.ErrNoAgent, fault{http.StatusNotFound, ""}},
		{core.ErrNoUser, fault{http.StatusNotFound, ""}},
		{core.ErrNoUserKey, fault{http.StatusNotFound, ""}},
		{core.ErrNoToken, fault{http.StatusNotFound, ""}},
		{core.ErrNoMessage, fault{http.StatusNotFound, ""}},
		{core.ErrNotMember, fault{http.StatusForbidden, ""}},
		{core.ErrNotAllowed, fault{http.StatusForbidden, ""}},
		{core.ErrNotOwner, fault{http.StatusForbidden, ""}},
		{core.ErrPerson, fault{http.StatusConflict, ""}},
		{core.ErrLastAdmin, fault{http.StatusConflict, ""}},
		{core.ErrOwnListing, fault{http.StatusConflict, ""}},
		{core.ErrListingTaken, fault{http.StatusConflict, ""}},
		{operations.ErrNotConnected, fault{http.StatusConflict, ""}},
		{core.ErrConflict, fault{http.StatusConflict, "somebody else was faster; look again"}},
		{core.ErrFull, fault{http.StatusServiceUnavailable, "the disk is full: nothing can be changed at the moment"}},
		{core.ErrReadOnly, fault{http.StatusServiceUnavailable, "the log takes no changes at the moment"}},
		{core.ErrDraining, fault{http.StatusServiceUnavailable, "the gateway is shutting down"}},
		{context.Canceled, fault{http.StatusServiceUnavailable, ""}},
		{context.DeadlineExceeded, fault{http.StatusServiceUnavailable, ""}},
	} {
		if errors.Is(err, row.err) {
			return row.fault
		}
	}
	return statusOfType(err)
}

// statusOfType answers errors that say more than that they happened.
func statusOfType(err error) fault {
	var (
		invalid  *core.InvalidError
		tooLong  *core.TooLongError
		argument *operations.ArgumentError
		taken    *core.NameTakenError
		turn     *core.NotYourTurnError
		state    *core.RoomNotActiveError
		expired  *core.RoomExpiredError
		tooLarge *http.MaxBytesError
		routed   *echo.HTTPError
	)
	switch {
	case errors.As(err, &tooLarge):
		return fault{http.StatusRequestEntityTooLarge, "that is too much to send at once"}
	case errors.Is(err, errForm):
		return fault{http.StatusBadRequest, errForm.Error()}
	case errors.As(err, &invalid), errors.As(err, &tooLong), errors.As(err, &argument):
		return fault{http.StatusBadRequest, ""}
	case errors.As(err, &taken), errors.As(err, &turn), errors.As(err, &state), errors.As(err, &expired):
		return fault{http.StatusConflict, ""}
	case errors.As(err, &routed) && routed.Code == http.StatusMethodNotAllowed:
		return fault{http.StatusMethodNotAllowed, "this page is not asked in that way"}
	case errors.As(err, &routed):
		return fault{http.StatusNotFound, errNoPage.Error()}
	}
	return fault{http.StatusInternalServerError, errInternal.Error()}
}

// errorPage is what the page of an error shows.
type errorPage struct {
	Status int
	Title  string
	Text   string
}

// fail answers with the page of an error, unless an answer has begun.
func (v *visit) fail(err error) {
	if v.echo.Response().Committed {
		return
	}
	f := statusOf(err)
	if f.text == "" {
		f.text = err.Error()
	}
	if f.status == http.StatusInternalServerError {
		v.console.log.Error("page failed", zap.String("path", v.echo.Path()), zap.Error(err))
	}
	page := errorPage{Status: f.status, Title: http.StatusText(f.status), Text: f.text}
	if err := v.renderStatus(f.status, "error", page); err != nil {
		v.console.log.Error("page of an error failed", zap.Error(err))
	}
}
