package transport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// TestPlacesAreGivenBack: a key has so many places and no more, apart from others', and a place that was left is free.
func TestPlacesAreGivenBack(t *testing.T) {
	p := transport.NewPlaces(2)
	first, ok := p.Enter("a")
	require.True(t, ok)
	_, ok = p.Enter("a")
	require.True(t, ok)
	_, ok = p.Enter("a")
	require.False(t, ok)
	_, ok = p.Enter("b")
	require.True(t, ok)
	first()
	_, ok = p.Enter("a")
	require.True(t, ok)
	_, ok = p.Enter("a")
	require.False(t, ok)

	_, ok = transport.NewPlaces(0).Enter("a")
	require.False(t, ok, "no place is none")
	_, ok = transport.NewPlaces(-1).Enter("a")
	require.True(t, ok)
}
