package logtest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// testTail checks one tail at a time.
func testTail(t *testing.T, open Open) {
	t.Run("history, strictly after", func(t *testing.T) {
		f := start(t, open)
		all := f.fill("s", spread)
		for _, i := range []int{0, 255, 256, 1000, spread - 2} {
			requireSame(t, all[i+1:], f.tail(all[i].Position, f.head()))
			requireSame(t, all[i:], f.tail(all[i].Position-1, f.head()))
		}
		requireSame(t, all, f.tail(0, f.head()))
	})
	t.Run("from history into live", func(t *testing.T) {
		f := start(t, open)
		all := f.fill("s", 10)
		var got []core.Recorded
		for batch, err := range f.log.Tail(f.ctx, all[2].Position) {
			require.NoError(t, err)
			got = append(got, batch...)
			last := all[len(all)-1]
			if got[len(got)-1].Position != last.Position {
				continue
			}
			if len(all) >= 40 {
				break
			}
			all = append(all, f.append("s", last.Position, last.Version+1, 3)...)
		}
		requireSame(t, all[3:], got)
	})
	t.Run("live events come in whole units with their payload", func(t *testing.T) { testLive(t, open) })
	t.Run("from ahead of the head", func(t *testing.T) {
		f := start(t, open)
		all := f.fill("s", 4)
		ahead := f.head() + 3
		got := make(chan core.Recorded, 1)
		var wg sync.WaitGroup
		wg.Go(func() {
			defer close(got)
			for batch, err := range f.log.Tail(f.ctx, ahead) {
				if sound(t, batch, err) {
					got <- batch[0]
				}
				return
			}
		})
		last := all[3]
		for f.head() <= ahead {
			last = f.append("s", last.Position, last.Version+1, 1)[0]
		}
		require.Equal(t, last.Position, (<-got).Position)
		wg.Wait()
	})
	t.Run("a reader that stands still delays nobody", func(t *testing.T) { testStandingTail(t, open) })
}

// testLive runs a tail in step with the appenders, so that everything it sees is live.
func testLive(t *testing.T, open Open) {
	const rounds, appenders, size = 30, 4, 3
	f := start(t, open)
	first := f.append("first", 0, 1, 1)
	ctx, cancel := context.WithCancel(f.ctx)
	seen := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(seen)
		for batch, err := range f.log.Tail(ctx, first[0].Position-1) {
			if !sound(t, batch, err) {
				return
			}
			if batch[0].Stream != "first" {
				checkWhole(t, batch, size)
			}
			seen <- len(batch)
		}
	})
	await := func(n int) {
		for n > 0 {
			k, ok := <-seen
			require.True(t, ok, "the tail ended")
			n -= k
		}
		require.Zero(t, n, "the tail saw more than was written")
	}
	await(1)
	lasts := make([]core.Position, appenders)
	for round := range rounds {
		var unit sync.WaitGroup
		for a := range appenders {
			stream := core.RoomStream(fmt.Sprint(a))
			unit.Go(func() {
				positions, err := f.log.Append(f.ctx, stream, lasts[a], events(stream, uint64(size*round+1), size))
				if err != nil {
					t.Errorf("append: %v", err)
					return
				}
				lasts[a] = positions[size-1]
			})
		}
		await(appenders * size)
		unit.Wait()
	}
	cancel()
	wg.Wait()
}

// checkWhole checks that a batch consists of whole units and carries what the appender gave.
func checkWhole(t *testing.T, batch []core.Recorded, size int) {
	for i, r := range batch {
		p, ok := r.Payload.(*payload)
		if !ok || *p != (payload{r.Stream, r.Version}) {
			t.Errorf("live event %d came with payload %v", r.Position, r.Payload)
		}
		if k := int(r.Version-1) % size; k != i%size || batch[i-k].Stream != r.Stream {
			t.Errorf("live batch of %d splits the unit at position %d", len(batch), r.Position)
		}
	}
	if len(batch)%size != 0 {
		t.Errorf("live batch of %d events does not hold whole units of %d", len(batch), size)
	}
}

// testStandingTail holds a tail inside its first batch while more is written than anybody would keep for it.
func testStandingTail(t *testing.T, open Open) {
	f := start(t, open)
	all := f.append("s", 0, 1, 1)
	standing, goOn := make(chan struct{}), make(chan struct{})
	result := make(chan []core.Recorded, 1)
	stand := sync.OnceFunc(func() { close(standing) })
	var target core.Position // written before goOn is closed
	var wg sync.WaitGroup
	wg.Go(func() {
		var got []core.Recorded
		defer func() { stand(); result <- got }()
		for batch, err := range f.log.Tail(f.ctx, 0) {
			if !sound(t, batch, err) {
				return
			}
			if got == nil {
				stand()
				<-goOn
			}
			got = append(got, batch...)
			if got[len(got)-1].Position >= target {
				return
			}
		}
	})
	<-standing
	for range 20 {
		last := all[len(all)-1]
		all = append(all, f.append("s", last.Position, last.Version+1, 1000)...)
	}
	target = f.head()
	close(goOn)
	wg.Wait()
	requireSame(t, all, <-result)
}
