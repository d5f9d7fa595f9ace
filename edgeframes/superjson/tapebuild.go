package superjson

import "strings"

// builder makes values of cells, and gives up where parseSlow must decide.
type builder struct {
	tape *tape
	// block holds short texts, so that each costs no allocation of its own. It is
	// small, because one text that lives on keeps the whole block.
	block   strings.Builder
	strings boxes[String]
	numbers boxes[Number]
	dates   boxes[Date]
}

const (
	blockSize = 512
	// longText is the length from which a text is allocated on its own.
	longText = 64
	// longWord is the length from which a text is not expected to come again.
	longWord = 20
)

func (b *builder) build(at int32) (Value, bool) {
	c := &b.tape.cells[at]
	if c.typ != plainNote {
		return b.typed(at, c)
	}
	return b.plain(at, c)
}

func (b *builder) plain(at int32, c *cell) (Value, bool) {
	switch c.kind {
	case cellString:
		return b.word(c)
	case cellNumber:
		return b.number(c), true
	case cellObject:
		return b.object(at, c)
	case cellArray:
		items, ok := b.items(at, c)
		return items, ok
	case cellTrue:
		return Bool(true), true
	case cellFalse:
		return Bool(false), true
	}
	return Null{}, true
}

// typed revives a value of the common types directly, others from their plain form.
func (b *builder) typed(at int32, c *cell) (Value, bool) {
	switch {
	case c.typ == noteDate && c.kind == cellString && !c.awkward:
		if d, ok := isoDate(b.tape.text[c.from:c.to]); ok {
			return b.dates.box(d), true
		}
	case c.typ == noteMap && c.kind == cellArray:
		return b.mapOf(at, c)
	case c.typ == noteSet && c.kind == cellArray:
		items, ok := b.items(at, c)
		return NewSet(items...), ok
	case c.typ == noteUndefined && c.kind == cellNull:
		return Undefined{}, true
	}
	plain, ok := b.plain(at, c)
	if !ok {
		return nil, false
	}
	name := ""
	if c.typ >= noteClass {
		name = b.tape.labels[c.label]
	}
	v, err := b.tape.codec.revive(c.typ, name, plain)
	return v, err == nil
}

func (b *builder) text(c *cell) (string, bool) {
	if c.awkward {
		s := scanner{data: b.tape.text, pos: int(c.from) - 1}
		text, err := s.str()
		return text, err == nil
	}
	return b.copied(b.tape.text[c.from:c.to]), true
}

func (b *builder) word(c *cell) (Value, bool) {
	n := c.to - c.from
	if c.awkward || n == 0 || n >= longWord {
		s, ok := b.text(c)
		if len(s) >= longText {
			return String(s), ok
		}
		return b.strings.box(String(s)), ok
	}
	return b.tape.lexicon.word(b.tape.text[c.from:c.to], b), true
}

func (b *builder) copied(text []byte) string {
	if len(text) >= longText {
		return string(text)
	}
	if b.block.Cap()-b.block.Len() < len(text) {
		b.block = strings.Builder{}
		b.block.Grow(min(blockSize, len(b.tape.text)))
	}
	start := b.block.Len()
	b.block.Write(text)
	return b.block.String()[start:]
}

// smallNumbers are the integers that need no allocation.
var smallNumbers = func() (table [1000]Value) {
	for i := range table {
		table[i] = Int(int64(i))
	}
	return table
}()

func (b *builder) number(c *cell) Value {
	text := b.tape.text[c.from:c.to]
	if c.awkward {
		n := numberFromJSON(string(text))
		if n.special() {
			// It will need an annotation when it is printed again.
			b.tape.annotations++
		}
		return n
	}
	if i, ok := tapeIndex(text); ok && int(i) < len(smallNumbers) {
		return smallNumbers[i]
	}
	return b.numbers.box(Number{b.copied(text)})
}

func (b *builder) items(at int32, c *cell) (Array, bool) {
	items := make(Array, c.count)
	pos := at + 1
	for i := range items {
		v, ok := b.build(pos)
		if !ok {
			return nil, false
		}
		items[i] = v
		pos = b.tape.cells[pos].next
	}
	return items, true
}

func (b *builder) object(at int32, c *cell) (Value, bool) {
	o := objectOf(int(c.count))
	awkward := false
	pos := at + 1
	for i := range o.members {
		k := &b.tape.cells[pos]
		m := &o.members[i]
		var ok bool
		if m.Key, ok = b.key(k); !ok {
			return nil, false
		}
		awkward = awkward || m.Key != "" && m.Key[0] <= '9'
		if m.Value, ok = b.build(pos + 1); !ok {
			return nil, false
		}
		pos = b.tape.cells[pos+1].next
	}
	switch {
	case len(o.members) > indexFrom:
		var repeated bool
		if o.index, repeated = indexMembers(o.members); repeated {
			return nil, false
		}
	case repeats(o.members):
		// Which of the two a path meant is not for the tape to know.
		return nil, false
	}
	if awkward {
		o.arrange()
	}
	return o, true
}

func (b *builder) key(c *cell) (string, bool) {
	text := b.tape.text[c.from:c.to]
	if c.awkward || len(text) == 0 || len(text) >= longText {
		return b.text(c)
	}
	return b.tape.lexicon.key(text), true
}

// objectOf returns an object of n members to be filled, in one allocation if n is small.
func objectOf(n int) *Object {
	switch {
	case n == 0:
		return &Object{}
	case n > 8:
	case n <= 2:
		o := new(struct {
			Object
			in [2]Member
		})
		o.members = o.in[:n]
		return &o.Object
	case n <= 4:
		o := new(struct {
			Object
			in [4]Member
		})
		o.members = o.in[:n]
		return &o.Object
	case n <= 6:
		o := new(struct {
			Object
			in [6]Member
		})
		o.members = o.in[:n]
		return &o.Object
	default:
		o := new(struct {
			Object
			in [8]Member
		})
		o.members = o.in[:n]
		return &o.Object
	}
	return &Object{members: make([]Member, n)}
}

// mapOf builds a Map from pairs that have no types of their own.
func (b *builder) mapOf(at int32, c *cell) (Value, bool) {
	m := &Map{}
	if c.count == 1 {
		one := new(struct {
			Map
			in [1]Entry
		})
		one.entries = one.in[:]
		m = &one.Map
	} else if c.count > 1 {
		m.entries = make([]Entry, c.count)
	}
	pos := at + 1
	for i := range m.entries {
		pair := b.tape.cells[pos]
		if pair.kind != cellArray || pair.count != 2 || pair.typ != plainNote {
			return nil, false
		}
		var ok bool
		if m.entries[i].Key, ok = b.build(pos + 1); !ok {
			return nil, false
		}
		if m.entries[i].Value, ok = b.build(b.tape.cells[pos+1].next); !ok {
			return nil, false
		}
		pos = pair.next
	}
	m.arrange()
	return m, true
}

// isoDate reads the form that the library prints, 2026-01-02T03:04:05.678Z.
func isoDate(s []byte) (Date, bool) {
	if len(s) != len("2026-01-02T03:04:05.678Z") || s[4] != '-' || s[7] != '-' || s[10] != 'T' ||
		s[13] != ':' || s[16] != ':' || s[19] != '.' || s[23] != 'Z' {
		return Date{}, false
	}
	century, year, month, dom := pair(s, 0), pair(s, 2), pair(s, 5), pair(s, 8)
	hour, minute, sec := pair(s, 11), pair(s, 14), pair(s, 17)
	tenths, last := pair(s, 20), int(s[22]-'0')
	// A pair that is no number has a high bit and spoils the whole.
	if century|year|month|dom|hour|minute|sec|tenths < 0 || last < 0 || last > 9 {
		return Date{}, false
	}
	if month < 1 || month > 12 || dom < 1 || dom > 31 || hour > 23 || minute > 59 || sec > 59 {
		return Date{}, false
	}
	days := daysOf(century*100+year, month, dom)
	ms := ((days*24+int64(hour))*60+int64(minute))*60 + int64(sec)
	return Date{ms: ms*1000 + int64(tenths*10+last)}, true
}

// pair reads two digits, -1 if they are none.
func pair(s []byte, at int) int {
	a, b := s[at]-'0', s[at+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}
