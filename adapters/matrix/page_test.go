package matrix_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/matrix"
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
