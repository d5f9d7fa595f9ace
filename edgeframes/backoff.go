package edgeframes

import "time"

// backoff is the delay before attempt n, counted from 0 since the last hello: it
// doubles from low to high, and jitter in [0, 1) takes it down by up to half, so
// that a restarted server does not meet all its clients at once.
func backoff(n int, low, high time.Duration, jitter float64) time.Duration {
	d := low
	for ; n > 0 && d < high; n-- {
		d *= 2
	}
	d = min(d, high)
	return time.Duration(float64(d) * (0.5 + jitter/2))
}
