package logtest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// testConflict checks the losing side of the compare-and-swap.
func testConflict(t *testing.T, open Open) {
	f := start(t, open)
	mine := f.append("mine", 0, 1, 2)
	other := f.append("other", 0, 1, 1)
	last := mine[1].Position

	for name, c := range map[string]struct {
		stream         core.Stream
		expected, last core.Position
	}{
		"behind":                  {"mine", mine[0].Position, last},
		"empty":                   {"mine", 0, last},
		"ahead":                   {"mine", last + 1, last},
		"another stream's":        {"mine", other[0].Position, last},
		"not empty after all":     {"unwritten", last, 0},
		"far ahead of everything": {"mine", 1 << 62, last},
	} {
		t.Run(name, func(t *testing.T) {
			head := f.head()
			_, err := f.log.Append(f.ctx, c.stream, c.expected, events(c.stream, 3, 2))
			require.ErrorIs(t, err, core.ErrConflict)
			var conflict *core.ConflictError
			require.ErrorAs(t, err, &conflict)
			require.Equal(t, core.ConflictError{Stream: c.stream, Expected: c.expected, Last: c.last}, *conflict)
			require.Equal(t, head, f.head(), "a conflict moved the head")
			require.Equal(t, c.last, f.last(c.stream))
		})
	}

	requireSame(t, mine, f.read("mine", 0))
	more := f.append("mine", last, 3, 1)
	requireSame(t, append(mine, more...), f.read("mine", 0))
	requireSame(t, []core.Recorded{mine[0], mine[1], other[0], more[0]}, f.tail(0, f.head()))
}

// testRace lets many appenders expect the same position again and again: each swap has one winner, and nobody ever sees
// what a loser tried.
func testRace(t *testing.T, open Open) {
	const appenders, rounds = 8, 50
	f := start(t, open)
	won := make([]int, appenders)
	var wg sync.WaitGroup
	for a := range appenders {
		wg.Go(func() {
			for {
				last, err := f.log.Last(f.ctx, "contested")
				if err != nil || last != 0 && won[a] == rounds {
					return
				}
				unit := events("contested", uint64(a+1), 2)
				switch _, err := f.log.Append(f.ctx, "contested", last, unit); {
				case err == nil:
					won[a]++
				case !isConflict(err):
					t.Errorf("appender %d: %v", a, err)
					return
				}
			}
		})
	}
	wg.Wait()

	got := f.read("contested", 0)
	require.Len(t, got, 2*appenders*rounds, "every win leaves its two events and nothing else does")
	counts := make(map[uint64]int)
	for i := 0; i < len(got); i += 2 {
		require.Equal(t, got[i].Version+1, got[i+1].Version, "unit at %d is torn", got[i].Position)
		counts[got[i].Version]++
	}
	for a := range appenders {
		require.Equal(t, rounds, counts[uint64(a+1)], "wins of appender %d", a)
	}
	requireSame(t, f.tail(0, f.head()), got)

	t.Run("one winner", func(t *testing.T) {
		for round := range 20 {
			stream := core.RoomStream(fmt.Sprint(round))
			winners := simultaneously(f, stream, appenders)
			require.Equal(t, 1, winners, "of %d appenders to an empty stream", appenders)
			require.Len(t, f.read(stream, 0), 1)
		}
	})
}

// simultaneously lets appenders loose on an empty stream at one moment and counts those that were accepted.
func simultaneously(f *fixture, stream core.Stream, appenders int) int {
	var wg sync.WaitGroup
	results := make(chan error, appenders)
	gun := make(chan struct{})
	for range appenders {
		wg.Go(func() {
			<-gun
			_, err := f.log.Append(f.ctx, stream, 0, events(stream, 1, 1))
			results <- err
		})
	}
	close(gun)
	wg.Wait()
	close(results)
	winners := 0
	for err := range results {
		switch {
		case err == nil:
			winners++
		case !isConflict(err):
			f.Errorf("append to %s: %v", stream, err)
		}
	}
	return winners
}
