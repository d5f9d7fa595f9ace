package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and returns its exit code. The first SIGINT or SIGTERM ends the command in order, a
// second one at once. A pipe whose reader is gone is an error like any other, so that the command can clean up: by
// default, SIGPIPE would end the program on the spot.
func run(args []string) int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	out := newOutput(os.Stdout)
	root := newRoot(out)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.err
	}
	if err == nil {
		return 0
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	fmt.Fprintln(newOutput(os.Stderr), "stele:", err)
	return 1
}

// exitError ends the program with a code after the command has said all there is to say.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }
