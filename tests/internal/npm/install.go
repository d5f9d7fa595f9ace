package npm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Install puts the packages of a folder's lock file beside it, unless that was done for this very lock file. Without Node
// the test is skipped, but in CI, where the variable CI is true, it fails. purpose says in a few words what is not tested
// then.
//
// Test programs of several packages may want the same folder at once, so they queue.
func Install(tb testing.TB, dir, purpose string) {
	tb.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			Lacks(tb, program, purpose)
		}
	}
	lockFile := filepath.Join(dir, "package-lock.json")
	queue, err := os.Open(lockFile)
	if err != nil {
		tb.Fatal(err)
	}
	defer queue.Close()
	if err := syscall.Flock(int(queue.Fd()), syscall.LOCK_EX); err != nil {
		tb.Fatal(err)
	}
	want, err := os.ReadFile(lockFile)
	if err != nil {
		tb.Fatal(err)
	}
	stamp := filepath.Join(dir, "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, want) {
		return
	}
	cmd := exec.CommandContext(tb.Context(), "npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(stamp, want, 0o644); err != nil {
		tb.Fatal(err)
	}
}

// Lacks skips a test on a machine without a program, and fails it in CI.
func Lacks(tb testing.TB, program, purpose string) {
	tb.Helper()
	if os.Getenv("CI") == "true" {
		tb.Fatalf("no %s on this machine, and CI must test this: %s", program, purpose)
	}
	tb.Skipf("no %s on this machine, so this is not tested: %s", program, purpose)
}
