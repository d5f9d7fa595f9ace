package sqlitelog

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stele/core"
)

// maxLives is how many lives positions below 2^53 have room for, see [core.FirstOf]. Within a life there is always room:
// SQLite's largest file ends long before 2^40 events.
const maxLives = 8192

// errLives refuses one life more than there are positions for.
var errLives = fmt.Errorf("the log was replaced %d times, and no positions are left for another life", maxLives-1)

// lives are the ends of the log's earlier lives, oldest first: the log's head at the moment each of them ended. The end of
// a life without events is that of the life before it, or 0. Between the end of a life and the first position of the next
// there is nothing.
type lives []core.Position

// Lives implements [core.Log]. An earlier life that saw no event ends where the one before it did: the end of each is
// what the log's head was when the next one began.
func (l *Log) Lives() []core.Position { return slices.Clone(l.lives) }

// end is where the log stood when its present life began.
func (ls lives) end() core.Position {
	if len(ls) == 0 {
		return 0
	}
	return ls[len(ls)-1]
}

// base is the position after which the next event goes, when the log's last event has this one.
func (ls lives) base(head core.Position) core.Position { return max(head, core.FirstOf(len(ls))-1) }

// next is the first position after pos that an event may have.
func (ls lives) next(pos core.Position) core.Position {
	for life := (pos + 1).Life(); life < len(ls) && pos >= ls[life]; life++ {
		pos = core.FirstOf(life+1) - 1
	}
	return pos + 1
}

// previous is the last position before pos that an event has, when pos is one that an event may have.
func (ls lives) previous(pos core.Position) core.Position {
	if life := pos.Life(); pos == core.FirstOf(life) && 0 < life && life <= len(ls) {
		return ls[life-1]
	}
	return pos - 1
}

// ended returns the list after the present life has ended at head. The next one comes after every life that given, a
// position that was once given out, belongs to. Those between never were, in this file.
func (ls lives) ended(head, given core.Position) (lives, error) {
	number := max(len(ls), given.Life()) + 1
	if number >= maxLives {
		return nil, errLives
	}
	out := slices.Clone(ls)
	for len(out) < number {
		out = append(out, head)
	}
	return out, nil
}

// String is the form in which the table meta keeps the list: decimal numbers with a space between.
func (ls lives) String() string {
	words := make([]string, len(ls))
	for i, end := range ls {
		words[i] = strconv.FormatUint(uint64(end), 10)
	}
	return strings.Join(words, " ")
}

// parseLives reads what String wrote. A list that cannot be is damage.
func parseLives(text string) (lives, error) {
	var ls lives
	for i, word := range strings.Fields(text) {
		n, err := strconv.ParseUint(word, 10, 64)
		end := core.Position(n)
		if err != nil || i >= maxLives-1 || end < ls.end() || end >= core.FirstOf(i+1) {
			return nil, fmt.Errorf("%w: end %q of life %d", errMalformed, word, i)
		}
		ls = append(ls, end)
	}
	return ls, nil
}

// loadLives reads the list and how far the log has got. A file that was never replaced has none.
func loadLives(c *conn) (ls lives, head core.Position, err error) {
	v, err1 := c.scalar(queryMeta, metaLives)
	last, err2 := c.integer(queryHead)
	if err := errors.Join(err1, err2); err != nil {
		return nil, 0, err
	}
	if v != nil {
		text, ok := v.(string)
		if !ok {
			return nil, 0, fmt.Errorf("%w: %T for the list of lives", errMalformed, v)
		}
		if ls, err = parseLives(text); err != nil {
			return nil, 0, err
		}
	}
	// When the last events before the present life are gone, the head stays where they were, so that readers notice.
	head = max(core.Position(last), ls.end())
	if head.Life() > len(ls) {
		return nil, 0, fmt.Errorf("%w: position %d lies beyond the log's %d lives", errMalformed, head, len(ls)+1)
	}
	return ls, head, nil
}
