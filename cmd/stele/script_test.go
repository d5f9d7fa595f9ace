package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	testscript.Main(withoutLeaks{m}, map[string]func(){"stele": main, "replier": replier})
}

// withoutLeaks fails the tests that pass but leave goroutines behind. The program itself runs as a process of its own.
type withoutLeaks struct{ *testing.M }

// Run implements [testscript.TestingM].
func (m withoutLeaks) Run() int {
	code := m.M.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// The race detector has every process that ends wait for a second, and a script runs the program many times.
			env.Setenv("GORACE", "atexit_sleep_ms=10")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"await": await, "register": register, "whoami": whoami, "enter": enter, "heard": heard, "fetch": fetch, "scrape": scrape,
			"enlist": enlist, "meet": meet, "say": say, "ended": ended, "listen": listen,
		},
	})
}

// await waits until a file contains a text.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await file text")
	}
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		if b, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(b), args[1]) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Fatalf("%s", fmt.Sprintf("%q did not appear in %s", args[1], args[0]))
}
