package logtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// testErase checks what Erase takes and what it leaves.
func testErase(t *testing.T, open Open) {
	f := start(t, open)
	mine := f.fill("mine", 1200)
	other := f.append("other", 0, 1, 3)
	check := func(t *testing.T, want []core.Recorded) {
		t.Helper()
		for _, got := range [][]core.Recorded{f.read("mine", 0), f.readBack("mine", 0), f.tail(0, mine[1199].Position)} {
			if len(got) > len(want) {
				got = got[:len(want)] // the tail may run into the other stream
			}
			requireSame(t, want, got)
			for _, r := range got {
				if r.Erased && r.Payload != nil {
					t.Fatalf("the decoded form of erased event %d is still handed out", r.Position)
				}
			}
		}
		require.Equal(t, mine[1199].Position, f.last("mine"))
		requireSame(t, other, f.read("other", 0))
	}

	erase := func(t *testing.T, stream core.Stream, upTo core.Position) {
		t.Helper()
		require.NoError(t, f.log.Erase(f.ctx, stream, upTo))
	}
	t.Run("nothing", func(t *testing.T) {
		erase(t, "mine", 0)
		erase(t, "unwritten", 1<<62)
		check(t, mine)
	})
	t.Run("up to and including", func(t *testing.T) {
		erase(t, "mine", mine[600].Position)
		check(t, erased(mine, mine[600].Position))
		require.True(t, f.read("mine", mine[599].Position)[0].Erased)
		require.False(t, f.read("mine", mine[600].Position)[0].Erased)
	})
	t.Run("again, and less", func(t *testing.T) {
		erase(t, "mine", mine[600].Position)
		erase(t, "mine", mine[10].Position)
		check(t, erased(mine, mine[600].Position))
	})
	t.Run("everything, and then on", func(t *testing.T) {
		erase(t, "mine", 1<<62)
		check(t, erased(mine, 1<<62))
		more := f.append("mine", f.last("mine"), 1201, 2)
		requireSame(t, more, f.read("mine", mine[1199].Position))
		erase(t, "mine", more[1].Position)
		requireSame(t, erased(more, 1<<62), f.read("mine", mine[1199].Position))
	})
}
