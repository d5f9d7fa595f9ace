package superjson

// trail remembers where the last path led in a large container, so that paths in the
// order of the text are followed in one walk over it, and indexes it when one leads back.
type trail struct {
	// ordinal is the place of the child at pos.
	ordinal, pos int32
	items        []int32
	members      map[string]int32
}

// smallContainer is the number of children up to which a plain scan is quickest.
const smallContainer = 8

// tree reads an annotation tree and puts its types on the cells they lead to. pathLen is
// the length of the path so far.
func (t *tape) tree(at int32, pathLen int) bool {
	switch t.peek() {
	case '{':
		return t.children(at, pathLen)
	case '[':
		t.pos++
	default:
		return false
	}
	typ, label, ok := t.annotation()
	if !ok {
		return false
	}
	if t.peek() == ',' {
		if t.pos++; t.peek() != '{' || !t.children(at, pathLen) {
			return false
		}
	}
	if t.peek() != ']' {
		return false
	}
	t.pos++
	c := &t.cells[at]
	if c.typ != plainNote {
		return false
	}
	c.typ, c.label = typ, label
	t.annotations++
	return t.annotations <= t.codec.Limits.MaxAnnotations
}

// annotation reads "Date" or ["class","Point"].
func (t *tape) annotation() (annotation, int32, bool) {
	if t.peek() == '"' {
		word, ok := t.plainString()
		typ := simpleType(string(word))
		return typ, 0, ok && typ != plainNote
	}
	if !t.literal("[") || t.peek() != '"' {
		return 0, 0, false
	}
	kind, ok := t.plainString()
	if !ok || t.peek() != ',' {
		return 0, 0, false
	}
	if t.pos++; t.peek() != '"' {
		return 0, 0, false
	}
	name, ok := t.plainString()
	if !ok || t.peek() != ']' {
		return 0, 0, false
	}
	t.pos++
	label := string(name)
	typ := t.codec.compositeType(string(kind), label)
	t.labels = append(t.labels, label)
	return typ, int32(len(t.labels) - 1), typ != plainNote
}

// plainString reads a string without escapes.
func (t *tape) plainString() ([]byte, bool) {
	from, to, awkward, ok := t.span()
	if !ok || awkward {
		return nil, false
	}
	return t.text[from:to], true
}

func (t *tape) children(at int32, pathLen int) bool {
	t.pos++
	if t.peek() == '}' {
		t.pos++
		return true
	}
	for {
		if t.peek() != '"' {
			return false
		}
		to, n, ok := t.path(at, pathLen)
		if !ok || t.peek() != ':' {
			return false
		}
		t.pos++
		if !t.tree(to, n) {
			return false
		}
		switch t.peek() {
		case ',':
			t.pos++
		case '}':
			t.pos++
			return true
		default:
			return false
		}
	}
}

// path reads a path and follows it from the cell at.
func (t *tape) path(at int32, pathLen int) (int32, int, bool) {
	start := t.pos
	from, to, awkward, ok := t.span()
	if !ok {
		return 0, 0, false
	}
	if awkward {
		return t.escapedPath(start, at, pathLen)
	}
	pathLen += to - from + 1
	if pathLen > t.codec.Limits.MaxPath {
		return 0, 0, false
	}
	path := t.text[from:to]
	for {
		end := 0
		for end < len(path) && path[end] != '.' {
			end++
		}
		if at, ok = t.step(at, path[:end]); !ok {
			return 0, 0, false
		}
		if end == len(path) {
			return at, pathLen, true
		}
		path = path[end+1:]
	}
}

// escapedPath is path for one with escapes of JSON or of its own. How its own are to be
// read depends on the version.
func (t *tape) escapedPath(start int, at int32, pathLen int) (int32, int, bool) {
	if !t.newest {
		return 0, 0, false
	}
	s := scanner{data: t.text, pos: start}
	text, err := s.str()
	if err != nil {
		return 0, 0, false
	}
	r := pathReader{rest: text}
	for {
		seg, more, err := r.next()
		if err != nil {
			return 0, 0, false
		}
		if !more {
			return at, pathLen, true
		}
		if pathLen += escapedLen(seg) + 1; pathLen > t.codec.Limits.MaxPath {
			return 0, 0, false
		}
		var ok bool
		if at, ok = t.step(at, []byte(seg)); !ok {
			return 0, 0, false
		}
	}
}

// step follows one segment to a cell that is there. A cell with a type already is no
// longer plain JSON.
func (t *tape) step(at int32, seg []byte) (int32, bool) {
	c := &t.cells[at]
	if c.typ != plainNote {
		return 0, false
	}
	switch c.kind {
	case cellArray:
		i, ok := tapeIndex(seg)
		if !ok || i >= c.count {
			return 0, false
		}
		return t.item(at, i), true
	case cellObject:
		if len(seg) >= len("__proto__") && forbidden(string(seg)) {
			return 0, false
		}
		key := t.member(at, seg)
		return key + 1, key >= 0
	}
	return 0, false
}

// tapeIndex reads an array index that fits the tape.
func tapeIndex(seg []byte) (int32, bool) {
	if len(seg) == 0 || len(seg) > 9 || seg[0] == '0' && len(seg) > 1 {
		return 0, false
	}
	var n int32
	for _, c := range seg {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int32(c-'0')
	}
	return n, true
}

func (t *tape) item(at, i int32) int32 {
	if t.cells[at].count <= smallContainer {
		pos := at + 1
		for ; i > 0; i-- {
			pos = t.cells[pos].next
		}
		return pos
	}
	tr := t.trail(at)
	if i < tr.ordinal && tr.items == nil {
		tr.items = make([]int32, 0, t.cells[at].count)
		for pos := at + 1; pos < t.cells[at].next; pos = t.cells[pos].next {
			tr.items = append(tr.items, pos)
		}
	}
	if tr.items != nil {
		return tr.items[i]
	}
	for ; tr.ordinal < i; tr.ordinal++ {
		tr.pos = t.cells[tr.pos].next
	}
	return tr.pos
}

// trail returns the trail of a container, new ones at its first child.
func (t *tape) trail(at int32) *trail {
	c := &t.cells[at]
	if c.from == 0 {
		t.trails = append(t.trails, trail{pos: at + 1})
		c.from = int32(len(t.trails))
	}
	return &t.trails[c.from-1]
}

// member returns the cell of a key, -1 if the object lacks it.
func (t *tape) member(at int32, key []byte) int32 {
	end := t.cells[at].next
	if t.cells[at].count <= smallContainer {
		return t.scanMembers(at+1, end, key)
	}
	tr := t.trail(at)
	if tr.members == nil {
		if pos := t.scanMembers(tr.pos, end, key); pos >= 0 {
			tr.pos = pos
			return pos
		}
		tr.members = make(map[string]int32, t.cells[at].count)
		for pos := at + 1; pos < end; pos = t.cells[pos+1].next {
			tr.members[t.key(pos)] = pos
		}
	}
	if pos, ok := tr.members[string(key)]; ok {
		return pos
	}
	return -1
}

func (t *tape) scanMembers(pos, end int32, key []byte) int32 {
	for pos < end {
		c := &t.cells[pos]
		if c.awkward {
			if t.key(pos) == string(key) {
				return pos
			}
		} else if int(c.to-c.from) == len(key) && string(t.text[c.from:c.to]) == string(key) {
			return pos
		}
		pos = t.cells[pos+1].next
	}
	return -1
}

// key returns the text of the string at pos, "" if its escapes are wrong, which building
// it will find.
func (t *tape) key(pos int32) string {
	c := &t.cells[pos]
	if !c.awkward {
		return string(t.text[c.from:c.to])
	}
	s := scanner{data: t.text, pos: int(c.from) - 1}
	text, _ := s.str()
	return text
}
