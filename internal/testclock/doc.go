// Package testclock is a clock for tests: it stands still until the test moves it.
//
// Everything in this project that asks for the time takes a function, so a test hands over Now of a [Clock] and decides itself
// when leases lapse and tokens end:
//
//	c := testclock.At(time.Date(2026, time.April, 2, 10, 0, 0, 0, time.UTC))
//	node, err := core.Open(ctx, log, core.Options{Now: c.Now})
//	c.Advance(7 * time.Second)
//
// A clock may be read and moved by any number of goroutines at once.
package testclock
