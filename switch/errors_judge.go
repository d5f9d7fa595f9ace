package agentswitch

import (
	"errors"
	"net/http"
	"strings"
)

// IsDeadConnection reports whether err is a server's refusal, 404 or 409, that
// says that the connection is gone, by the texts the reference client looks
// for. Only a new open brings it back; a Session does that by itself.
func IsDeadConnection(err error, connectionID string) bool {
	var refused Error
	if connectionID == "" || !errors.As(err, &refused) || !hasStatus(refused, http.StatusNotFound, http.StatusConflict) {
		return false
	}
	body := string(refused.AppendBody(nil))
	if detail, ok := refused.(*DetailError); ok {
		body = detail.Detail
	}
	return strings.Contains(body, connectionID) && strings.Contains(body, TextIsNotOpen)
}

// IsUnauthorized reports whether err is a server's refusal, 401 or 403, which
// trying again will not heal: the key is no longer valid, or the agent is not
// allowed what it asks for, such as a room on an open that it is no member of.
func IsUnauthorized(err error) bool {
	var refused Error
	return errors.As(err, &refused) && hasStatus(refused, http.StatusUnauthorized, http.StatusForbidden)
}

func hasStatus(err Error, statuses ...int) bool {
	for _, status := range statuses {
		if err.Status() == status {
			return true
		}
	}
	return false
}

// BeatError is a beat that was refused or got no answer.
type BeatError struct{ Err error }

// Error implements error.
func (e *BeatError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *BeatError) Unwrap() error { return e.Err }

// ErrSilent reports a stream that was given up because nothing came for longer
// than StreamOptions.MaxSilence, or whose open was not answered for as long.
var ErrSilent = errors.New("agentswitch: the stream fell silent")

// ErrClosed reports the use of a session that has ended.
var ErrClosed = errors.New("agentswitch: the session is closed")
