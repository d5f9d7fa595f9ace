package chaos

import "slices"

// Check returns every promise that the history breaks; none is none.
func Check(h History) []Violation {
	c := &checker{history: h, byMark: map[string][]Entry{}, rooms: map[string][]Entry{}, lines: map[lineOf]*numbers{}}
	for _, e := range h.Log {
		c.rooms[e.Room] = append(c.rooms[e.Room], e)
		if e.Mark != "" {
			c.byMark[e.Mark] = append(c.byMark[e.Mark], e)
		}
	}
	c.checkLog()
	c.checkCommands()
	c.checkReaders()
	return c.found
}

// checker is one run of Check.
type checker struct {
	history History
	byMark  map[string][]Entry
	rooms   map[string][]Entry
	lines   map[lineOf]*numbers
	found   []Violation
}

func (c *checker) report(v Violation) { c.found = append(c.found, v) }

// sorted returns the keys of a map in order, so that a check reports the same in every run.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
