package ledger

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "fill in the names of the tests in testdata/rows")

// Suite is what a conformance suite tells of itself.
type Suite struct {
	// Parallel is how many tests run at once when -test.parallel does not say. Most of the time of most tests is waiting, so
	// there may be more than there are processors.
	Parallel int
	// Opened gets the book before the first test.
	Opened func(*Ledger)
	// Ended is called after the last test. It returns the exit code, 0 when all ended well.
	Ended func() int
	// Elsewhere tells that the server under test is somebody else's, on which some rows can not be shown.
	Elsewhere bool
}

// Judge runs the tests of a suite with the rows in testdata/rows and returns the exit code for its TestMain. When all tests
// ran, a row that was shown by other tests than those it names fails the suite. With -update the names are written instead.
func Judge(m *testing.M, s Suite) int {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(fmt.Sprint(s.Parallel))
	}
	book, err := Open("testdata/rows", *update)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s.Opened(book)
	code := max(m.Run(), s.Ended())
	if *update {
		if err := book.FillIn(whole()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		return code
	}
	if whole() && !s.Elsewhere {
		for _, problem := range book.Mismatches() {
			fmt.Fprintln(os.Stderr, problem)
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
