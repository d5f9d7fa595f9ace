package superjson

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Driver starts driver.mjs with args, gives it input and returns the lines it printed. It
// installs the library first if that is not done yet. Without Node the test is skipped,
// but in CI it fails.
func Driver(tb testing.TB, input io.Reader, args ...string) [][]byte {
	tb.Helper()
	cmd := Command(tb, args...)
	cmd.Stdin = input
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	var lines [][]byte
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		lines = append(lines, bytes.Clone(scanner.Bytes()))
	}
	if err := scanner.Err(); err != nil {
		tb.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		tb.Fatalf("driver %v: %v\n%s", args, err, stderr.Bytes())
	}
	return lines
}

// Command returns what runs driver.mjs with args, for a conversation with it. It ends when
// its input does.
func Command(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	dir := installed(tb)
	return exec.Command("node", append([]string{filepath.Join(dir, "driver.mjs")}, args...)...)
}

// installed returns the directory of the driver, with its packages beside it.
func installed(tb testing.TB) string {
	tb.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				tb.Fatalf("no %s on this machine, and CI must compare with the library", program)
			}
			tb.Skipf("no %s on this machine: SuperJSON is not compared with the library", program)
		}
	}
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(file)
	install(tb, dir)
	return dir
}

// install runs npm ci unless that was done for this very lock file. Test programs of
// several packages may come here at once, so they queue.
func install(tb testing.TB, dir string) {
	tb.Helper()
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
