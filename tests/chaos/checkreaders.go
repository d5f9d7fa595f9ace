package chaos

import (
	"fmt"
	"slices"
)

// reader is one client on one line; cursor is where it is in one room.
type (
	reader struct {
		client string
		line   Line
		rooms  []*cursor
		// high is the highest number it got, over all rooms: on Positions the rooms share one cursor.
		high uint64
	}
	cursor struct {
		reader *reader
		room   string
		// base is what it reads after; without a Began, the first number it got.
		base   uint64
		placed bool
		high   uint64
		// fresh: nothing has come since it resumed.
		fresh bool
		seen  map[uint64]int
		steps []step
		gaps  []Record
		// due is up to where it says to have everything.
		due uint64
	}
	// step is how a cursor rose from one number to the next.
	step struct {
		from, to uint64
		resumed  bool
	}
)

// checkReaders: Ordered, Once, Gapless and Resumable for every cursor, and that readers saw what the log holds.
func (c *checker) checkReaders() {
	var all []*reader
	for _, r := range c.history.Records {
		if r.Line == "" {
			continue
		}
		i := slices.IndexFunc(all, func(x *reader) bool { return x.client == r.Client && x.line == r.Line })
		if i < 0 {
			i = len(all)
			all = append(all, &reader{client: r.Client, line: r.Line})
		}
		c.follow(all[i], r)
	}
	for _, rd := range all {
		for _, cur := range rd.rooms {
			c.checkHoles(cur)
		}
	}
}

// at returns the reader's cursors in a room, or in every room it has begun when none is named.
func (rd *reader) at(room string) []*cursor {
	if room == "" {
		return rd.rooms
	}
	for _, cur := range rd.rooms {
		if cur.room == room {
			return []*cursor{cur}
		}
	}
	cur := &cursor{reader: rd, room: room, seen: map[uint64]int{}}
	rd.rooms = append(rd.rooms, cur)
	return []*cursor{cur}
}

func (c *checker) follow(rd *reader, r Record) {
	for _, cur := range rd.at(r.Room) {
		switch r.Kind {
		case Began:
			if !cur.placed {
				cur.placed, cur.base, cur.high = true, r.Number, r.Number
			}
		case Resumed:
			cur.fresh = true
		case Gap:
			cur.gaps = append(cur.gaps, r)
			for n := range cur.seen {
				if n > r.Number && n <= r.Through {
					c.reportGap(cur, r, n)
					break
				}
			}
		case CaughtUp:
			cur.due = max(cur.due, r.Number)
		case Received:
			c.receive(cur, r)
		}
	}
}

func (c *checker) reportGap(cur *cursor, gap Record, n uint64) {
	c.report(Violation{Gapless, cur.reader.client, cur.room, fmt.Sprintf(
		"was told (record %d) that %s %d to %d is missing, and got %d", gap.Wall, cur.reader.line, gap.Number+1, gap.Through, n)})
}

func (c *checker) receive(cur *cursor, r Record) {
	rd := cur.reader
	high := cur.high
	if rd.line == Positions {
		high = max(high, rd.high)
	}
	rd.high = max(rd.high, r.Number)
	if before, again := cur.seen[r.Number]; again {
		c.report(Violation{Once, rd.client, cur.room, fmt.Sprintf(
			"got %s %d again (records %d and %d)", rd.line, r.Number, before, r.Wall)})
		return
	}
	cur.seen[r.Number] = r.Wall
	for _, gap := range cur.gaps {
		if r.Number > gap.Number && r.Number <= gap.Through {
			c.reportGap(cur, gap, r.Number)
		}
	}
	c.checkSeen(cur, r)
	switch {
	case !cur.placed:
		cur.placed, cur.base, cur.high = true, r.Number, r.Number
	case r.Number <= cur.base:
		c.report(Violation{Once, rd.client, cur.room, fmt.Sprintf(
			"reads after %s %d and got %d (record %d)", rd.line, cur.base, r.Number, r.Wall)})
	case r.Number < high:
		c.report(Violation{Ordered, rd.client, cur.room, fmt.Sprintf(
			"got %s %d after %d (record %d)", rd.line, r.Number, high, r.Wall)})
	}
	if r.Number > cur.high {
		cur.steps = append(cur.steps, step{cur.high, r.Number, cur.fresh})
		cur.high, cur.fresh = r.Number, false
	}
}

// checkSeen: what a reader saw is in the log as it saw it.
func (c *checker) checkSeen(cur *cursor, r Record) {
	e, ok := c.numbered(cur.room, cur.reader.line).byNumber[r.Number]
	switch {
	case !ok:
		c.report(Violation{Durable, cur.reader.client, cur.room, fmt.Sprintf(
			"saw %q at %s %d (record %d), which the log does not hold", r.Mark, cur.reader.line, r.Number, r.Wall)})
	case r.Mark != "" && r.Mark != e.Mark:
		c.report(Violation{Durable, cur.reader.client, cur.room, fmt.Sprintf(
			"saw %q at %s %d (record %d), where the log holds %q", r.Mark, cur.reader.line, r.Number, r.Wall, e.Mark)})
	}
}

// checkHoles: Gapless and Resumable. A hole right behind a resumption, or at the end of what was waited for, says that
// coming back was not answered in full; any other one says that something got lost under way.
func (c *checker) checkHoles(cur *cursor) {
	if !cur.placed {
		return
	}
	must := c.numbered(cur.room, cur.reader.line).must
	for i := 0; i < len(must); i++ {
		if !cur.misses(must[i]) {
			continue
		}
		first := must[i]
		for i+1 < len(must) && cur.misses(must[i+1]) && cur.promise(must[i+1]) == cur.promise(first) {
			i++
		}
		c.report(Violation{cur.promise(first), cur.reader.client, cur.room, fmt.Sprintf(
			"never got %s %d to %d, though it read from %d to %d", cur.reader.line, first, must[i], cur.base, max(cur.high, cur.due))})
	}
}

// misses tells whether a number should have come and did not.
func (cur *cursor) misses(n uint64) bool {
	if _, ok := cur.seen[n]; ok || n <= cur.base || n > max(cur.high, cur.due) {
		return false
	}
	return !slices.ContainsFunc(cur.gaps, func(g Record) bool { return n > g.Number && n <= g.Through })
}

// promise is the one that a missing number breaks.
func (cur *cursor) promise(n uint64) Promise {
	for _, s := range cur.steps {
		if n > s.from && n < s.to && !s.resumed {
			return Gapless
		}
	}
	return Resumable
}

// numbers are the entries of a room by their number on a line.
type numbers struct {
	byNumber map[uint64]Entry
	// must are the numbers that a reader has to get, rising.
	must []uint64
}

type lineOf struct {
	room string
	line Line
}

func (c *checker) numbered(room string, l Line) *numbers {
	if n := c.lines[lineOf{room, l}]; n != nil {
		return n
	}
	out := &numbers{byNumber: map[uint64]Entry{}}
	for _, e := range c.rooms[room] {
		n, must := e.number(l)
		if n == 0 {
			continue
		}
		out.byNumber[n] = e
		if must {
			out.must = append(out.must, n)
		}
	}
	slices.Sort(out.must)
	c.lines[lineOf{room, l}] = out
	return out
}
