package superjson

import "unsafe"

// annotate reads the annotation tree and gives the places that it leads to their types,
// children before the node they stand in.
func (r *reader) annotate(root *Value) bool {
	if r.peek() == '{' {
		return r.children(root, 0)
	}
	return r.typed(root, 0, nil)
}

// typed reads ["Date"] or ["map",{…}] for the value at p. pathLen is the length of the
// path so far, key its last segment.
func (r *reader) typed(p *Value, pathLen int, key []byte) bool {
	if r.literal(`["Date"]`) {
		return r.date(p, key)
	}
	if r.peek() != '[' {
		return false
	}
	r.pos++
	typ, label, ok := r.annotation()
	if !ok {
		return false
	}
	if r.peek() == ',' {
		if r.pos++; r.peek() != '{' || !r.children(p, pathLen) {
			return false
		}
	}
	if r.peek() != ']' {
		return false
	}
	r.pos++
	if typ == noteDate {
		return r.date(p, key)
	}
	return r.revive(p, typ, label)
}

// annotation reads "Date" or ["class","Point"].
func (r *reader) annotation() (typ annotation, label string, ok bool) {
	if r.peek() == '"' {
		word, ok := r.plainString()
		typ = simpleType(string(word))
		return typ, "", ok && typ != plainNote
	}
	if !r.literal("[") || r.peek() != '"' {
		return 0, "", false
	}
	kind, ok := r.plainString()
	if !ok || r.peek() != ',' {
		return 0, "", false
	}
	if r.pos++; r.peek() != '"' {
		return 0, "", false
	}
	name, ok := r.plainString()
	if !ok || r.peek() != ']' {
		return 0, "", false
	}
	r.pos++
	label = string(name)
	typ = r.codec.compositeType(string(kind), label)
	return typ, label, typ != plainNote
}

// plainString reads a string without escapes.
func (r *reader) plainString() ([]byte, bool) {
	from, to, awkward, ok := r.span()
	if !ok || awkward {
		return nil, false
	}
	return r.text[from:to], true
}

// counts notes one annotation of the value at p. A value with a type is no longer plain
// JSON, and which of two types counts is for the slow way to know.
func (r *reader) counts(p *Value) bool {
	r.annotations++
	if r.annotations > r.codec.Limits.MaxAnnotations {
		return false
	}
	switch v := (*p).(type) {
	case Number:
		return !v.special()
	case String, Null, Bool, Array, *Object:
		return true
	case Date:
		r.misled = v.mark == guessMark
	}
	return false
}

// date makes the value at p a Date, or confirms that it is one. It remembers that key
// holds Dates.
func (r *reader) date(p *Value, key []byte) bool {
	if d, ok := (*p).(Date); ok && d.mark == guessMark {
		r.annotations++
		r.guessed--
		(*Date)(boxed(*p)).mark = nil
		return true
	}
	if !r.counts(p) {
		return false
	}
	s, ok := (*p).(String)
	if !ok {
		*p = reviveDate(*p)
		return true
	}
	d, ok := r.day.isoDate(unsafe.Slice(unsafe.StringData(string(s)), len(s)))
	if !ok {
		*p = reviveDate(s)
		return true
	}
	*p = r.dates.box(d)
	if len(key) > 0 {
		if e := &r.lexicon.entries[r.lexicon.find(key)]; e.dates == unknown && len(e.key) > 0 {
			e.dates = likely
		}
	}
	return true
}

// revive makes the value at p one of the other types.
func (r *reader) revive(p *Value, typ annotation, label string) bool {
	if !r.counts(p) {
		return false
	}
	if rows, ok := (*p).(Array); ok && typ == noteMap {
		if m := mapOf(rows); m != nil {
			*p = m
			return true
		}
	}
	v, err := r.codec.revive(typ, label, *p)
	if err != nil {
		return false
	}
	if n, ok := v.(Number); ok && !n.special() {
		// It would pass for one that has no annotation yet.
		return false
	}
	*p = v
	return true
}

// children reads the annotations of what is inside p. The library puts paths that are an
// index first; so does the slow way whatever their order, which is left to it.
func (r *reader) children(p *Value, pathLen int) bool {
	r.pos++
	if r.peek() == '}' {
		r.pos++
		return true
	}
	named := false
	var row row
	for {
		if r.peek() != '"' {
			return false
		}
		start := r.pos + 1
		to, key, n, ok := r.path(p, pathLen, &row)
		if !ok {
			return false
		}
		if !isIndexPath(r.text[start:r.pos-1], key) {
			named = true
		} else if named {
			return false
		}
		if r.peek() != ':' {
			return false
		}
		r.pos++
		if !r.typed(to, n, key) {
			return false
		}
		switch r.peek() {
		case ',':
			r.pos++
		case '}':
			r.pos++
			return true
		default:
			return false
		}
	}
}

// isIndexPath reports whether a path whose last segment is key is nothing but an index.
func isIndexPath(path, key []byte) bool {
	if len(path) == 0 || path[0] < '0' || path[0] > '9' || len(key) != len(path) {
		return false
	}
	_, ok := arrayIndex(string(path))
	return ok
}

// path reads a path and follows it from p. It returns the last segment and the length of
// the whole path too. row is what the path before went along, and then what this one did.
func (r *reader) path(p *Value, pathLen int, row *row) (to *Value, last []byte, n int, ok bool) {
	if to, last, n, ok = r.along(row, pathLen); ok {
		return to, last, n, true
	}
	start := r.pos
	from, end, awkward, ok := r.span()
	if !ok {
		return nil, nil, 0, false
	}
	row.items = nil
	if awkward {
		return r.escapedPath(start, p, pathLen)
	}
	pathLen += end - from + 1
	if pathLen > r.codec.Limits.MaxPath {
		return nil, nil, 0, false
	}
	for {
		end := from
		for r.text[end] != '.' && r.text[end] != '"' {
			end++
		}
		if items, ok := (*p).(Array); ok {
			row.prefix, row.items = r.text[start:from], items
		}
		if p = r.step(p, r.text[from:end]); p == nil {
			return nil, nil, 0, false
		}
		if r.text[end] == '"' {
			return p, r.text[from:end], pathLen, true
		}
		from = end + 1
	}
}

// escapedPath is path for one with escapes of JSON or of its own. How its own are to be
// read depends on the version.
func (r *reader) escapedPath(start int, p *Value, pathLen int) (*Value, []byte, int, bool) {
	if !r.newest {
		return nil, nil, 0, false
	}
	s := scanner{data: r.text, pos: start}
	text, err := s.str()
	if err != nil {
		return nil, nil, 0, false
	}
	if _, ok := arrayIndex(text); ok {
		return nil, nil, 0, false
	}
	segments := pathReader{rest: text}
	for {
		seg, more, err := segments.next()
		if err != nil {
			return nil, nil, 0, false
		}
		if !more {
			return p, nil, pathLen, true
		}
		if pathLen += escapedLen(seg) + 1; pathLen > r.codec.Limits.MaxPath {
			return nil, nil, 0, false
		}
		if p = r.step(p, []byte(seg)); p == nil {
			return nil, nil, 0, false
		}
	}
}

// step follows one segment to a place that is there, nil if there is none or it is not
// one of plain JSON.
func (r *reader) step(p *Value, seg []byte) *Value {
	switch v := (*p).(type) {
	case Array:
		if i, ok := itemIndex(seg); ok && i < len(v) {
			return &v[i]
		}
	case *Object:
		if r.hint < len(v.members) && v.members[r.hint].Key == string(seg) && len(seg) < len("__proto__") {
			return &v.members[r.hint].Value
		}
		if len(seg) >= len("__proto__") && forbidden(string(seg)) {
			return nil
		}
		// The key is only compared.
		if i, ok := v.find(unsafe.String(unsafe.SliceData(seg), len(seg))); ok {
			r.hint = i
			return &v.members[i].Value
		}
	}
	return nil
}

// itemIndex reads the index of an array.
func itemIndex(seg []byte) (int, bool) {
	if len(seg) == 0 || len(seg) > 9 || seg[0] == '0' && len(seg) > 1 {
		return 0, false
	}
	n := 0
	for _, c := range seg {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
