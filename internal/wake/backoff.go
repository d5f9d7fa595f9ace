package wake

import "time"

// pause is the time to wait after the given number of failures in a row, at least 1: retryMin, doubling to retryMax,
// plus up to a tenth, so that many rooms do not come back in step. A server that asked for more gets it.
func pause(failures int, atLeast time.Duration, random func() float64) time.Duration {
	d := retryMin
	for i := 1; i < failures && d < retryMax; i++ {
		d *= 2
	}
	d = max(min(d, retryMax), atLeast)
	return d + time.Duration(random()*retryJitter*float64(d))
}
