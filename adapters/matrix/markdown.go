package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Markdown writes the whole matrix as a page for people.
func Markdown() []byte {
	var w page
	w.line("<!-- Written by adapters/matrix. Change the table there and run: go test ./adapters/matrix -run TestThePageIsTheTable -update -->")
	w.head("# Translation")
	w.line("What one side says, every other side hears, once, in order, in its own terms. This page says what that is for each event")
	w.line("of a room, and what a protocol cannot say. Tests hold every line of the tables against what the gateway writes.")
	w.head("## At a glance")
	w.line("| Event | What happened | Switch | areyouai | edge |")
	w.line("| --- | --- | --- | --- | --- |")
	for _, r := range Rows() {
		w.line("| [`%s`](#%s) | %s | %s | %s | %s |", r.Kind, anchor(string(r.Kind)), r.Says, r.Switch.brief(), r.Areyouai.brief(), r.Edge.brief())
	}
	w.head("A dash: the protocol has no frame for it; a star: not everybody is shown it. Beside the log there is what nobody logs:")
	w.line("| | Switch | areyouai | edge |")
	w.line("| --- | --- | --- | --- |")
	for _, e := range Ephemerals() {
		w.line("| %s | %s | %s | %s |", e.What, e.Switch, e.Areyouai, e.Edge)
	}
	w.numbers()
	w.head("## Event by event")
	w.line("\"Lost\" are the fields that the protocol's frames do not carry, under the names that they have in the log's own words")
	w.line("(`format=core`). `stele translate` keeps them in a comment line, so that the way back finds them.")
	for _, r := range Rows() {
		w.row(r)
	}
	w.notes("## Where ideas of a room differ", Situations())
	w.notes("## Texts", Texts())
	w.head("## Events of other streams")
	w.line("The log has streams that are no room's: one for each agent, one for the people who watch a room, and the directory.")
	w.line("No room shows them.")
	w.line("")
	w.line("| Event | Why |")
	w.line("| --- | --- |")
	for _, o := range Elsewhere() {
		w.line("| `%s` | %s |", o.Kind, o.Why)
	}
	return []byte(w.b.String())
}

type page struct{ b strings.Builder }

func (w *page) line(format string, args ...any) {
	if len(args) == 0 {
		w.b.WriteString(format)
	} else {
		fmt.Fprintf(&w.b, format, args...)
	}
	w.b.WriteByte('\n')
}

// head begins something new, with a blank line on both sides.
func (w *page) head(text string) {
	w.line("")
	w.line("%s", text)
	w.line("")
}

// numbers tells which of the numbers of an event each protocol shows.
func (w *page) numbers() {
	w.head("## Numbers of an event")
	w.line("| | Switch | areyouai | edge |")
	w.line("| --- | --- | --- | --- |")
	w.line("| position in the whole log | `sequence` | – | – |")
	w.line("| version in the room | – | `event_id` | `seq` of an event |")
	w.line("| turn of a message, from 0 | – | `turn` | `seq` of a message, from 1 |")
	w.line("| time | `timestamp` of messages and arrivals | `created_at` | `at` |")
	w.line("| room | `room_id` | `room_id` | the address |")
}

func (w *page) row(r Row) {
	w.head("### " + string(r.Kind))
	w.line("%s.", capital(r.Says))
	w.line("")
	w.cell("Switch", r.Switch)
	w.cell("areyouai", r.Areyouai)
	w.cell("edge", r.Edge)
	if r.Asked != "" {
		w.line("* **Asked for**: %s.", r.Asked)
	}
}

func (w *page) cell(name string, c Cell) {
	if len(c.Frames) == 0 {
		w.line("* **%s**: nothing; %s", name, c.Not)
		return
	}
	text := c.types()
	if c.Shown != "" {
		text += ", " + c.Shown
	}
	text += "."
	if c.Not != "" {
		text += " Not " + c.Not
	}
	if lost := c.lost(); lost != "" {
		text += " Lost: " + lost + "."
	} else {
		text += " Nothing is lost."
	}
	w.line("* **%s**: %s", name, text)
}

// types are the frames, each with what it changes.
func (c Cell) types() string {
	parts := make([]string, 0, len(c.Frames))
	for _, f := range c.Frames {
		part := "`" + f + "`"
		if f == "state.patch" {
			part += " (" + keysOf(c.Keys) + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " + ")
}

func (c Cell) lost() string {
	parts := make([]string, 0, len(c.Lost)+len(c.Partly))
	for _, f := range c.Lost {
		parts = append(parts, "`"+f+"`")
	}
	for _, f := range slices.Sorted(maps.Keys(c.Partly)) {
		parts = append(parts, fmt.Sprintf("`%s` (%s)", f, c.Partly[f]))
	}
	return strings.Join(parts, ", ")
}

// brief is what stands in the table at the top.
func (c Cell) brief() string {
	if len(c.Frames) == 0 {
		return "–"
	}
	out := "`" + strings.Join(c.Frames, "` + `") + "`"
	if c.Not != "" {
		out += " *"
	}
	return out
}

func keysOf(keys []string) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k
		if !strings.Contains(k, " ") {
			parts[i] = "`" + k + "`"
		}
	}
	return strings.Join(parts, ", ")
}

func (w *page) notes(title string, notes []Note) {
	w.head(title)
	for _, n := range notes {
		w.line("* **%s**: %s", n.Title, n.Text)
	}
}

// anchor is how a heading is linked to.
func anchor(heading string) string { return strings.NewReplacer(".", "", " ", "-").Replace(heading) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
