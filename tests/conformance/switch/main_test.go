package conformance

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// patience is how long anything may take that should happen at once. Machines are busy.
const patience = 20 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	// Most of the time of most tests is waiting, for leases above all, so there may be many at once.
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("32")
	}
	code := m.Run()
	code = max(code, closeShared())
	if whole() && outside() == "" && !*update {
		for _, problem := range mismatches() {
			fmt.Fprintln(os.Stderr, problem)
			code = 1
		}
	}
	if *update {
		if err := fillIn(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
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
