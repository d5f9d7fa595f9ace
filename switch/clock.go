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

// backoff doubles from MinBackoff to MaxBackoff. Each wait is drawn from the
// upper half of its step, so that clients which failed together come back
// apart.
type backoff struct {
	step   time.Duration
	random func() float64
}

func (b *backoff) next() time.Duration {
	b.step = min(max(2*b.step, MinBackoff), MaxBackoff)
	half := b.step / 2
	return half + time.Duration(b.random()*float64(b.step-half))
}

func (b *backoff) reset() { b.step = 0 }
