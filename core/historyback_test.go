package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestARoomIsReadBack(t *testing.T) {
	n := newNode(t)
	ada := register(t, n, "ada")
	room := openRoom(t, n, ada)
	for range 300 {
		_, _, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: ada.ID, Text: "x"}, nil)
		require.NoError(t, err)
	}
	for _, tc := range []struct{ before, first uint64 }{{0, 302}, {1, 0}, {2, 1}, {129, 128}, {200, 199}, {302, 301}, {999, 302}} {
		next := tc.first
		for e, err := range n.HistoryOf(room).Before(t.Context(), tc.before) {
			require.NoError(t, err)
			require.Equal(t, next, e.Version, "before %d", tc.before)
			require.NotNil(t, e.Payload)
			next--
		}
		require.Zero(t, next)
	}
}
