package areyouai

import "time"

// backoff counts the failed attempts to open a stream since the last one that
// delivered a frame.
type backoff struct {
	failures int
	rand     func() float64
}

// next returns the delay before the next attempt: 1, 2, 4, 8, then 10 s, plus
// up to BackoffJitter so that the clients of a restarted server spread out.
// A server that asked for more (Retry-After) gets it.
func (b *backoff) next(atLeast time.Duration) time.Duration {
	step := min(time.Second<<min(b.failures, 4), maxBackoff)
	b.failures++
	return max(step, atLeast) + time.Duration(b.rand()*float64(BackoffJitter))
}

func (b *backoff) reset() { b.failures = 0 }
