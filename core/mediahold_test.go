package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/mediadir"
	"stele/core/memlog"
)

// TestHeldMediaOutlivesTheHousekeeping: content of an import that takes longer than an upload may is not taken for left over.
func TestHeldMediaOutlivesTheHousekeeping(t *testing.T) {
	now := newClock()
	store, err := mediadir.Open(t.TempDir(), mediadir.Options{Now: now.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, Media: store, SweepEvery: time.Millisecond})
	there := func(m core.Media) bool {
		f, _, err := store.Open(t.Context(), m.ID)
		if err != nil {
			require.ErrorIs(t, err, core.ErrNoMedia)
			return false
		}
		require.NoError(t, f.Close())
		return true
	}
	// The housekeeping goes by age: when a younger one is gone, it has been at all older ones.
	swept := func() {
		left, err := n.PutMedia(t.Context(), strings.NewReader("left over"))
		require.NoError(t, err)
		now.Advance(2 * time.Hour)
		require.Eventually(t, func() bool { return !there(left) }, patience, time.Millisecond)
	}
	hold := n.HoldMedia()
	used, err := hold.PutMedia(t.Context(), strings.NewReader("used"))
	require.NoError(t, err)
	dropped, err := hold.PutMedia(t.Context(), strings.NewReader("not used"))
	require.NoError(t, err)
	swept()
	require.True(t, there(used))
	require.True(t, there(dropped))

	events := saidAt(now.Now().Add(-time.Hour), "see this")
	events[2].Payload.(*core.MessagePostedEvent).Media = []string{"there"}
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: events, Media: map[string]core.Media{"there": used}})
	require.NoError(t, err)
	hold.Release()
	swept()
	require.Eventually(t, func() bool { return !there(dropped) }, patience, time.Millisecond)
	require.True(t, there(used), "a message has it")
}
