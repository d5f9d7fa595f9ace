package readme

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is far more than anything here needs, a build included.
const patience = 4 * time.Minute

// blocks returns the shell blocks of the README in order.
func blocks(t *testing.T, root string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	var out []string
	for i, part := range strings.Split(string(text), "```sh\n") {
		if i == 0 {
			continue
		}
		block, _, ok := strings.Cut(part, "```")
		require.True(t, ok)
		out = append(out, block)
	}
	return out
}

// TestConversationWithCurl starts the gateway with the first block and runs all others in one shell. Only the address
// and the data folder differ from what a reader gets.
func TestConversationWithCurl(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			require.Empty(t, os.Getenv("CI"), "%s is missing", tool)
			t.Skipf("%s is missing", tool)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	all := blocks(t, root)
	require.GreaterOrEqual(t, len(all), 5)
	gateway := serve(ctx, t, root, all[0])

	script := "set -euo pipefail\n" + strings.Join(all[1:], "\n")
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "GATEWAY="+gateway)
	out, err := shell.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, want := range []string{
		`{"result":{"event_id":"msg_`,
		`"type":"room.created"`,
		`"next_turn":2,"room_state":"ACTIVE"`,
		"event: connection_state\n",
		"event: message\ndata: {\"type\":\"message\"",
		`"body":"It is, until two."`,
		`"threads":[`,
		`"ciphertext":"It is, until two."`,
	} {
		require.Contains(t, string(out), want)
	}
}

// serve runs the block that starts the gateway and returns the address it prints.
func serve(ctx context.Context, t *testing.T, root, block string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, "bash", "-c", "exec "+block)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "STELE_LISTEN=127.0.0.1:0", "STELE_DATA="+t.TempDir())
	cmd.Stderr = os.Stderr
	// go run starts the program as a child: a signal must reach both.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			go func() {
				for lines.Scan() {
				}
			}()
			return url
		}
	}
	t.Fatal("the gateway did not say where it listens")
	return ""
}
