package superjson

import "strconv"

// note is what the annotation tree has to say about one value: the type that JSON
// lost, if any, and the notes of its parts. It exists only along the way to
// something annotated, so that plain values cost nothing.
type note struct {
	typ string
	// composite marks a typed array, whose annotation has two words.
	composite bool
	parts     []part
}

type part struct {
	key  string
	note *note
}

func annotated(typ string) *note { return &note{typ: typ} }

// with adds the note of the part at key, if there is one. Both may be nil.
func (n *note) with(key string, below *note) *note {
	if below == nil {
		return n
	}
	if n == nil {
		n = &note{}
	}
	n.parts = append(n.parts, part{key, below})
	return n
}

func (n *note) withItem(i int, below *note) *note {
	if below == nil {
		return n
	}
	return n.with(strconv.Itoa(i), below)
}

// appendNotes prints n: [type], [type,{…}] or {…}.
func appendNotes(dst []byte, n *note) []byte {
	if n.typ == "" {
		return appendRecord(dst, n)
	}
	dst = append(dst, '[')
	if n.composite {
		dst = append(dst, `["typed-array",`...)
		dst = append(appendString(dst, n.typ), ']')
	} else {
		dst = appendString(dst, n.typ)
	}
	if len(n.parts) > 0 {
		dst = appendRecord(append(dst, ','), n)
	}
	return append(dst, ']')
}

func appendRecord(dst []byte, n *note) []byte {
	r := recordPrinter{dst: append(dst, '{'), first: true}
	r.flatten(n, false)
	return append(r.dst, '}')
}

// recordPrinter prints one record of paths. Parts without a type of their own get no
// record; their parts' paths are joined to theirs.
type recordPrinter struct {
	dst   []byte
	path  []byte
	first bool
}

// flatten prints the parts of n. The library collects each level's paths in a
// JavaScript object before it joins them to the level above, and that object puts
// array indices first; a joined path is never an index. joined tells whether r.path
// leads to n already, which an empty path does not show: a key may be empty.
func (r *recordPrinter) flatten(n *note, joined bool) {
	for _, p := range n.parts {
		if p.indexed() {
			r.part(p, joined)
		}
	}
	for _, p := range n.parts {
		if !p.indexed() {
			r.part(p, joined)
		}
	}
}

func (p part) indexed() bool {
	if p.note.typ == "" {
		return false
	}
	_, ok := arrayIndex(p.key)
	return ok
}

func (r *recordPrinter) part(p part, joined bool) {
	before := len(r.path)
	if joined {
		r.path = append(r.path, '.')
	}
	r.path = appendEscaped(r.path, p.key)
	if p.note.typ != "" {
		r.leaf(p.note)
	} else {
		r.flatten(p.note, true)
	}
	r.path = r.path[:before]
}

func (r *recordPrinter) leaf(n *note) {
	if !r.first {
		r.dst = append(r.dst, ',')
	}
	r.first = false
	r.dst = append(appendString(r.dst, string(r.path)), ':')
	r.dst = appendNotes(r.dst, n)
}
