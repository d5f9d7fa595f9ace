package imports

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type pkg struct {
	ImportPath, Dir, Doc string
	Imports              []string
	GoFiles              []string
	TestImports          []string
	XTestImports         []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,Imports,GoFiles,TestImports,XTestImports", "stele/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func under(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

var (
	wires  = []string{"stele/switch", "stele/areyouai", "stele/edgeframes"}
	fronts = []string{"stele/adapters/switchfront", "stele/adapters/areyouaifront", "stele/adapters/edgefront"}
)

// sidecar is the client behind stele wake.
const sidecar = "stele/internal/wake"

// Packages that look at the fronts from outside: scripts writes with them, the matrix and the samples only speak of them.
const (
	scripts = "stele/adapters/scripts"
	samples = scripts + "/samples"
	matrix  = "stele/adapters/matrix"
)

// forbidden tells why a package must not import another, "" when it may.
func forbidden(from, to string) string {
	switch {
	case under(from, "stele/core") && !under(to, "stele/core") && !under(to, "stele/internal"):
		return "core knows no protocol, front or program"
	case under(from, sidecar):
		if to != "stele/areyouai" && !under(to, "stele/internal") {
			return "the sidecar is a client of the wire contract alone"
		}
		return ""
	case !under(from, "stele/tests") && (under(to, "stele/internal/testclock") || under(to, "stele/internal/testsocket")):
		return "what only tests need is not in the program"
	case under(to, sidecar) && !under(from, "stele/cmd"):
		return "only the program has a sidecar"
	case under(from, "stele/internal") && !under(to, "stele/internal"):
		return "a leaf knows nothing of the project"
	case (under(from, matrix) || under(from, samples)) && !under(to, "stele/core") && !under(to, "stele/internal"):
		return "what is said about the fronts must not depend on them"
	case under(from, scripts) && (to == "stele/adapters" || under(to, "stele/cmd")):
		return "dependencies point from the program to the scripts"
	}
	for _, w := range wires {
		if under(from, w) && !under(to, w) && !under(to, "stele/internal") {
			return "a wire package stands alone"
		}
	}
	for _, f := range fronts {
		if !under(from, f) {
			continue
		}
		for _, other := range fronts {
			if other != f && under(to, other) {
				return "fronts do not know each other"
			}
		}
		if under(to, scripts) || under(to, matrix) {
			return "a front does not know who looks at it"
		}
		if to == "stele/adapters" || under(to, "stele/cmd") {
			return "dependencies point from the program to the fronts"
		}
		known := 0
		for _, w := range wires {
			if under(to, w) {
				known++
			}
		}
		if known > 0 && !under(to, wireOf[f]) {
			return "a front knows one wire package"
		}
	}
	return ""
}

var wireOf = map[string]string{fronts[0]: wires[0], fronts[1]: wires[1], fronts[2]: wires[2]}

func TestPackagesKnowOnlyWhatTheyMay(t *testing.T) {
	all := packages(t)
	seen := map[string]bool{}
	for _, p := range all {
		seen[p.ImportPath] = true
		for _, to := range p.Imports {
			if !under(to, "stele") {
				continue
			}
			if why := forbidden(p.ImportPath, to); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, to, why)
			}
		}
	}
	for _, must := range append(append([]string{"stele/core"}, wires...), fronts...) {
		require.True(t, seen[must], "%s is gone: this test would check nothing", must)
	}
}

func TestTheRulesRefuse(t *testing.T) {
	for _, c := range [][2]string{
		{"stele/core", "stele/switch"},
		{"stele/core/operations", "stele/adapters/edgefront"},
		{"stele/areyouai", "stele/core"},
		{"stele/edgeframes/superjson", "stele/core/memlog"},
		{"stele/switch", "stele/areyouai"},
		{"stele/adapters/switchfront", "stele/adapters/edgefront"},
		{"stele/adapters/switchfront", "stele/areyouai"},
		{"stele/adapters/edgefront", "stele/adapters"},
		{"stele/internal/sse", "stele/core"},
		{"stele/adapters/transport", "stele/internal/testsocket"},
		{"stele/core", "stele/internal/testclock"},
		{"stele/internal/wake", "stele/core"},
		{"stele/internal/wake", "stele/adapters/areyouaifront"},
		{"stele/core", "stele/internal/wake"},
		{"stele/adapters/areyouaifront", "stele/internal/wake"},
		{"stele/core", "stele/adapters/scripts"},
		{"stele/switch", "stele/adapters/matrix"},
		{"stele/adapters/edgefront", "stele/adapters/scripts"},
		{"stele/adapters/edgefront", "stele/adapters/scripts/samples"},
		{"stele/adapters/switchfront", "stele/adapters/matrix"},
		{"stele/adapters/matrix", "stele/adapters/switchfront"},
		{"stele/adapters/matrix", "stele/areyouai"},
		{"stele/adapters/scripts/samples", "stele/adapters/scripts"},
		{"stele/adapters/scripts", "stele/adapters"},
		{"stele/adapters/scripts", "stele/cmd/stele"},
	} {
		require.NotEmpty(t, forbidden(c[0], c[1]), "%s → %s", c[0], c[1])
	}
	for _, c := range [][2]string{
		{"stele/adapters/switchfront", "stele/switch"},
		{"stele/adapters/edgefront", "stele/edgeframes/superjson"},
		{"stele/adapters/areyouaifront", "stele/core"},
		{"stele/core", "stele/internal/strictjson"},
		{"stele/internal/wake", "stele/areyouai"},
		{"stele/cmd/stele", "stele/internal/wake"},
		{"stele/adapters/scripts", "stele/adapters/edgefront"},
		{"stele/adapters/scripts", "stele/edgeframes/superjson"},
		{"stele/adapters/matrix", "stele/core"},
		{"stele/adapters/scripts/samples", "stele/internal/typedjson"},
		{"stele/cmd/stele", "stele/adapters/scripts"},
	} {
		require.Empty(t, forbidden(c[0], c[1]), "%s → %s", c[0], c[1])
	}
}

// TestWhoStartsGoroutinesLooksForLeaks: the tests of a package that starts goroutines end with a look at those that are left.
// The suite of a log runs within the tests of the logs, which look for themselves.
func TestWhoStartsGoroutinesLooksForLeaks(t *testing.T) {
	starting := 0
	for _, p := range packages(t) {
		if under(p.ImportPath, "stele/tests") || p.ImportPath == "stele/core/logtest" || !startsGoroutines(t, p) {
			continue
		}
		starting++
		require.True(t, slices.Contains(append(p.TestImports, p.XTestImports...), "go.uber.org/goleak"),
			"%s starts goroutines, and its tests do not look for those that are left", p.ImportPath)
	}
	require.Positive(t, starting, "nobody starts goroutines: this test checks nothing")
}

// startsGoroutines tells whether the package's own code has a go statement, or a call of a method Go with a function.
func startsGoroutines(t *testing.T, p pkg) bool {
	t.Helper()
	found := false
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.CallExpr:
				if method, ok := n.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Go" && len(n.Args) == 1 {
					found = true
				}
			}
			return !found
		})
	}
	return found
}

func TestEveryPackageHasItsDocFile(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue
		}
		_, err := os.Stat(filepath.Join(p.Dir, "doc.go"))
		require.NoError(t, err, "%s has no doc.go", p.ImportPath)
		require.NotEmpty(t, p.Doc, "%s has no package comment", p.ImportPath)
	}
}

// Whoever looks for the place of a change begins with the table of packages, so none may be missing there.
func TestTheTableOfPackagesIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| Package | For |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for _, p := range packages(t) {
		path, inside := strings.CutPrefix(p.ImportPath, "stele/")
		if !inside || under(path, "tests") || len(p.GoFiles) == 0 {
			continue
		}
		named := strings.Contains(table, "`"+path+"`") || strings.Contains(table, "`"+filepath.Base(path)+"`")
		require.True(t, named, "%s is not in the table of packages", path)
	}
}
