package wake

import (
	"errors"
	"net/http"
	"time"

	"stele/areyouai"
)

// ErrLoginRefused is the end of a sidecar whose API key does not open the server, or that has none.
var ErrLoginRefused = errors.New("wake: the server refuses the login")

// verdict is what a failed call to the server means for what it was about.
type verdict int

const (
	// later: the same call may succeed after a pause.
	later verdict = iota
	// moot: the room, or our place in it, is gone. Nothing is to be done for it any more.
	moot
	// refused: no call will succeed until somebody sees to the API key.
	refused
	// local: this machine failed, most likely its disk. Going on would lose wakes.
	local
)

// judge is the one table from errors to verdicts. The wait is what the server asked for, 0 when it did not. The
// protocol's own sidecar tears its stream down for every answer here and so asks for the same thing for ever.
// Source: contract, "Reactions to statuses".
func judge(err error) (verdict, time.Duration) {
	var e *areyouai.Error
	if errors.As(err, &e) {
		switch s := e.HTTPStatus; {
		case errors.Is(err, areyouai.ErrForeignReply):
			// A proxy spoke: it knows neither the room nor the key, and will be gone or have its server back.
			return later, e.RetryAfter
		case s == http.StatusUnauthorized:
			return refused, 0
		case s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, s >= 500 && s != http.StatusNotImplemented:
			return later, e.RetryAfter
		default:
			return moot, 0
		}
	}
	var disk *diskError
	if errors.As(err, &disk) {
		return local, 0
	}
	// What is left never reached the server, or its answer could not be read.
	return later, 0
}
