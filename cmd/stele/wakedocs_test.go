package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"stele/internal/wake"
)

// TestThePageAboutWakeIsComplete compares docs/wake.md with the flags of run and with the job as it is sent.
func TestThePageAboutWakeIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/wake.md")
	require.NoError(t, err)
	page := string(text)
	run, _, err := newRoot(&output{to: os.Stdout}).Find([]string{"wake", "run"})
	require.NoError(t, err)
	run.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != flagLogLevel {
			require.Contains(t, page, "`--"+f.Name+"`")
		}
	})
	_, rest, ok := strings.Cut(page, "```json\n")
	require.True(t, ok)
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	fields := func(doc string) []string {
		var names map[string]any
		require.NoError(t, json.Unmarshal([]byte(doc), &names))
		var out []string
		for name := range names {
			out = append(out, name)
		}
		return out
	}
	sent, err := json.Marshal(wake.Job{})
	require.NoError(t, err)
	require.ElementsMatch(t, fields(string(sent)), fields(example))
	require.Contains(t, page, wake.Contract)
}
