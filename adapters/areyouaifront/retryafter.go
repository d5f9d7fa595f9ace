package areyouaifront

import (
	"strconv"
	"time"
)

// freePlace is what a refused client is told to wait where nobody can know when a place becomes free, as with streams
// that are open. It is how long it takes at most until a stream without a reader is noticed.
const freePlace = 30 * time.Second

// retryAfter writes the header of that name: whole seconds, rounded up, so that a client that keeps to it is served.
func retryAfter(wait time.Duration) string {
	if wait <= 0 {
		wait = freePlace
	}
	return strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
}
