package console_test

import (
	"time"

	"stele/internal/testclock"
)

// newClock begins now, since browsers drop cookies whose time is over.
func newClock() *testclock.Clock { return testclock.At(time.Now()) }
