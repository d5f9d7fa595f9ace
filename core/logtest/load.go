package logtest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// Dimensions of the load that the tails are checked under.
const (
	loadAppenders = 6
	loadAppends   = 120
	loadTails     = 8
)

// follower is one tail under load: where it began and what it saw.
type follower struct {
	after core.Position
	got   []core.Recorded
}

// testTailUnderLoad starts tails at random moments, from random positions, while many appends run, some of which must
// fail. Every tail must see every accepted event after its position once, in order, and none of the refused ones.
func testTailUnderLoad(t *testing.T, open Open) {
	f := start(t, open)
	truth := &ledger{progress: make(chan struct{}, loadAppenders*loadAppends)}
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()

	var appenders, tails sync.WaitGroup
	for a := range loadAppenders {
		appenders.Go(func() { truth.load(t, f, core.RoomStream(fmt.Sprint(a))) })
	}
	followers := make([]follower, loadTails)
	for i := range followers {
		for range rand.IntN(loadAppenders * loadAppends / loadTails) {
			<-truth.progress
		}
		head := f.head()
		followers[i].after = core.Position(rand.Uint64N(uint64(head) + 1))
		tails.Go(func() { followers[i].follow(ctx, t, f.log) })
	}
	appenders.Wait()
	truth.add(f.append("end", 0, 1, 1))
	tails.Wait()

	want := truth.sorted()
	require.Equal(t, want[len(want)-1].Position, f.head())
	for _, fo := range followers {
		requireSame(t, after(want, fo.after), fo.got)
	}
}

// follow reads until the event that ends the test.
func (fo *follower) follow(ctx context.Context, t *testing.T, log core.Log) {
	for batch, err := range log.Tail(ctx, fo.after) {
		if !sound(t, batch, err) {
			return
		}
		fo.got = append(fo.got, batch...)
		if batch[len(batch)-1].Stream == "end" {
			return
		}
	}
	t.Error("the tail ended before the test did")
}

// ledger notes what was accepted.
type ledger struct {
	mu       sync.Mutex
	accepted []core.Recorded
	progress chan struct{}
}

func (l *ledger) add(records []core.Recorded) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, records...)
}

func (l *ledger) sorted() []core.Recorded {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortFunc(l.accepted, func(a, b core.Recorded) int { return cmp.Compare(a.Position, b.Position) })
	return l.accepted
}

// load appends units to one stream; before every fifth it tries one that must be refused.
func (l *ledger) load(t *testing.T, f *fixture, stream core.Stream) {
	var last core.Position
	version := uint64(1)
	for i := range loadAppends {
		if i%5 == 4 {
			if _, err := f.log.Append(f.ctx, stream, last-1, events(stream, 1<<40, 2)); !isConflict(err) {
				t.Errorf("append that must be refused: %v", err)
			}
		}
		given := events(stream, version, 1+i%3)
		positions, err := f.log.Append(f.ctx, stream, last, given)
		if err != nil {
			t.Errorf("append to %s: %v", stream, err)
			return
		}
		records := make([]core.Recorded, len(given))
		for i, e := range given {
			records[i] = core.Recorded{Event: e, Position: positions[i], Stream: stream}
		}
		l.add(records)
		last = positions[len(positions)-1]
		version += uint64(len(given))
		l.progress <- struct{}{}
	}
}
