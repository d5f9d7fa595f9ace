package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"stele/adapters/gatewayfront"
	"stele/adapters/scripts"
)

const (
	// columnGap stands between two columns.
	columnGap = " │ "
	// minColumn is the narrowest column in which a frame can be read; terminals with less get one script below the other.
	minColumn = 24
)

// shower writes events as people or other programs want them.
type shower struct {
	out     io.Writer
	formats []scripts.Script
	// beside: the event shows in several scripts; otherwise its bytes are passed on.
	beside bool
	// columns is how wide the terminal is now, 0 where there is none.
	columns func() int
}

func newShower(out *output, formats []scripts.Script, beside bool) *shower {
	s := &shower{out: out, formats: formats, beside: beside, columns: func() int { return 0 }}
	if f, ok := out.to.(*os.File); ok && isTerminal(f) {
		s.columns = func() int { return terminalColumns(f) }
	}
	return s
}

func (s *shower) item(item gatewayfront.Item) error {
	columns := s.columns()
	var b strings.Builder
	switch each := s.column(columns); {
	case !s.beside && columns == 0:
		for _, frame := range item.Frames[s.formats[0]] {
			b.WriteString(frame)
		}
	case !s.beside:
		for _, line := range linesOf(item.Frames[s.formats[0]]) {
			b.WriteString(line + "\n")
		}
	case each >= minColumn:
		s.head(&b, item, columns)
		s.besideEachOther(&b, item, each)
	default:
		s.head(&b, item, columns)
		s.belowEachOther(&b, item)
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

// column is how wide a column is when all are equally wide.
func (s *shower) column(columns int) int {
	n := len(s.formats)
	return (columns - (n-1)*displayWidth(columnGap)) / n
}

// head is the line above an event.
func (s *shower) head(b *strings.Builder, item gatewayfront.Item, columns int) {
	text := fmt.Sprintf("── %d %s %s ", item.Version, visible(string(item.Kind)), item.At.UTC().Format(time.RFC3339))
	if item.Private {
		text += "(private) "
	}
	b.WriteString(text + strings.Repeat("─", max(columns-displayWidth(text), 2)) + "\n")
}

func (s *shower) besideEachOther(b *strings.Builder, item gatewayfront.Item, each int) {
	cells, rows := make([][]string, len(s.formats)), 0
	for i, f := range s.formats {
		cells[i] = append(cells[i], string(f))
		for _, line := range s.linesIn(item, f) {
			cells[i] = append(cells[i], wrap(line, each)...)
		}
		rows = max(rows, len(cells[i]))
	}
	for row := range rows {
		line := ""
		for i, cell := range cells {
			text := ""
			if row < len(cell) {
				text = cell[row]
			}
			if i > 0 {
				line += columnGap
			}
			line += text + strings.Repeat(" ", max(each-displayWidth(text), 0))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (s *shower) belowEachOther(b *strings.Builder, item gatewayfront.Item) {
	for _, f := range s.formats {
		for _, line := range s.linesIn(item, f) {
			fmt.Fprintf(b, "%-8s │ %s\n", f, line)
		}
	}
}

// linesIn are the lines of an event in a script, or a sign that it has none there.
func (s *shower) linesIn(item gatewayfront.Item, f scripts.Script) []string {
	if lines := linesOf(item.Frames[f]); len(lines) > 0 {
		return lines
	}
	return []string{"-"}
}

// linesOf are the lines of frames that a terminal may show, without the empty ones between frames.
func linesOf(frames []string) (lines []string) {
	for _, frame := range frames {
		for line := range strings.SplitSeq(frame, "\n") {
			if line != "" {
				lines = append(lines, visible(line))
			}
		}
	}
	return lines
}

// wrap cuts a line into pieces of at most so many columns.
func wrap(line string, columns int) (pieces []string) {
	start, used := 0, 0
	for i, r := range line {
		w := runeWidth(r)
		if used+w > columns && i > start {
			pieces = append(pieces, line[start:i])
			start, used = i, 0
		}
		used += w
	}
	return append(pieces, line[start:])
}

func displayWidth(s string) (columns int) {
	for _, r := range s {
		columns += runeWidth(r)
	}
	return columns
}

// runeWidth is how many columns a terminal gives a character.
func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
