package translation

import (
	"fmt"
	"slices"
	"strings"
)

// Check compares what a participant saw of a room with the room's log and returns the first difference of each reading and
// each change of protocol; none is none.
func Check(room string, log []Event, t Transcript) []string {
	var found []string
	report := func(format string, args ...any) {
		found = append(found, fmt.Sprintf("%s (%s) in %s, ", t.Participant, t.Agent, room)+fmt.Sprintf(format, args...))
	}
	filter := NewFilter()
	var at Numbers
	for i, leg := range t.Legs {
		for _, r := range leg.Readings {
			if began := Place(log, r.View, r.After); began.In(r.View) != at.In(r.View) {
				report("leg %d over %s began behind %d, which is behind event %d, and not behind event %d",
					i+1, r.View, r.After, began.Version, at.Version)
			}
			if text := filter.compare(room, log, t.Agent, r); text != "" {
				report("leg %d over %s: %s", i+1, r.View, text)
			}
		}
		at = leg.End(log)
	}
	if last := len(log); last > 0 && at.Version != log[last-1].Version {
		report("stopped at event %d of %d", at.Version, log[last-1].Version)
	}
	return found
}

// compare returns the first difference between a reading and what it should be, empty for none.
func (f Filter) compare(room string, log []Event, agent string, r Reading) string {
	var want []Line
	joined := r.View != Switch
	for _, e := range log {
		// A Switch agent is told what happens in a room from its own arrival on; the other views begin with the room.
		if joined = joined || e.Kind == kindJoined && e.Agent == agent; !joined {
			continue
		}
		if n := r.View.Number(e); n <= r.After || n > r.Until {
			continue
		}
		if line, ok := f.Of(r.View, e, room, agent); ok {
			want = append(want, line)
		}
	}
	for i := range max(len(want), len(r.Lines)) {
		switch {
		case i >= len(r.Lines):
			return fmt.Sprintf("lost %v, %s", want[i], around(r.Lines, i))
		case i < len(want) && want[i] == r.Lines[i]:
			continue
		case slices.Contains(r.Lines[:i], r.Lines[i]):
			return fmt.Sprintf("repeated %v, %s", r.Lines[i], around(r.Lines, i))
		case !slices.Contains(want, r.Lines[i]):
			return fmt.Sprintf("foreign %v, %s", r.Lines[i], around(r.Lines, i))
		case slices.Contains(r.Lines[i:], want[i]):
			return fmt.Sprintf("out of order %v, %s", r.Lines[i], around(r.Lines, i))
		default:
			return fmt.Sprintf("lost %v, %s", want[i], around(r.Lines, i))
		}
	}
	return ""
}

// around shows the lines before and behind a place.
func around(lines []Line, i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "at line %d of %d:", i+1, len(lines))
	for k := max(0, i-2); k < min(len(lines), i+3); k++ {
		fmt.Fprintf(&b, "\n\t%d. %d %s", k+1, lines[k].Number, lines[k].Says)
	}
	return b.String()
}
