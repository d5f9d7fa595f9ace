package switchfront

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"stele/core"
	agentswitch "stele/switch"
)

// WatchEncodes calls seen before each encoding of an event.
func (f *Front) WatchEncodes(seen func()) {
	encode := f.frames.encode
	f.frames.encode = func(e *core.Entry, notifies bool) []byte {
		seen()
		return encode(e, notifies)
	}
}

// SetStormClock replaces the clock and the sleep of the guard against takeover storms.
func (f *Front) SetStormClock(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	f.storms.now, f.storms.sleep = now, sleep
}

// StormEntries counts the ids that the guard remembers.
func (f *Front) StormEntries() int {
	f.storms.mu.Lock()
	defer f.storms.mu.Unlock()
	return len(f.storms.byID) + len(f.storms.attached)
}

// WireErrors answers one error at every place.
func WireErrors(err error) (out []agentswitch.Error) {
	for p := range places {
		out = append(out, wireError(p, err))
	}
	return out
}

// TableErrors lists the errors of the table.
func TableErrors() (out []error) {
	for _, r := range table() {
		out = append(out, r.err)
	}
	return out
}

// Panicking serves a route that panics, through the front's own guard.
func (f *Front) Panicking(value any) http.Handler {
	f.router.GET("/health/panic", f.at(placeRoute, func(echo.Context) error { panic(value) }))
	return f.Handler()
}

// BatchLimits returns the limits after turns of that many events with that many bytes.
func BatchLimits(turns ...[2]int) (out []int) {
	var s batchSize
	for _, t := range turns {
		s.learn(t[0], t[1])
		out = append(out, s.limit())
	}
	return out
}

// JudgeWithin replaces what gives verdicts, and how long one may take.
func (f *Front) JudgeWithin(timeout time.Duration, judge func(context.Context) (bool, error)) {
	f.mediationTimeout = timeout
	f.judge = func(ctx context.Context, _ string, _ ability) (bool, error) { return judge(ctx) }
}

// WaitingPolls is how many polls of an agent are being answered.
func (f *Front) WaitingPolls(agent string) int {
	f.polls.mu.Lock()
	defer f.polls.mu.Unlock()
	return f.polls.byAgent[agent]
}
