package superjson

// ending is how a text ended lately: with one annotation, which makes one member of the
// root a Date. Small messages of one kind end alike, so that a comparison says what
// reading it again would. What is expected is always compared with the text and with the
// value: a wrong expectation costs time and nothing else.
type ending struct {
	// rest is all that followed `"meta":{`, and key that of the member.
	rest, key string
	// missed counts texts that ended otherwise since rest was taken.
	missed uint8
}

const (
	// endingText is the length up to which a text's end is remembered.
	endingText = 96
	// endingPatience is after how many texts in a row that ended otherwise another end is
	// taken.
	endingPatience = 4
)

// confirmed reads the end of a text that is the one of a text before, if what it says is
// true of root as it said it then: that the member which the last path led to is a Date
// that was guessed.
func (r *reader) confirmed(root *Value) bool {
	e := &r.ending
	if len(e.rest) == 0 || string(r.text[r.pos:]) != e.rest {
		return false
	}
	o, ok := (*root).(*Object)
	if !ok || r.hint >= len(o.members) || len(e.key)+1 > r.codec.Limits.MaxPath {
		return false
	}
	m := &o.members[r.hint]
	if d, ok := m.Value.(Date); !ok || d.mark != guessMark || m.Key != e.key {
		return false
	}
	(*Date)(boxed(m.Value)).mark = nil
	r.annotations++
	r.guessed--
	r.pos = len(r.text)
	e.missed = 0
	return true
}

// remember takes the end of a text, which began at start and was just read whole, for the
// next ones, if it is such an end and several in a row were others than the one taken.
func (r *reader) remember(root *Value, start int) {
	e := &r.ending
	if e.missed++; e.missed < endingPatience && len(e.rest) > 0 {
		return
	}
	o, ok := (*root).(*Object)
	if !ok || r.hint >= len(o.members) || len(r.text)-start > endingText {
		return
	}
	m := &o.members[r.hint]
	if _, ok := m.Value.(Date); !ok || string(r.text[start:]) != `"values":{"`+m.Key+`":["Date"]},"v":1}}` {
		return
	}
	*e = ending{rest: string(r.text[start:]), key: string(append([]byte(nil), m.Key...))}
}
