package memlog_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/core"
	"stele/core/logtest"
	"stele/core/memlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLog(t *testing.T) {
	logtest.Run(t, func(*testing.T) core.Log { return memlog.New() })
}

func TestReopen(t *testing.T) {
	logtest.RunReopen(t, func(*testing.T) func() core.Log {
		store := memlog.NewStore(memlog.Options{})
		return func() core.Log { return store.Open() }
	})
}

func TestReopenWithoutPayload(t *testing.T) {
	logtest.RunReopen(t, func(*testing.T) func() core.Log {
		store := memlog.NewStore(memlog.Options{DropPayload: true})
		return func() core.Log { return store.Open() }
	})
}

func TestPeers(t *testing.T) {
	logtest.RunPeers(t, func(*testing.T) (a, b core.Peers) {
		store := memlog.NewStore(memlog.Options{})
		return store.Open(), store.Open()
	})
}

func TestSnapshots(t *testing.T) {
	logtest.RunSnapshots(t, func(*testing.T) core.Snapshots { return memlog.NewSnapshots() })
}

// Two logs on one store are two nodes: each sees what the other writes, one swap has one winner, and closing one leaves
// the other as it was.
func TestTwoNodes(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	east, west := store.Open(), store.Open()
	require.Equal(t, east.ID(), west.ID())

	positions, err := east.Append(t.Context(), "s", 0, []core.Event{message(1)})
	require.NoError(t, err)
	_, err = west.Append(t.Context(), "s", 0, []core.Event{message(1)})
	require.ErrorIs(t, err, core.ErrConflict)
	for batch, err := range west.Tail(t.Context(), 0) {
		require.NoError(t, err)
		require.Equal(t, positions[0], batch[0].Position)
		break
	}

	defer west.Join("west", func(context.Context, []byte) []byte { return []byte("here") })()
	east.Join("east", func(context.Context, []byte) []byte { return nil })
	answer, err := east.Request(t.Context(), "west", nil)
	require.NoError(t, err)
	require.Equal(t, "here", string(answer))

	require.NoError(t, east.Close())
	_, err = west.Request(t.Context(), "east", nil)
	require.ErrorIs(t, err, core.ErrNoPeer, "a closed node is not there any more")
	_, err = east.Request(t.Context(), "west", nil)
	require.ErrorIs(t, err, core.ErrClosed)
	_, err = west.Append(t.Context(), "s", positions[0], []core.Event{message(2)})
	require.NoError(t, err)

	back := store.Open()
	head, err := back.Head(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, head)
}

func TestDropPayload(t *testing.T) {
	l := memlog.NewStore(memlog.Options{DropPayload: true}).Open()
	e := message(1)
	e.Payload = "decoded"
	_, err := l.Append(t.Context(), "s", 0, []core.Event{e})
	require.NoError(t, err)
	for r, err := range l.Read(t.Context(), "s", 0) {
		require.NoError(t, err)
		require.Nil(t, r.Payload)
	}
	for batch, err := range l.Tail(t.Context(), 0) {
		require.NoError(t, err)
		require.Nil(t, batch[0].Payload)
		break
	}
}
