package logtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// patience is how long the suite waits for what must come. It is long, because running out of it is a failure and never a
// measurement.
const patience = 30 * time.Second

// fixture is one open log with the means to write to it and to compare what comes back.
type fixture struct {
	testing.TB
	log core.Log
	ctx context.Context
}

func start(t *testing.T, open Open) *fixture {
	log := open(t)
	ctx, cancel := context.WithTimeout(context.Background(), patienceOf(t))
	t.Cleanup(func() {
		cancel()
		_ = log.Close()
	})
	return &fixture{TB: t, log: log, ctx: ctx}
}

// patienceOf is patience, or less when the test program would be stopped before: a failure says more than that.
func patienceOf(t *testing.T) time.Duration {
	if deadline, ok := t.Deadline(); ok {
		return min(patience, time.Until(deadline)*3/4)
	}
	return patience
}

// epoch is the time of the first event.
var epoch = time.Date(2026, 3, 4, 5, 6, 7, int(8*time.Millisecond), time.UTC)

// event makes the stream's event with this version. Every third has no content, every second a receipt.
func event(stream core.Stream, version uint64) core.Event {
	e := core.Event{
		Kind:    core.MessagePosted,
		Version: version,
		At:      epoch.Add(time.Duration(version) * time.Millisecond),
		Body:    fmt.Appendf(nil, `{"stream":%q,"n":%d}`, stream, version),
		Payload: &payload{stream, version},
	}
	if version%3 != 0 {
		e.Content = fmt.Appendf(nil, `{"text":"secret %d of %s ☃"}`, version, stream)
	}
	if version%2 == 0 {
		e.Receipt = fmt.Appendf(nil, `{"key":"k%d"}`, version)
	}
	return e
}

// payload stands for a decoded event.
type payload struct {
	stream  core.Stream
	version uint64
}

// events makes n events of a stream, the first of them with the given version.
func events(stream core.Stream, version uint64, n int) []core.Event {
	out := make([]core.Event, n)
	for i := range out {
		out[i] = event(stream, version+uint64(i))
	}
	return out
}

// append writes n events that must be accepted, and returns them as they must be read.
func (f *fixture) append(stream core.Stream, last core.Position, version uint64, n int) []core.Recorded {
	f.Helper()
	given := events(stream, version, n)
	positions, err := f.log.Append(f.ctx, stream, last, given)
	require.NoError(f, err)
	return recorded(f, stream, given, positions)
}

func recorded(t require.TestingT, stream core.Stream, given []core.Event, positions []core.Position) []core.Recorded {
	require.Len(t, positions, len(given))
	out := make([]core.Recorded, len(given))
	for i, e := range given {
		out[i] = core.Recorded{Event: e, Position: positions[i], Stream: stream}
	}
	return out
}

// fill writes total events to a stream in units of up to three and returns them.
func (f *fixture) fill(stream core.Stream, total int) []core.Recorded {
	f.Helper()
	var all []core.Recorded
	var last core.Position
	for len(all) < total {
		n := min(1+len(all)%3, total-len(all))
		all = append(all, f.append(stream, last, uint64(len(all)+1), n)...)
		last = all[len(all)-1].Position
	}
	return all
}

// read collects what Read yields.
func (f *fixture) read(stream core.Stream, after core.Position) []core.Recorded {
	f.Helper()
	var out []core.Recorded
	for r, err := range f.log.Read(f.ctx, stream, after) {
		require.NoError(f, err)
		out = append(out, r)
	}
	return out
}

// readBack collects what ReadBack yields, turned round.
func (f *fixture) readBack(stream core.Stream, before core.Position) []core.Recorded {
	f.Helper()
	var out []core.Recorded
	for r, err := range f.log.ReadBack(f.ctx, stream, before) {
		require.NoError(f, err)
		out = append(out, r)
	}
	slices.Reverse(out)
	return out
}

// tail collects what Tail yields up to and including a position.
func (f *fixture) tail(after, upTo core.Position) []core.Recorded {
	f.Helper()
	var out []core.Recorded
	if upTo <= after {
		return out
	}
	for batch, err := range f.log.Tail(f.ctx, after) {
		require.NoError(f, err)
		require.NotEmpty(f, batch, "an empty batch")
		out = append(out, batch...)
		if out[len(out)-1].Position >= upTo {
			return out
		}
	}
	require.Failf(f, "tail ended", "after %d events, before position %d", len(out), upTo)
	return nil
}

// sound reports that a step of a tail brought events; it is for goroutines, which may not end the test.
func sound(t *testing.T, batch []core.Recorded, err error) bool {
	if err == nil && len(batch) == 0 {
		err = errors.New("an empty batch")
	}
	if err != nil {
		t.Errorf("tail: %v", err)
	}
	return err == nil
}

// head returns the last position of the log.
func (f *fixture) head() core.Position {
	f.Helper()
	head, err := f.log.Head(f.ctx)
	require.NoError(f, err)
	return head
}

// last returns the last position of a stream.
func (f *fixture) last(stream core.Stream) core.Position {
	f.Helper()
	last, err := f.log.Last(f.ctx, stream)
	require.NoError(f, err)
	return last
}

// after returns the part of records strictly after a position.
func after(records []core.Recorded, pos core.Position) []core.Recorded {
	i := slices.IndexFunc(records, func(r core.Recorded) bool { return r.Position > pos })
	if i < 0 {
		return nil
	}
	return records[i:]
}

// before returns the part of records strictly before a position.
func before(records []core.Recorded, pos core.Position) []core.Recorded {
	i := slices.IndexFunc(records, func(r core.Recorded) bool { return r.Position >= pos })
	if i < 0 {
		return records
	}
	return records[:i]
}
