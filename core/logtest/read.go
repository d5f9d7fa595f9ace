package logtest

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// spread is more events than any implementation reads at once.
const spread = 1500

// interleave writes to two streams in turn and returns what the first one holds.
func (f *fixture) interleave(total int) []core.Recorded {
	f.Helper()
	var mine []core.Recorded
	var last, otherLast core.Position
	for v := uint64(1); len(mine) < total; v++ {
		mine = append(mine, f.append("mine", last, uint64(len(mine)+1), min(25, total-len(mine)))...)
		last = mine[len(mine)-1].Position
		other := f.append("other", otherLast, v, 1)
		otherLast = other[0].Position
	}
	return mine
}

// testRead checks forward reading of one stream.
func testRead(t *testing.T, open Open) {
	f := start(t, open)
	mine := f.interleave(spread)
	t.Run("whole", func(t *testing.T) { requireSame(t, mine, f.read("mine", 0)) })
	t.Run("strictly after", func(t *testing.T) {
		for _, i := range []int{0, 25, 255, 256, spread - 1} {
			requireSame(t, mine[i+1:], f.read("mine", mine[i].Position))
			requireSame(t, mine[i:], f.read("mine", mine[i].Position-1))
		}
		require.Empty(t, f.read("mine", 1<<62))
	})
	t.Run("another stream's position", func(t *testing.T) {
		pos := f.read("other", 0)[3].Position
		requireSame(t, after(mine, pos), f.read("mine", pos))
	})
	t.Run("given up early", func(t *testing.T) {
		n := 0
		for _, err := range f.log.Read(f.ctx, "mine", 0) {
			require.NoError(t, err)
			if n++; n == 3 {
				break
			}
		}
		require.Equal(t, 3, n)
	})
	t.Run("a sequence starts from the beginning each time", func(t *testing.T) {
		read, back := f.log.Read(f.ctx, "mine", 0), f.log.ReadBack(f.ctx, "mine", 0)
		for range 2 {
			require.Equal(t, spread, count(t, read))
			require.Equal(t, spread, count(t, back))
		}
	})
	t.Run("reading and writing within a read", func(t *testing.T) {
		last := f.last("other")
		for r, err := range f.log.Read(f.ctx, "other", 0) {
			require.NoError(t, err)
			require.NotEmpty(t, f.read("other", r.Position-1))
			last = f.append("other", last, 1000, 1)[0].Position
			if r.Version == 5 {
				break
			}
		}
	})
}

func count(t *testing.T, seq iter.Seq2[core.Recorded, error]) (n int) {
	for _, err := range seq {
		require.NoError(t, err)
		n++
	}
	return n
}

// testReadBack checks backward reading of one stream.
func testReadBack(t *testing.T, open Open) {
	f := start(t, open)
	mine := f.interleave(spread)
	t.Run("whole", func(t *testing.T) {
		requireSame(t, mine, f.readBack("mine", 0))
		requireSame(t, mine, f.readBack("mine", 1<<62))
	})
	t.Run("strictly before", func(t *testing.T) {
		for _, i := range []int{0, 25, 255, 256, spread - 1} {
			requireSame(t, mine[:i], f.readBack("mine", mine[i].Position))
			requireSame(t, mine[:i+1], f.readBack("mine", mine[i].Position+1))
		}
		require.Empty(t, f.readBack("mine", 1))
	})
	t.Run("newest first", func(t *testing.T) {
		i := len(mine)
		for r, err := range f.log.ReadBack(f.ctx, "mine", 0) {
			require.NoError(t, err)
			i--
			require.Equal(t, mine[i].Position, r.Position)
			if i < spread-40 {
				break
			}
		}
	})
	t.Run("another stream's position", func(t *testing.T) {
		pos := f.read("other", 0)[3].Position
		requireSame(t, before(mine, pos), f.readBack("mine", pos))
	})
}
