package conformance

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/tests/conformance/internal/ledger"
	"stele/tests/internal/program"
)

// patience is how long anything may take that should happen at once. Machines are busy.
const patience = 20 * time.Second

var update = flag.Bool("update", false, "fill in the names of the tests in testdata/rows")

var (
	// book is what must be shown, and what was.
	book *ledger.Ledger
	// stele is the program under test.
	stele = program.Program{Path: os.Getenv("STELE_CONFORMANCE_BINARY"), Patience: patience}
)

func TestMain(m *testing.M) { os.Exit(judge(m)) }

func judge(m *testing.M) int {
	flag.Parse()
	// Most of the time of most tests is waiting, so there may be many at once.
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("32")
	}
	var err error
	if book, err = ledger.Open("testdata/rows", *update); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := max(m.Run(), closeShared())
	if whole() && !*update {
		for _, problem := range book.Mismatches() {
			fmt.Fprintln(os.Stderr, problem)
			code = 1
		}
	}
	if *update {
		if err := book.FillIn(whole()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

// whole tells that every test ran.
func whole() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return !testing.Short()
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
