package core_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestStandingSaysWhatIsWrong(t *testing.T) {
	log := &fullLog{Log: memlog.New()}
	n, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	require.Equal(t, core.Standing{}, n.Standing())

	say := func() error {
		_, _, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: alice.ID, Text: "x"}, nil)
		return err
	}
	log.full.Store(true)
	require.ErrorIs(t, say(), core.ErrFull)
	require.ErrorIs(t, n.Standing().Refusing, core.ErrFull)
	log.full.Store(false)
	require.NoError(t, say())
	require.Equal(t, core.Standing{}, n.Standing())

	require.NoError(t, n.Close(context.Background()))
	require.Equal(t, core.Standing{Draining: true}, n.Standing(), "an end in order is not a failure")
}
