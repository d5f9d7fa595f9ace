package conformance

import (
	"os"
	"strings"
	"testing"
	"time"

	"stele/tests/conformance/internal/ledger"
)

// patience is how long anything may take that should happen at once. Machines are busy.
const patience = 20 * time.Second

// book is what must be shown, and what was.
var book *ledger.Ledger

func TestMain(m *testing.M) {
	os.Exit(ledger.Judge(m, ledger.Suite{
		Parallel:  32,
		Opened:    func(l *ledger.Ledger) { book = l },
		Ended:     closeShared,
		Elsewhere: outside() != "",
	}))
}

// outside is the base URL of the server to judge, "" for this project's own.
func outside() string { return strings.TrimRight(os.Getenv("STELE_CONFORMANCE_URL"), "/") }
