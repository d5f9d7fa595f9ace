package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// shows says that the test that calls it shows these rows.
func shows(t *testing.T, ids ...string) {
	t.Helper()
	book.Shows(t, ids...)
}

// TestRows checks the tables against the tests as they are written. What only a whole run can tell is checked after it.
func TestRows(t *testing.T) {
	require.Greater(t, book.Len(), 700)
	book.Check(t)
}
