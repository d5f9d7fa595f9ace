package agentswitch

import (
	"context"
	"time"
)

// Clock is where a client takes its time from. The zero Options use the real
// one; tests give another.
type Clock interface {
	Now() time.Time
	// Sleep waits for d or until ctx is done, whose error it then returns.
	Sleep(ctx context.Context, d time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
