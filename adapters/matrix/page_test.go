package matrix_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/matrix"
	"stele/areyouai"
	"stele/core/operations"
)

var update = flag.Bool("update", false, "write docs/translation.md")

func TestThePageIsTheTable(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "translation.md")
	got := matrix.Markdown()
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	have, should := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(have), len(should)) {
		require.Equal(t, should[i], have[i], "run go test ./adapters/matrix -run TestThePageIsTheTable -update")
	}
	require.Len(t, have, len(should), "run go test ./adapters/matrix -run TestThePageIsTheTable -update")
}

// TestWhatIsAskedForExists: the operations and routes that rows name are those of the doors.
func TestWhatIsAskedForExists(t *testing.T) {
	routes, err := os.ReadFile(filepath.Join("..", "..", "docs", "openapi", "areyouai.yaml"))
	require.NoError(t, err)
	known := map[string]bool{}
	for _, op := range operations.Catalog() {
		known[op.Name] = true
	}
	name := regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")
	route := regexp.MustCompile("`(GET|POST) (/v1/[^`]*)`")
	for _, r := range matrix.Rows() {
		for _, m := range name.FindAllStringSubmatch(r.Asked, -1) {
			require.True(t, known[m[1]], "%s: there is no operation %s", r.Kind, m[1])
		}
		for _, m := range route.FindAllStringSubmatch(r.Asked, -1) {
			_, rest, ok := strings.Cut(string(routes), "\n  "+m[2]+":\n")
			require.True(t, ok, "%s: there is no route %s", r.Kind, m[2])
			here, _, _ := strings.Cut(rest, "\n  /")
			require.Contains(t, here, "    "+strings.ToLower(m[1])+":\n", "%s: %s", r.Kind, m[2])
		}
	}
	for _, e := range matrix.Ephemerals() {
		for _, m := range regexp.MustCompile("get `([a-z.]+)` among the viewer events").FindAllStringSubmatch(e.Areyouai, -1) {
			require.Equal(t, string(areyouai.FrameTyping), m[1])
		}
	}
}

func TestThePageHasEveryLine(t *testing.T) {
	text := string(matrix.Markdown())
	for _, r := range matrix.Rows() {
		require.Contains(t, text, "\n### "+string(r.Kind)+"\n")
		for _, c := range []matrix.Cell{r.Switch, r.Areyouai, r.Edge} {
			require.Contains(t, text, c.Shown)
			require.Contains(t, text, c.Not)
		}
	}
	for _, notes := range [][]matrix.Note{matrix.Situations(), matrix.Texts()} {
		for _, n := range notes {
			require.Contains(t, text, n.Text)
		}
	}
	for _, l := range strings.Split(text, "\n") {
		require.NotContains(t, l, "..", "an empty part in %q", l)
		require.NotContains(t, l, "%!")
	}
}
