package edgefront

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCursorsOfIDs(t *testing.T) {
	for _, c := range []cursors{{}, {1, 2}, {1<<32 | 7, 1<<53 - 1}} {
		got := resumed(c.String())
		require.Equal(t, c, cursors{got["messages"], got["events"]})
	}
	for _, id := range []string{"", "m1", "m1.", "m1.e", "m.e1", "1.2", "e1.m1", "m1.e1.", "m+1.e1", "m1.e-1", "m1e1", "m9007199254740992.e1", "m1.e١"} {
		require.Nil(t, resumed(id), "%q", id)
	}
	require.NotNil(t, resumed(" m1.e1 "))
}

// Whatever a client sends as its last id, what is read of it is what an id says again.
func FuzzResumed(f *testing.F) {
	for _, seed := range []string{"m12.e41", "m0.e0", " m1.e2 ", "m007.e1", "e1.m2", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		got := resumed(id)
		if got == nil {
			return
		}
		require.Equal(t, got, resumed(cursors{got["messages"], got["events"]}.String()))
	})
}
