package edgefront

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"stele/core"
	"stele/core/operations"
	"stele/edgeframes"
)

// Refusals of the front itself. Their texts are what the client reads.
var (
	errNoRPC      = errors.New("this call needs the rpc claim: attach with the token of a member")
	errOutOfScope = errors.New("a room token opens its room only: this operation reaches beyond it")
	errEnded      = errors.New("what this connection was granted has ended: come back with a valid token")
	errReserved   = errors.New("this name is reserved and never called")
	errBusy       = errors.New("too many calls wait on this connection, and this one was dropped: send it again when others were answered")
	errManyRooms  = errors.New("you have made as many conversations as you may for now: use one that exists, or come back later")
	errManyCodes  = errors.New("too many wrong codes were tried for this conversation or from where you are: come back later")
	errManyOpen   = errors.New("too many connections are open from where you are: close some, come as a member, or come back later")
	errBudget     = errors.New("the call took longer than it may; it may still take effect")
)

// Texts for what the client cannot do anything about.
const (
	internalError = "internal error"
	unavailable   = "the gateway cannot do this at the moment: try again later"
	unknownMethod = "there is no such method"
	shuttingDown  = "the gateway is shutting down: the connection ends, reconnect and try again"
)

// row says how a refusal without fields is answered. An empty text is the error's own.
type row struct {
	err  error
	code edgeframes.ErrorCode
	text string
}

// table is the one place where refusals without fields become codes; those with fields are in codeByType.
func table() []row {
	return []row{
		{errNoRPC, edgeframes.CodeUnauthorized, ""},
		{errOutOfScope, edgeframes.CodeUnauthorized, ""},
		{errEnded, edgeframes.CodeUnauthorized, ""},
		{errReserved, edgeframes.CodeMethodPrivate, ""},
		{errBusy, edgeframes.CodeMethodError, ""},
		{errBudget, edgeframes.CodeMethodError, ""},
		{core.ErrNotMember, edgeframes.CodeMethodError, ""},
		{core.ErrNotAllowed, edgeframes.CodeMethodError, ""},
		{core.ErrNoRoom, edgeframes.CodeMethodError, ""},
		{core.ErrNoAgent, edgeframes.CodeMethodError, ""},
		{core.ErrNoListing, edgeframes.CodeMethodError, ""},
		{core.ErrNoMessage, edgeframes.CodeMethodError, ""},
		{core.ErrNoTask, edgeframes.CodeMethodError, ""},
		{core.ErrNotPerformer, edgeframes.CodeMethodError, ""},
		{core.ErrNotRequester, edgeframes.CodeMethodError, ""},
		{core.ErrNotInRoom, edgeframes.CodeMethodError, ""},
		{core.ErrNotPermitted, edgeframes.CodeMethodError, ""},
		{core.ErrOwnListing, edgeframes.CodeMethodError, ""},
		{core.ErrListingTaken, edgeframes.CodeMethodError, ""},
		{core.ErrRoomExists, edgeframes.CodeMethodError, ""},
		{core.ErrNotOwner, edgeframes.CodeMethodError, ""},
		{core.ErrPerson, edgeframes.CodeMethodError, ""},
		{core.ErrKeyReused, edgeframes.CodeMethodError, ""},
		{operations.ErrNotConnected, edgeframes.CodeMethodError, ""},
		{operations.ErrSeveralRooms, edgeframes.CodeMethodError, ""},
		{operations.ErrOtherRoom, edgeframes.CodeUnauthorized, ""},
		{operations.ErrNoConnection, edgeframes.CodeMethodError, ""},
		{core.ErrFull, edgeframes.CodeMethodError, unavailable},
		{core.ErrReadOnly, edgeframes.CodeMethodError, unavailable},
		{core.ErrClosed, edgeframes.CodeMethodError, unavailable},
		{core.ErrConflict, edgeframes.CodeMethodError, unavailable},
		{core.ErrNoPeer, edgeframes.CodeMethodError, unavailable},
		{core.ErrDraining, edgeframes.CodeMethodError, shuttingDown},
		{core.ErrDocumentTimeout, edgeframes.CodeMethodError, ""},
		{context.Canceled, edgeframes.CodeMethodError, shuttingDown},
		{context.DeadlineExceeded, edgeframes.CodeMethodError, unavailable},
	}
}

// callError turns any error into the answer that rejects a call. What nobody foresaw tells the client nothing and is
// logged.
func (f *Front) callError(id string, err error) edgeframes.Error {
	var denied *core.NotAllowedError
	if errors.As(err, &denied) {
		return edgeframes.CallError(id, edgeframes.CodeMethodError, denied.Error())
	}
	for _, r := range table() {
		if errors.Is(err, r.err) {
			text := r.text
			if text == "" {
				text = r.err.Error()
			}
			return edgeframes.CallError(id, r.code, text)
		}
	}
	if code, text := byType(err); code != "" {
		return edgeframes.CallError(id, code, text)
	}
	f.log.Error("call failed", zap.Error(err))
	return edgeframes.CallError(id, edgeframes.CodeMethodError, internalError)
}

// byType knows the errors that carry fields; their texts are made for the one who asked.
func byType(err error) (edgeframes.ErrorCode, string) {
	var (
		unknown   *operations.UnknownOperationError
		args      *operations.ArgumentError
		notActive *core.RoomNotActiveError
		expired   *core.RoomExpiredError
		mismatch  *core.TurnMismatchError
		turn      *core.NotYourTurnError
		long      *core.TooLongError
		invalid   *core.InvalidError
		taken     *core.NameTakenError
		gone      *core.NoConnectionError
		detached  *core.NoStreamError
		foreign   *core.ConnectionTakenError
		many      *core.TooManyConnectionsError
		held      *core.RoomClaimedError
		holds     *core.HoldsRoleError
		role      *core.RoleHeldError
		task      *core.TaskStateError
	)
	var typed error
	switch {
	case errors.As(err, &unknown):
		return edgeframes.CodeMethodNotFound, unknownMethod
	case errors.As(err, &args):
		typed = args
	case errors.As(err, &notActive):
		typed = notActive
	case errors.As(err, &expired):
		typed = expired
	case errors.As(err, &mismatch):
		typed = mismatch
	case errors.As(err, &turn):
		typed = turn
	case errors.As(err, &long):
		typed = long
	case errors.As(err, &invalid):
		typed = invalid
	case errors.As(err, &taken):
		typed = taken
	case errors.As(err, &gone):
		typed = gone
	case errors.As(err, &detached):
		typed = detached
	case errors.As(err, &foreign):
		typed = foreign
	case errors.As(err, &many):
		typed = many
	case errors.As(err, &held):
		typed = held
	case errors.As(err, &holds):
		typed = holds
	case errors.As(err, &role):
		typed = role
	case errors.As(err, &task):
		typed = task
	default:
		return "", ""
	}
	return edgeframes.CodeMethodError, typed.Error()
}
