package superjson

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"stele/tests/internal/npm"
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
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(file)
	npm.Install(tb, dir, "SuperJSON beside the library itself")
	return dir
}
