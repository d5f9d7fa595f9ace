package ledger

import (
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
)

// Row is one rule of a protocol.
type Row struct {
	ID, Text string
	// Tests are the full names of the tests that show it.
	Tests []string
}

// Ledger is the tables of one suite and what its tests have shown so far. It is safe for concurrent use.
type Ledger struct {
	dir string
	// update: names that are missing in the tables are no mistakes, since they will be filled in.
	update bool
	rows   map[string]Row

	mu    sync.Mutex
	shown map[string][]string
}

// Open reads the tables of a folder, files named *.tsv. Errors say what is wrong with them.
func Open(dir string, update bool) (*Ledger, error) {
	l := &Ledger{dir: dir, update: update, rows: map[string]Row{}, shown: map[string][]string{}}
	return l, l.each(func(_ string, r Row) error {
		if _, twice := l.rows[r.ID]; twice {
			return fmt.Errorf("row %s is there twice", r.ID)
		}
		l.rows[r.ID] = r
		return nil
	})
}

// each calls visit for each line of each table, in order.
func (l *Ledger) each(visit func(file string, r Row) error) error {
	files, err := filepath.Glob(filepath.Join(l.dir, "*.tsv"))
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
			r := Row{ID: fields[0], Text: fields[1]}
			if len(fields) == 3 {
				r.Tests = strings.Fields(fields[2])
			}
			if err := visit(file, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Len is the number of rows.
func (l *Ledger) Len() int { return len(l.rows) }

// Shows says that a test shows rows.
func (l *Ledger) Shows(t *testing.T, ids ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		r, known := l.rows[id]
		switch {
		case !known:
			t.Errorf("there is no row %s", id)
		case !l.update && !slices.Contains(r.Tests, t.Name()):
			t.Errorf("row %s does not name %s", id, t.Name())
		}
		if !slices.Contains(l.shown[id], t.Name()) {
			l.shown[id] = append(l.shown[id], t.Name())
		}
	}
}

// FillIn writes the names of the tests that have run into the tables: those alone after a whole run, else beside those that
// are there.
func (l *Ledger) FillIn(whole bool) error {
	texts := map[string]*strings.Builder{}
	err := l.each(func(file string, r Row) error {
		if texts[file] == nil {
			texts[file] = &strings.Builder{}
		}
		tests := l.shown[r.ID]
		if !whole {
			tests = slices.Concat(tests, r.Tests)
		}
		slices.Sort(tests)
		_, err := fmt.Fprintf(texts[file], "%s\t%s\t%s\n", r.ID, r.Text, strings.Join(slices.Compact(tests), " "))
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

// Mismatches lists, after everything has run, the rows that name a test that did not show them, or none.
func (l *Ledger) Mismatches() []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(l.rows)) {
		r := l.rows[id]
		if len(r.Tests) == 0 {
			out = append(out, fmt.Sprintf("row %s has no test", id))
		}
		for _, name := range r.Tests {
			if !slices.Contains(l.shown[id], name) {
				out = append(out, fmt.Sprintf("row %s names %s, which does not exist or does not show it", id, name))
			}
		}
	}
	return out
}

// Check compares the tables with the tests as they are written in the package of the working folder. The test that calls it
// needs no row. What only a whole run can tell is for Mismatches.
func (l *Ledger) Check(t *testing.T) {
	t.Helper()
	functions, err := testFunctions()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{t.Name(): true}
	for _, id := range slices.Sorted(maps.Keys(l.rows)) {
		r := l.rows[id]
		if !l.update && len(r.Tests) == 0 {
			t.Errorf("row %s has no test", id)
		}
		for _, name := range r.Tests {
			top, _, _ := strings.Cut(name, "/")
			named[top] = true
			if !l.update && !functions[top] {
				t.Errorf("row %s names %s, which does not exist", id, name)
			}
		}
	}
	for name := range functions {
		if !l.update && !named[name] {
			t.Errorf("no row names %s", name)
		}
	}
}

// testFunctions lists the test functions of the package in the working folder.
func testFunctions() (map[string]bool, error) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
				out[f.Name.Name] = true
			}
		}
	}
	return out, nil
}
