package conformance

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/tests/conformance/internal/ledger"
	"stele/tests/internal/program"
)

// patience is how long anything may take that should happen at once. Machines are busy.
const patience = 20 * time.Second

var (
	// book is what must be shown, and what was.
	book *ledger.Ledger
	// stele is the program under test.
	stele = program.Program{Path: os.Getenv("STELE_CONFORMANCE_BINARY"), Patience: patience}
)

func TestMain(m *testing.M) {
	os.Exit(ledger.Judge(m, ledger.Suite{
		Parallel: 32,
		Opened:   func(l *ledger.Ledger) { book = l },
		Ended:    closeShared,
	}))
}

// shows says that the test that calls it shows these rows.
func shows(t *testing.T, ids ...string) {
	t.Helper()
	book.Shows(t, ids...)
}

// TestRows checks the tables against the tests as they are written. What only a whole run can tell is checked after it.
func TestRows(t *testing.T) {
	require.Greater(t, book.Len(), 500)
	book.Check(t)
}
