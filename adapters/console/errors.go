package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/core"
	"stele/core/operations"
	"stele/internal/password"
)

// Refusals of the console itself.
var (
	errAdminsOnly = errors.New("only an administrator may see or do that")
	errNotYours   = errors.New("this belongs to somebody else")
	errNoPage     = errors.New("there is no such page")
	errInternal   = errors.New("the gateway failed; its log says how")
	errForm       = errors.New("what was sent is not a form")
	errTooMany    = errors.New("too many live pages are open")
	errOtherSite  = errors.New("what changes something must come from a page of this console")

	// It does not tell whether the name is anybody's.
	errWrongSignIn    = errors.New("that name and password, or that token, do not belong together")
	errWrongPassword  = errors.New("that is not the present password")
	errTooManySignIns = errors.New("there were too many attempts: wait a quarter of an hour, or sign in with a token")
	errTooManyCodes   = errors.New("there were too many wrong codes: wait a minute")
)

// fault is how an error is answered.
type fault struct {
	status int
	// text is for the visitor; empty: the error's own.
	text string
}

// sentence says what is wrong, for people.
func (f fault) sentence(err error) string {
	text := f.text
	if text == "" {
		text = err.Error()
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// group are errors that are answered alike.
type group struct {
	fault
	errs []error
}

// groups is the one table from errors to pages. What stands in no row, and is of no type that statusOfType knows, is a failure
// of the program: damage to the log is one.
func groups() []group {
	return []group{
		{fault{http.StatusBadRequest, ""}, []error{
			errForm, password.ErrTooShort, password.ErrTooLong, errWrongPassword, core.ErrMediaTooLarge,
			operations.ErrSeveralRooms, operations.ErrOtherRoom,
		}},
		{fault{http.StatusUnauthorized, ""}, []error{errWrongSignIn}},
		{fault{http.StatusForbidden, errOtherSite.Error()}, []error{errOtherSite}},
		{fault{http.StatusForbidden, ""}, []error{
			errAdminsOnly, errNotYours, core.ErrNotMember, core.ErrNotAllowed, core.ErrNotOwner, core.ErrNotInRoom, core.ErrNotPermitted,
			core.ErrNotPerformer, core.ErrNotRequester, core.ErrNoViewer, core.ErrWrongCode,
		}},
		{fault{http.StatusNotFound, ""}, []error{
			errNoPage, core.ErrNoRoom, core.ErrNoAgent, core.ErrNoListing, core.ErrNoUser, core.ErrNoUserKey, core.ErrNoToken,
			core.ErrNoMessage, core.ErrNoDelivery, core.ErrNoMedia, core.ErrNoTask, core.ErrNoWebhook, core.ErrNoMediaStore,
		}},
		{fault{http.StatusConflict, "somebody else was faster; look again"}, []error{core.ErrConflict, core.ErrPollerMoved}},
		{fault{http.StatusConflict, ""}, []error{
			core.ErrPerson, core.ErrLastAdmin, core.ErrOwnListing, core.ErrListingTaken, core.ErrRoomExists, core.ErrKeyReused,
			operations.ErrNotConnected, operations.ErrNoConnection,
		}},
		{fault{http.StatusGone, ""}, []error{core.ErrViewerLeft}},
		{fault{http.StatusTooManyRequests, ""}, []error{errTooMany, errTooManySignIns, errTooManyCodes}},
		{fault{http.StatusServiceUnavailable, "the disk is full: nothing can be changed at the moment"}, []error{core.ErrFull}},
		{fault{http.StatusServiceUnavailable, "the log takes no changes at the moment"}, []error{
			core.ErrReadOnly, core.ErrLocked, core.ErrTraces, core.ErrNoPeer, core.ErrNoSnapshot,
		}},
		{fault{http.StatusServiceUnavailable, "the gateway is shutting down"}, []error{core.ErrDraining, core.ErrClosed}},
		{fault{http.StatusServiceUnavailable, "that took too long"}, []error{
			context.Canceled, context.DeadlineExceeded, core.ErrDocumentTimeout,
		}},
	}
}

// statusOf looks an error up.
func statusOf(err error) fault {
	if is[*http.MaxBytesError](err) {
		// It is also no form.
		return fault{http.StatusRequestEntityTooLarge, "that is too much to send at once"}
	}
	for _, g := range groups() {
		for _, one := range g.errs {
			if errors.Is(err, one) {
				return g.fault
			}
		}
	}
	return statusOfType(err)
}

// is tells whether an error is of a type.
func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// statusOfType answers errors that say more than that they happened.
func statusOfType(err error) fault {
	var (
		state    *core.RoomNotActiveError
		argument *operations.ArgumentError
		routed   *echo.HTTPError
	)
	switch {
	case errors.As(err, &argument) && len(argument.Names) == 1:
		// People fill in fields, and know no arguments.
		return fault{http.StatusBadRequest, strings.TrimPrefix(argument.Reason, fmt.Sprintf("argument %q: ", argument.Names[0]))}
	case is[*core.InvalidError](err), is[*core.TooLongError](err), is[*operations.ArgumentError](err),
		is[*operations.UnknownOperationError](err), is[*core.PlaceError](err), is[*core.ImportError](err):
		return fault{http.StatusBadRequest, ""}
	case is[*core.NotAllowedError](err):
		return fault{http.StatusForbidden, ""}
	case errors.As(err, &state) && state.State == core.StatePurged:
		return fault{http.StatusGone, "what was said in this room has been destroyed"}
	case state != nil, is[*core.NameTakenError](err), is[*core.NamesTakenError](err), is[*core.NotYourTurnError](err),
		is[*core.TurnMismatchError](err), is[*core.RoomExpiredError](err), is[*core.NoConnectionError](err),
		is[*core.NoStreamError](err), is[*core.ConnectionTakenError](err), is[*core.RoomClaimedError](err),
		is[*core.HoldsRoleError](err), is[*core.RoleHeldError](err), is[*core.TaskStateError](err),
		is[*core.CommandRefusedError](err), is[*core.AlreadyImportedError](err):
		return fault{http.StatusConflict, ""}
	case is[*core.TooManyConnectionsError](err):
		return fault{http.StatusTooManyRequests, ""}
	case errors.As(err, &routed) && routed.Code == http.StatusMethodNotAllowed:
		return fault{http.StatusMethodNotAllowed, "this page is not asked in that way"}
	case routed != nil:
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
	text := f.sentence(err)
	if f.status == http.StatusInternalServerError {
		v.console.log.Error("page failed", zap.String("path", v.echo.Path()), zap.Error(err))
	}
	switch {
	case v.listens() && gone(f.status):
		err = v.over()
	case v.scripted():
		err = v.echo.String(f.status, text)
	default:
		err = v.renderStatus(f.status, "error", errorPage{Status: f.status, Title: http.StatusText(f.status), Text: text})
	}
	if err != nil {
		v.console.log.Error("page of an error failed", zap.Error(err))
	}
}

// gone tells whether a status means that there is nothing to see for the visitor, however often it is asked for.
func gone(status int) bool {
	return status == http.StatusForbidden || status == http.StatusNotFound || status == http.StatusGone
}
