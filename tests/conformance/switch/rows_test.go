package conformance

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "fill in the names of the tests in testdata/rows")

// row is one rule of the protocol.
type row struct {
	id, text string
	// tests are the full names of the tests that show it, sorted.
	tests []string
}

// ledger collects which tests show which rows.
var ledger struct {
	once  sync.Once
	rows  map[string]row
	err   error
	mu    sync.Mutex
	shown map[string][]string
}

// rows reads the tables, once.
func rows() (map[string]row, error) {
	ledger.once.Do(func() {
		ledger.rows, ledger.shown = map[string]row{}, map[string][]string{}
		ledger.err = eachRow(func(_ string, r row) error {
			if _, twice := ledger.rows[r.id]; twice {
				return fmt.Errorf("row %s is there twice", r.id)
			}
			ledger.rows[r.id] = r
			return nil
		})
	})
	return ledger.rows, ledger.err
}

func rowFiles() ([]string, error) { return filepath.Glob(filepath.Join("testdata", "rows", "*.tsv")) }

// eachRow calls visit for each line of each table, in order.
func eachRow(visit func(file string, r row) error) error {
	files, err := rowFiles()
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(fields) < 2 || len(fields) > 3 || fields[0] == "" || fields[1] == "" {
				return fmt.Errorf("%s: %q is not id, text and tests", file, line)
			}
			r := row{id: fields[0], text: fields[1]}
			if len(fields) == 3 {
				r.tests = strings.Fields(fields[2])
			}
			if err := visit(file, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// shows says that the test that calls it shows these rows.
func shows(t *testing.T, ids ...string) {
	t.Helper()
	all, err := rows()
	require.NoError(t, err)
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	for _, id := range ids {
		r, known := all[id]
		switch {
		case !known:
			t.Errorf("there is no row %s", id)
		case !*update && !slices.Contains(r.tests, t.Name()):
			t.Errorf("row %s does not name %s", id, t.Name())
		}
		if !slices.Contains(ledger.shown[id], t.Name()) {
			ledger.shown[id] = append(ledger.shown[id], t.Name())
		}
	}
}

// fillIn writes the names of the tests that have run into the tables; after a whole run, no others.
func fillIn() error {
	whole := whole()
	texts := map[string]*strings.Builder{}
	err := eachRow(func(file string, r row) error {
		if texts[file] == nil {
			texts[file] = &strings.Builder{}
		}
		tests := ledger.shown[r.id]
		if !whole {
			tests = slices.Concat(tests, r.tests)
		}
		slices.Sort(tests)
		_, err := fmt.Fprintf(texts[file], "%s\t%s\t%s\n", r.id, r.text, strings.Join(slices.Compact(tests), " "))
		return err
	})
	if err != nil {
		return err
	}
	for file, text := range texts {
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// mismatches lists, after everything has run, the rows that name a test that did not show them, or none.
func mismatches() []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(ledger.rows)) {
		r := ledger.rows[id]
		if len(r.tests) == 0 {
			out = append(out, fmt.Sprintf("row %s has no test", id))
		}
		for _, name := range r.tests {
			if !slices.Contains(ledger.shown[id], name) {
				out = append(out, fmt.Sprintf("row %s names %s, which does not exist or does not show it", id, name))
			}
		}
	}
	return out
}

// topLevelTests lists the test functions of this package.
func topLevelTests(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	out := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
				out[f.Name.Name] = true
			}
		}
	}
	return out
}

// TestRows checks the tables against the tests as they are written. What only a whole run can tell is checked after it.
func TestRows(t *testing.T) {
	all, err := rows()
	require.NoError(t, err)
	require.Greater(t, len(all), 700)
	functions := topLevelTests(t)
	named := map[string]bool{"TestRows": true}
	for _, r := range all {
		if !*update && len(r.tests) == 0 {
			t.Errorf("row %s has no test", r.id)
		}
		for _, name := range r.tests {
			top, _, _ := strings.Cut(name, "/")
			named[top] = true
			if !functions[top] {
				t.Errorf("row %s names %s, which does not exist", r.id, name)
			}
		}
	}
	for name := range functions {
		if !*update && !named[name] {
			t.Errorf("no row names %s", name)
		}
	}
}
