package core_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"stele/core"
	"stele/core/memlog"
)

// fullLog has no room while it is told so.
type fullLog struct {
	core.Log
	full atomic.Bool
}

func (l *fullLog) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	if l.full.Load() {
		return nil, core.ErrFull
	}
	return l.Log.Append(ctx, s, last, e)
}

func TestFullDiskRefusesWritesAndGoesOnReading(t *testing.T) {
	log := &fullLog{Log: memlog.New()}
	logger, seen := observer.New(zap.InfoLevel)
	n := openNode(t, log, core.Options{Logger: zap.New(logger)})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	post(t, n, room, alice, "m0")
	head := n.Applied()

	log.full.Store(true)
	for range 3 {
		_, _, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "lost"}, nil)
		require.ErrorIs(t, err, core.ErrFull)
	}
	require.True(t, n.Refusing())
	require.Equal(t, head, n.Applied())
	r := n.NewAgentReader(bob.ID, 0)
	defer r.Close()
	require.Equal(t, []string{"m0"}, texts(take(t, r, 1)))
	require.Len(t, seen.FilterMessageSnippet("takes no writes").All(), 1, "said once, not per refusal")

	log.full.Store(false)
	require.Equal(t, 1, post(t, n, room, alice, "m1").Turn)
	require.False(t, n.Refusing())
	require.Equal(t, []string{"m1"}, texts(take(t, r, 1)))
	require.Len(t, seen.FilterMessageSnippet("takes writes again").All(), 1)
}
