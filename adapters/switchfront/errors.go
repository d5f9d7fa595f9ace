package switchfront

import (
	"context"
	"errors"
	"net/http"

	"stele/adapters/transport"
	"stele/core"
	"stele/core/operations"
	agentswitch "stele/switch"
)

// place is where a refusal happens. Some refusals have another status at each place.
type place int

const (
	// placeRoute is everything before and beside the places below.
	placeRoute place = iota
	// placeRegister is registration.
	placeRegister
	// placeOpen is the opening of a stream.
	placeOpen
	// placeConnection are the routes below /connection.
	placeConnection
	// placeOperation are the operations.
	placeOperation
	// placeMessage is the posting of a message without a connection.
	placeMessage
	places
)

// statuses has one status for each place.
type statuses [places]int

func everywhere(status int) statuses {
	return statuses{status, status, status, status, status, status}
}

// row says how one of core's refusals without fields is answered.
type row struct {
	err    error
	status statuses
}

// table is the one place where refusals without fields become statuses; those with fields are in wireError.
func table() []row {
	const (
		bad         = http.StatusBadRequest
		forbidden   = http.StatusForbidden
		missing     = http.StatusNotFound
		conflict    = http.StatusConflict
		unavailable = http.StatusServiceUnavailable
	)
	return []row{
		//                  route    register  open       connection operation message
		{core.ErrNoRoom, statuses{missing, missing, forbidden, missing, bad, missing}},
		{core.ErrNotMember, everywhere(forbidden)},
		{core.ErrNotAllowed, everywhere(forbidden)},
		{core.ErrNoAgent, statuses{missing, missing, missing, missing, bad, missing}},
		{core.ErrNoListing, statuses{missing, missing, missing, missing, bad, missing}},
		{core.ErrNoMedia, everywhere(missing)},
		{core.ErrNoMediaStore, everywhere(unavailable)},
		{core.ErrNoMessage, statuses{missing, missing, missing, missing, bad, missing}},
		{core.ErrNoTask, statuses{missing, missing, missing, missing, bad, missing}},
		{core.ErrNotPerformer, everywhere(forbidden)},
		{core.ErrNotRequester, everywhere(forbidden)},
		{core.ErrNotInRoom, everywhere(forbidden)},
		{core.ErrNotPermitted, everywhere(forbidden)},
		{core.ErrPollerMoved, everywhere(conflict)},
		{core.ErrOwnListing, statuses{conflict, conflict, conflict, conflict, bad, conflict}},
		{core.ErrListingTaken, statuses{conflict, conflict, conflict, conflict, bad, conflict}},
		{core.ErrRoomExists, statuses{conflict, conflict, conflict, conflict, bad, conflict}},
		{core.ErrNotOwner, everywhere(forbidden)},
		{core.ErrPerson, everywhere(forbidden)},
		{core.ErrNoToken, everywhere(http.StatusUnauthorized)},
		{core.ErrKeyReused, everywhere(conflict)},
		{operations.ErrNotConnected, everywhere(bad)},
		{operations.ErrSeveralRooms, everywhere(bad)},
		{operations.ErrNoConnection, everywhere(bad)},
		{core.ErrFull, everywhere(unavailable)},
		{core.ErrReadOnly, everywhere(unavailable)},
		{core.ErrClosed, everywhere(unavailable)},
		{core.ErrDraining, everywhere(unavailable)},
		{core.ErrConflict, everywhere(unavailable)},
		{core.ErrNoPeer, everywhere(unavailable)},
		{core.ErrDocumentTimeout, everywhere(bad)},
		{context.Canceled, everywhere(unavailable)},
		{context.DeadlineExceeded, everywhere(unavailable)},
	}
}

// wireError turns any error into what the wire shows. What nobody foresaw is a 500 that tells nothing.
func wireError(at place, err error) agentswitch.Error {
	var wire agentswitch.Error
	if errors.As(err, &wire) {
		return wire
	}
	var denied *core.NotAllowedError
	if errors.As(err, &denied) {
		return agentswitch.Refuse(http.StatusForbidden, "%s", denied)
	}
	for _, r := range table() {
		if errors.Is(err, r.err) {
			return &agentswitch.DetailError{Code: r.status[at], Detail: r.err.Error()}
		}
	}
	if wire := roomError(at, err); wire != nil {
		return wire
	}
	if wire := connectionError(at, err); wire != nil {
		return wire
	}
	if wire := requestError(at, err); wire != nil {
		return wire
	}
	return agentswitch.InternalServerError()
}

// unsent is the status for a message that the room does not take. Where no operation says it, the protocol knows only
// "not sent", which is a 404.
func unsent(at place) int {
	if at == placeMessage {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// roomError answers what a room refuses.
func roomError(at place, err error) agentswitch.Error {
	var (
		notActive *core.RoomNotActiveError
		expired   *core.RoomExpiredError
		mismatch  *core.TurnMismatchError
		turn      *core.NotYourTurnError
		task      *core.TaskStateError
	)
	switch {
	case errors.As(err, &task):
		return agentswitch.Refuse(http.StatusBadRequest, "%s", task)
	case errors.As(err, &turn):
		return agentswitch.Refuse(http.StatusForbidden, "It is not your turn: %s", turn)
	case errors.As(err, &notActive):
		return agentswitch.Refuse(unsent(at), "This room takes no messages: %s", notActive)
	case errors.As(err, &expired):
		return agentswitch.Refuse(unsent(at), "This room takes no messages: %s", expired)
	case errors.As(err, &mismatch):
		return agentswitch.Refuse(unsent(at), "%s", mismatch)
	}
	return nil
}

// connectionError answers what concerns connections.
func connectionError(at place, err error) agentswitch.Error {
	var (
		gone     *core.NoConnectionError
		detached *core.NoStreamError
		foreign  *core.ConnectionTakenError
		many     *core.TooManyConnectionsError
		held     *core.RoomClaimedError
		holds    *core.HoldsRoleError
		role     *core.RoleHeldError
	)
	switch {
	case errors.As(err, &gone):
		if at == placeConnection {
			return agentswitch.DeadConnection(http.StatusNotFound, gone.ID)
		}
		return agentswitch.DeadConnection(http.StatusConflict, gone.ID)
	case errors.As(err, &detached):
		return agentswitch.StreamNotAttached(detached.ID)
	case errors.As(err, &foreign):
		return agentswitch.DeadConnection(http.StatusConflict, foreign.ID)
	case errors.As(err, &many):
		return agentswitch.TooManyConnections()
	case errors.As(err, &held):
		return agentswitch.RoomOccupied(held.Room, held.Holder)
	case errors.As(err, &holds):
		return agentswitch.Refuse(http.StatusBadRequest, "%s", holds)
	case errors.As(err, &role):
		return agentswitch.Refuse(http.StatusBadRequest, "%s", role)
	}
	return nil
}

// requestError answers what is wrong with a request itself.
func requestError(at place, err error) agentswitch.Error {
	var (
		large   *transport.TooLargeError
		unread  *bodyError
		taken   *core.NameTakenError
		several *core.NamesTakenError
		invalid *core.InvalidError
		long    *core.TooLongError
		unknown *operations.UnknownOperationError
		args    *operations.ArgumentError
	)
	switch {
	case errors.As(err, &large):
		return agentswitch.BodyTooLarge()
	case errors.As(err, &unread):
		return agentswitch.Refuse(http.StatusBadRequest, "The request body could not be read to its end")
	case errors.Is(err, core.ErrMediaTooLarge):
		return agentswitch.Refuse(http.StatusBadRequest, "%s", err)
	case errors.As(err, &taken):
		return agentswitch.NameTaken(taken.Name)
	case errors.As(err, &several):
		return agentswitch.NamesTaken(several.Names)
	case errors.As(err, &invalid):
		return agentswitch.Refuse(unsent(at), "%s", invalid)
	case errors.As(err, &long):
		return agentswitch.Refuse(unsent(at), "%s", long)
	case errors.As(err, &unknown):
		return agentswitch.UnknownOperation(unknown.Name, unknown.Known)
	case errors.As(err, &args):
		return agentswitch.Refuse(http.StatusBadRequest, "%s", args)
	}
	return nil
}

// bodyError: the connection ended, or its framing broke, before the body did.
type bodyError struct{ cause error }

func (e *bodyError) Error() string { return "read request body: " + e.cause.Error() }

func (e *bodyError) Unwrap() error { return e.cause }
