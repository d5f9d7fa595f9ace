package main

import (
	"fmt"
	"io"
	"strings"
)

type stepKind int

const (
	// stepStart is the first line.
	stepStart stepKind = iota
	// stepHeading begins a scene.
	stepHeading
	// stepSpeech is a message.
	stepSpeech
	// stepNote says what somebody does, or what came of it.
	stepNote
	// stepTally is the last line.
	stepTally
)

// step is one thing that the demo shows: a text for people and the bytes behind it.
type step struct {
	kind stepKind
	text string
	// speaker, from and to are of a message: who said it, in which script, and in which scripts it was received.
	speaker, from string
	to            []string
	rows          []row
}

// The ways of bytes, seen from a client.
const (
	wayOut = "→"
	wayIn  = "←"
)

// row is what went over the wire of one client.
type row struct {
	// label is the script, or "gateway" for what belongs to none.
	label string
	way   string
	wire  string
	// keep is a text within it that the recording must not leave out; empty for none.
	keep string
}

// show is told of each step as it happens.
type show func(step)

// both tells two of each step.
func both(a, b show) show { return func(s step) { a(s); b(s) } }

// printTo shows steps as text. The bytes are whole.
func printTo(out io.Writer) show {
	return func(s step) {
		if s.kind != stepStart {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s%s\n", s.title(), s.text)
		for _, r := range s.rows {
			wire := strings.ReplaceAll(strings.TrimRight(r.wire, "\n"), "\n", "\n            ")
			fmt.Fprintf(out, "  %-9s %s %s\n", r.label, r.way, wire)
		}
	}
}

// title is what stands before the text of a message: who speaks, and from which script into which others.
func (s step) title() string {
	if s.kind != stepSpeech {
		return ""
	}
	return fmt.Sprintf("%s (%s → %s): ", s.speaker, s.from, strings.Join(s.to, ", "))
}
