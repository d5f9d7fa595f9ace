package archive_test

import (
	"time"

	"stele/internal/testclock"
)

func newClock() *testclock.Clock { return testclock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) }
