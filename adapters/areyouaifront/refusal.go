package areyouaifront

import (
	"time"

	"stele/adapters/transport"
	"stele/areyouai"
)

// refusal is the answer to what a window has no place for. It names when there is one.
func refusal(w *transport.Window, key string, now time.Time) error {
	return limited(w.Wait(key, now))
}

// limited is the answer to what there is no place for until some time has passed.
func limited(wait time.Duration) error {
	e := areyouai.NewError(areyouai.CodeRateLimited)
	e.RetryAfter = wait
	return e
}
