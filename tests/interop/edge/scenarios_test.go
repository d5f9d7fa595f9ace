package edge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// least is how many scenarios there are at least.
const least = 40

// TestScenarios runs every scenario of the client under Node.
func TestScenarios(t *testing.T) {
	t.Parallel()
	dir := here(t)
	w := newWorld(t)
	secret := "/agents/alice/" + w.room(t.Context(), "secret", "private")
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "scenarios.mjs", w.told(map[string]any{"secret": secret}))
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, stderr.Bytes())
	count := 0
	for line := range bytes.Lines(out) {
		var scenario struct {
			Section, Name, Error string
			MS                   int
		}
		require.NoError(t, json.Unmarshal(line, &scenario), "%s", line)
		t.Run(scenario.Section+"/"+scenario.Name, func(t *testing.T) {
			t.Logf("%d ms", scenario.MS)
			require.Empty(t, scenario.Error)
		})
		count++
	}
	require.GreaterOrEqual(t, count, least)
}
