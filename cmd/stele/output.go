package main

import (
	"fmt"
	"io"
	"os"
)

// output is where a command writes what it was asked for. It remembers its first error, which every later write returns
// too: a command need not look at each line it prints, and a program that could not print does not end with 0. It is for
// one goroutine.
type output struct {
	to  io.Writer
	err error
	// screen stands before to where that is a terminal.
	screen *screen
}

// newOutput writes to a file, which may be a terminal.
func newOutput(f *os.File) *output {
	o := &output{to: f}
	if isTerminal(f) {
		o.screen = &screen{to: f}
	}
	return o
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	to := o.to
	if o.screen != nil {
		to = o.screen
	}
	if n, err = to.Write(p); err != nil {
		o.err = fmt.Errorf("output: %w", err)
	}
	return n, o.err
}

// discards tells whether nobody will ever see what is written, because it goes to the null device. A program that was
// started with its standard output closed writes there as well: Go's runtime opens the device in its place.
func (o *output) discards() bool {
	f, ok := o.to.(*os.File)
	if !ok {
		return o.to == io.Discard
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	is, err := f.Stat()
	return err == nil && os.SameFile(is, null)
}
