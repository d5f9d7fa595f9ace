package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/wake"
)

// TestTheUnitFitsTheProgram compares the systemd unit with what the program does: its flags, its exit codes, its times.
func TestTheUnitFitsTheProgram(t *testing.T) {
	text, err := os.ReadFile("../../deploy/stele-wake.service")
	require.NoError(t, err)
	set := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			set[name] = append(set[name], value)
		}
	}
	run, _, err := newRoot(&output{to: os.Stdout}).Find([]string{"wake", "run"})
	require.NoError(t, err)
	variables := set["Environment"]
	require.Len(t, variables, 1)
	name, _, _ := strings.Cut(variables[0], "=")
	require.Equal(t, variableOf(flagAPIKeyFile), name)
	require.NotNil(t, run.Flags().Lookup(flagAPIKeyFile))

	require.Equal(t, []string{"2 3"}, set["RestartPreventExitStatus"])
	require.Equal(t, []int{2, 3}, []int{wake.ExitConfig, wake.ExitCredential})
	stop, err := time.ParseDuration(set["TimeoutStopSec"][0] + "s")
	require.NoError(t, err)
	require.Greater(t, stop, wake.DefaultDrain+15*time.Second, "hooks end in order before systemd ends them")
	require.Equal(t, []string{"mixed"}, set["KillMode"])
	getenv := func(string) string { return "/var/lib/" + set["StateDirectory"][0] }
	require.Equal(t, "/var/lib/stele-wake", wake.DefaultBaseDir(getenv))
}

func TestSystemdAcceptsTheUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is missing")
	}
	text, err := os.ReadFile("../../deploy/stele-wake.service")
	require.NoError(t, err)
	// systemd looks for the program, which is not installed here.
	unit := filepath.Join(t.TempDir(), "stele-wake.service")
	require.NoError(t, os.WriteFile(unit, []byte(strings.Replace(string(text), "/usr/local/bin/stele", "/bin/true", 1)), 0o600))
	out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "Unknown", "%s", out)
}
