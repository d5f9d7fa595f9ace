package conformance

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"stele/tests/conformance/internal/ledger"
)

// patience is how long anything may take that should happen at once. Machines are busy.
const patience = 20 * time.Second

var update = flag.Bool("update", false, "fill in the names of the tests in testdata/rows")

// book is what must be shown, and what was.
var book *ledger.Ledger

func TestMain(m *testing.M) { os.Exit(judge(m)) }

func judge(m *testing.M) int {
	flag.Parse()
	// Most of the time of most tests is waiting, for leases above all, so there may be many at once.
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("32")
	}
	var err error
	if book, err = ledger.Open("testdata/rows", *update); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := max(m.Run(), closeShared())
	if whole() && outside() == "" && !*update {
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

// outside is the base URL of the server to judge, "" for this project's own.
func outside() string { return strings.TrimRight(os.Getenv("STELE_CONFORMANCE_URL"), "/") }
