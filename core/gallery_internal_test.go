package core

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestViewersAreBounded: so many people join a room's viewers and no more, those that left included.
func TestViewersAreBounded(t *testing.T) {
	g, rec := &Gallery{}, &Recorded{}
	for i := range MaxViewers {
		events, _, err := joinViewers{hash: fmt.Sprint(i)}.decide(g, Env{})
		require.NoError(t, err)
		rec.Version, rec.Payload = uint64(i+1), events[0]
		g.Apply(rec)
	}
	for range 2 {
		_, _, err := joinViewers{hash: "one more"}.decide(g, Env{})
		var refused *InvalidError
		require.ErrorAs(t, err, &refused)
		require.Contains(t, refused.Reason, fmt.Sprint(MaxViewers))
		events, _, err := leaveViewers{hash: "7"}.decide(g, Env{})
		require.NoError(t, err)
		for _, e := range events {
			g.Apply(&Recorded{Event: Event{Payload: e}})
		}
	}
	require.True(t, g.Viewers["7"].Left)
	_, _, err := leaveViewers{hash: "unknown"}.decide(g, Env{})
	require.ErrorIs(t, err, ErrNoViewer)
}
