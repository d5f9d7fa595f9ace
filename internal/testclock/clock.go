package testclock

import (
	"sync/atomic"
	"time"
)

// Clock is a time that only Advance changes. Make one with At.
type Clock struct{ ns atomic.Int64 }

// At returns a clock that stands at a time, to the nanosecond.
func At(t time.Time) *Clock {
	c := &Clock{}
	c.ns.Store(t.UnixNano())
	return c
}

// Now is the clock's time in UTC.
func (c *Clock) Now() time.Time { return time.Unix(0, c.ns.Load()).UTC() }

// Advance moves the clock by d, which may be negative.
func (c *Clock) Advance(d time.Duration) { c.ns.Add(int64(d)) }
