package logtest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// testLives checks that a log that was just made is in its first life and stays there.
func testLives(t *testing.T, open Open) {
	f := start(t, open)
	require.Empty(t, f.log.Lives(), "a new log has no earlier life")
	for _, r := range f.fill("s", 20) {
		require.Zero(t, r.Position.Life())
		require.GreaterOrEqual(t, r.Position, core.FirstOf(0))
	}
	require.Empty(t, f.log.Lives())
}

// Replaceable makes a place for a log and returns the function that opens the log there, as [Reopenable] does, and one that
// makes the closed log begin a new life, as putting back a backup does.
type Replaceable func(t *testing.T) (open func() core.Log, replace func())

// RunReplaced checks what a log promises beyond the end of a life.
func RunReplaced(t *testing.T, place Replaceable) {
	t.Run("KeepsEverything", func(t *testing.T) {
		open, replace := place(t)
		testReplaced(t, func(*testing.T) core.Log { return open() }, replace)
	})
	t.Run("Tail", func(t *testing.T) {
		open, replace := place(t)
		testReplacedTail(t, func(*testing.T) core.Log { return open() }, replace)
	})
	t.Run("WithoutEvents", func(t *testing.T) {
		open, replace := place(t)
		testReplacedEmpty(t, func(*testing.T) core.Log { return open() }, replace)
	})
}

// closeAnd closes a log, does something to it and opens it again.
func (f *fixture) closeAnd(t *testing.T, do func(), open Open) *fixture {
	t.Helper()
	require.NoError(t, f.log.Close())
	do()
	return start(t, open)
}

func testReplaced(t *testing.T, open Open, replace func()) {
	f := start(t, open)
	id, mine := f.log.ID(), f.fill("mine", 1200)
	other := f.append("other", 0, 1, 2)
	end := f.head()

	f = f.closeAnd(t, replace, open)
	require.NotEqual(t, id, f.log.ID(), "a replaced log is another one")
	require.Equal(t, []core.Position{end}, f.log.Lives())
	require.Equal(t, end, f.head(), "replacing it writes nothing")
	require.Equal(t, mine[1199].Position, f.last("mine"))
	_, err := f.log.Append(f.ctx, "mine", end, events("mine", 1201, 1))
	require.ErrorIs(t, err, core.ErrConflict)

	mine = append(mine, f.append("mine", mine[1199].Position, 1201, 3)...)
	mine = append(mine, f.append("mine", mine[1202].Position, 1204, 1)...)
	for _, r := range mine[1200:] {
		require.Equal(t, 1, r.Position.Life(), "position %d is not one of the new life", r.Position)
	}
	id = f.log.ID()
	for range 2 {
		requireSame(t, mine, f.read("mine", 0))
		requireSame(t, mine[1200:], f.read("mine", end+1))
		requireSame(t, mine, f.readBack("mine", 0))
		requireSame(t, mine[:1200], f.readBack("mine", core.FirstOf(1)))
		all := append(append(mine[:1200:1200], other...), mine[1200:]...)
		requireSame(t, all, f.tail(0, f.head()))
		for i, r := range all[1190 : len(all)-1] {
			requireSame(t, all[1191+i:], f.tail(r.Position, f.head()))
		}
		require.NoError(t, f.log.Erase(f.ctx, "mine", mine[1200].Position))
		mine = erased(mine, mine[1200].Position)

		f = f.closeAnd(t, func() {}, open)
		require.Equal(t, id, f.log.ID())
		require.Equal(t, []core.Position{end}, f.log.Lives(), "a life begins once")
	}
}

// testReplacedTail runs tails that come to the end of a life before the next one has an event.
func testReplacedTail(t *testing.T, open Open, replace func()) {
	f := start(t, open)
	old := f.fill("s", 5)
	end := f.head()
	f = f.closeAnd(t, replace, open)

	heads := make(chan core.Recorded, 2)
	var wg sync.WaitGroup
	// One past the end is the cursor of somebody who saw what the backup does not have.
	for _, from := range []core.Position{end + 1, core.FirstOf(1) - 1} {
		wg.Go(func() {
			for batch, err := range f.log.Tail(f.ctx, from) {
				if sound(t, batch, err) {
					heads <- batch[0]
				}
				return
			}
		})
	}
	var got, more []core.Recorded
	for batch, err := range f.log.Tail(f.ctx, 0) {
		require.NoError(t, err)
		if got = append(got, batch...); got[len(got)-1].Position == end {
			more = f.append("s", end, 6, 3)
		}
		if got[len(got)-1].Position.Life() > 0 {
			break
		}
	}
	requireSame(t, append(old, more...), got)
	wg.Wait()
	close(heads)
	for r := range heads {
		requireSame(t, more[:1], []core.Recorded{r})
	}
	requireSame(t, more, f.tail(end+1, f.head()))
}

// testReplacedEmpty replaces a log that is empty, and one whose present life is.
func testReplacedEmpty(t *testing.T, open Open, replace func()) {
	f := start(t, open).closeAnd(t, replace, open)
	require.Equal(t, []core.Position{0}, f.log.Lives())
	require.Zero(t, f.head())
	all := f.append("s", 0, 1, 1)
	end := all[0].Position
	require.Equal(t, 1, end.Life())

	f = f.closeAnd(t, replace, open).closeAnd(t, replace, open)
	require.Equal(t, []core.Position{0, end, end}, f.log.Lives())
	all = append(all, f.append("s", end, 2, 1)...)
	require.Equal(t, 3, all[1].Position.Life())
	requireSame(t, all, f.read("s", 0))
	requireSame(t, all, f.tail(0, f.head()))
}
