package logtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// RunPeers checks [core.Peers] between two nodes. pair returns the two ends, for each test anew.
func RunPeers(t *testing.T, pair func(t *testing.T) (a, b core.Peers)) {
	echo := func(prefix string) core.PeerHandler {
		return func(_ context.Context, request []byte) []byte { return append([]byte(prefix), request...) }
	}
	ask := func(t *testing.T, p core.Peers, node, want string) {
		t.Helper()
		answer, err := p.Request(t.Context(), node, []byte("?"))
		require.NoError(t, err)
		require.Equal(t, want, string(answer))
	}
	t.Run("each reaches each", func(t *testing.T) {
		a, b := pair(t)
		defer a.Join("a", echo("from a "))()
		defer b.Join("b", echo("from b "))()
		ask(t, a, "b", "from b ?")
		ask(t, b, "a", "from a ?")
		ask(t, a, "a", "from a ?")
	})
	t.Run("nobody there", func(t *testing.T) {
		a, b := pair(t)
		_, err := a.Request(t.Context(), "b", nil)
		require.ErrorIs(t, err, core.ErrNoPeer)
		leave := b.Join("b", echo(""))
		ask(t, a, "b", "?")
		leave()
		_, err = a.Request(t.Context(), "b", nil)
		require.ErrorIs(t, err, core.ErrNoPeer)
	})
	t.Run("a node that came back is not sent away by its former life", func(t *testing.T) {
		a, b := pair(t)
		leave := a.Join("n", echo("first "))
		defer b.Join("n", echo("second "))()
		leave()
		ask(t, a, "n", "second ?")
	})
	t.Run("context", func(t *testing.T) {
		a, b := pair(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer b.Join("b", func(context.Context, []byte) []byte { cancel(); return nil })()
		_, err := a.Request(ctx, "b", nil)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("bytes are not shared", func(t *testing.T) {
		a, b := pair(t)
		kept := []byte("answer")
		defer b.Join("b", func(_ context.Context, request []byte) []byte { clear(request); return kept })()
		request := []byte("request")
		answer, err := a.Request(t.Context(), "b", request)
		require.NoError(t, err)
		clear(answer)
		require.Equal(t, "request", string(request))
		require.Equal(t, "answer", string(kept))
	})
}
