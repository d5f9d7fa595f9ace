package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestForgetWhileLoading: a piece of history that was being read when its room was erased is given to who asked for it and
// kept for nobody, nor counted.
func TestForgetWhileLoading(t *testing.T) {
	c := newBlocks()
	key := blockKey{stream: RoomStream("room_1")}
	entry := &Entry{Recorded: Recorded{Event: Event{Content: []byte("said")}}}
	load := func(entries ...*Entry) func() ([]*Entry, error) {
		return func() ([]*Entry, error) { return entries, nil }
	}
	got, err := c.get(key, func() ([]*Entry, error) {
		c.forget(key.stream)
		return []*Entry{entry}, nil
	})
	require.NoError(t, err)
	require.Equal(t, []*Entry{entry}, got)
	require.Zero(t, c.bytes)
	require.Empty(t, c.byKey)

	got, err = c.get(key, load())
	require.NoError(t, err)
	require.Empty(t, got, "it is read anew")
	other := blockKey{stream: RoomStream("room_2")}
	_, err = c.get(other, load(entry))
	require.NoError(t, err)
	c.forget(key.stream)
	require.Equal(t, costOf(entry), c.bytes, "the others stay")
	c.forget(other.stream)
	require.Zero(t, c.bytes)
	require.Zero(t, c.order.Len())
}
