package main

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes of the recorded screen, in characters. The width is what stays readable where a README is shown.
const (
	screenColumns = 108
	screenRows    = 29
	// wireColumn is where bytes begin, behind the label, and wayColumns what their arrow takes.
	wireColumn = 12
	wayColumns = 2
)

// recordingSeconds is how long the recording plays before it stays on its last screen.
const recordingSeconds = 28.0

// recording collects the steps of a demo to make a moving picture of them. The zero value is ready.
type recording struct{ steps []step }

// add is a [show].
func (r *recording) add(s step) { r.steps = append(r.steps, s) }

// span is a piece of a screen line in one style, which is a class of the picture.
type span struct{ class, text string }

// Classes of spans beside the three scripts.
const (
	classPlain  = "plain"
	classStrong = "strong"
	classDim    = "dim"
	classPrompt = "prompt"
)

// screenLine is a line of the recorded screen: spans from its left edge and, if it shows bytes, spans from the column behind
// the label.
type screenLine struct {
	left, wire []span
}

// frame is what appears at once.
type frame struct {
	// at is when, in seconds from the beginning.
	at    float64
	lines []screenLine
}

// frames lays out the steps and gives each its time: the longer it takes to read what is on the screen, the later comes the
// next one.
func (r *recording) frames() []frame {
	const each, perLine = 0.5, 0.35
	var frames []frame
	now := 0.0
	for _, s := range r.steps {
		lines := layOut(s)
		frames = append(frames, frame{at: now, lines: lines})
		now += each + perLine*float64(len(lines))
	}
	if last := len(frames) - 1; last > 0 {
		scale := recordingSeconds / frames[last].at
		for i := range frames {
			frames[i].at *= scale
		}
	}
	return frames
}

// layOut makes the lines of a step, with an empty one before all but the first.
func layOut(s step) []screenLine {
	lines := []screenLine{{}}
	text := normalise(s.text)
	switch s.kind {
	case stepStart:
		lines = []screenLine{{left: []span{{classPrompt, "$ "}, {classStrong, "stele demo"}}}}
		lines = append(lines, wrapped(text, classPlain)...)
	case stepHeading, stepTally:
		lines = append(lines, wrapped(text, classStrong)...)
	case stepSpeech:
		lines = append(lines, speech(s, text))
	default:
		lines = append(lines, wrapped(text, classPlain)...)
	}
	for _, r := range s.rows {
		lines = append(lines, wire(r))
	}
	return lines
}

// speech is the line of a message: who, from which script into which, and what.
func speech(s step, text string) screenLine {
	left := []span{{classStrong, s.speaker}, {classDim, " ("}, {s.from, s.from}, {classDim, " → "}}
	for i, script := range s.to {
		if i > 0 {
			left = append(left, span{classDim, ", "})
		}
		left = append(left, span{script, script})
	}
	left = append(left, span{classDim, "): "})
	room := screenColumns
	for _, s := range left {
		room -= utf8.RuneCountInString(s.text)
	}
	return screenLine{left: append(left, span{classPlain, cut(text, room)})}
}

// wire is the line of what went over a wire.
func wire(r row) screenLine {
	bytes := strings.ReplaceAll(strings.TrimRight(normalise(r.wire), "\n"), "\n", "↵ ")
	short := abridge(bytes, r.keep, screenColumns-wireColumn-wayColumns)
	class := classDim
	if isScript(r.label) {
		class = r.label
	}
	out := screenLine{left: []span{{class, r.label}}, wire: []span{{classDim, r.way + " "}}}
	before, after, found := strings.Cut(short, r.keep)
	if r.keep == "" || !found {
		out.wire = append(out.wire, span{classDim, short})
		return out
	}
	for _, s := range []span{{classDim, before}, {classPlain, r.keep}, {classDim, after}} {
		if s.text != "" {
			out.wire = append(out.wire, s)
		}
	}
	return out
}

func isScript(label string) bool {
	return slices.Contains(demoScripts, label)
}

// wrapped breaks a text between words into lines that fit.
func wrapped(text, class string) (lines []screenLine) {
	current := ""
	flush := func() {
		if current != "" {
			lines = append(lines, screenLine{left: []span{{class, cut(current, screenColumns)}}})
		}
	}
	for word := range strings.FieldsSeq(text) {
		switch {
		case current == "":
			current = word
		case utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) > screenColumns:
			flush()
			current = word
		default:
			current += " " + word
		}
	}
	flush()
	return lines
}
