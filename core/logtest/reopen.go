package logtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
)

// Reopenable makes a place for a log and returns the function that opens the log there: a new one the first time, the
// same one again each time after it was closed.
type Reopenable func(t *testing.T) (open func() core.Log)

// RunReopen checks what a log promises that outlives its closing.
func RunReopen(t *testing.T, place Reopenable) {
	t.Run("KeepsEverything", func(t *testing.T) {
		open := place(t)
		f := start(t, func(*testing.T) core.Log { return open() })
		id, lives := f.log.ID(), f.log.Lives()
		mine := f.fill("mine", 1200)
		other := f.append("other", 0, 1, 2)
		require.NoError(t, f.log.Erase(f.ctx, "mine", mine[100].Position))
		mine = erased(mine, mine[100].Position)
		require.NoError(t, f.log.Close())

		f = start(t, func(*testing.T) core.Log { return open() })
		require.Equal(t, id, f.log.ID(), "the identity is that of the log, not of its opening")
		require.Equal(t, lives, f.log.Lives(), "opening a log begins no new life")
		require.Equal(t, other[1].Position, f.head())
		require.Equal(t, mine[1199].Position, f.last("mine"))
		requireSame(t, mine, f.read("mine", 0))
		requireSame(t, mine, f.readBack("mine", 0))
		requireSame(t, append(mine[50:], other...), f.tail(mine[49].Position, f.head()))

		_, err := f.log.Append(f.ctx, "mine", 0, events("mine", 1, 1))
		require.ErrorIs(t, err, core.ErrConflict)
		more := f.append("mine", mine[1199].Position, 1201, 1)
		require.Greater(t, more[0].Position, other[1].Position, "positions rise over openings")
	})
	t.Run("Model", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			open := place(t)
			m := newModel(open())
			defer func() { _ = m.log.Close() }()
			actions := m.actions()
			actions["reopen"] = func(r *rapid.T) {
				id, lives := m.log.ID(), m.log.Lives()
				require.NoError(r, m.log.Close())
				m.log = open()
				require.Equal(r, id, m.log.ID())
				require.Equal(r, lives, m.log.Lives())
			}
			r.Repeat(actions)
		})
	})
	t.Run("ClosedTailsDoNotHoldIt", func(t *testing.T) {
		open := place(t)
		f := start(t, func(*testing.T) core.Log { return open() })
		f.fill("s", 5)
		for range f.log.Tail(f.ctx, 0) {
			require.NoError(t, f.log.Close(), "a log can be closed from within a tail")
			break
		}
		f = start(t, func(*testing.T) core.Log { return open() })
		ctx, cancel := context.WithCancel(f.ctx)
		cancel()
		for range f.log.Tail(ctx, 0) {
			t.Fatal("a tail without a context yielded")
		}
		require.Len(t, f.read("s", 0), 5)
	})
}
