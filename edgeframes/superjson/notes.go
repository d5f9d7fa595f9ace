package superjson

import "strconv"

// key says where a value stands in its container: under a name, or at an index.
type key struct {
	name  string
	index int32
}

func named(name string) key { return key{name: name, index: -1} }

func at(i int) key { return key{index: int32(i)} }

// asIndex returns the number of a key that JavaScript orders as an array index.
func (k key) asIndex() (uint32, bool) {
	if k.index >= 0 {
		return uint32(k.index), true
	}
	return arrayIndex(k.name)
}

// isIndex reports whether JavaScript orders the key as an array index.
func (k key) isIndex() bool {
	_, ok := k.asIndex()
	return ok
}

// appendSegment adds the key as one segment of a path.
func (k key) appendSegment(dst []byte) []byte {
	if k.index >= 0 {
		return strconv.AppendInt(dst, int64(k.index), 10)
	}
	return appendEscaped(dst, k.name)
}

// note is what the annotation tree has to say about one value: the type that JSON
// lost, if any. Notes stand in one flat list, each followed by those of its parts;
// plain values that hold nothing annotated leave none.
type note struct {
	key key
	// end is the index after the notes of the parts.
	end int32
	typ annotation
	// label is the place of a class's, symbol's or transformer's name in a list.
	label int32
}

// annotation is the type of a note; 0 is a plain value on the way to others.
type annotation uint8

const (
	plainNote annotation = iota
	noteUndefined
	noteBigInt
	noteDate
	noteError
	noteRegExp
	noteSet
	noteMap
	noteNumber
	noteURL
	noteClass
	noteSymbol
	noteCustom
	// noteTyped and the numbers after it are the typed arrays.
	noteTyped
)

var annotationTexts = [...]string{
	noteUndefined: `"undefined"`, noteBigInt: `"bigint"`, noteDate: `"Date"`, noteError: `"Error"`,
	noteRegExp: `"regexp"`, noteSet: `"set"`, noteMap: `"map"`, noteNumber: `"number"`, noteURL: `"URL"`,
	noteClass: `"class"`, noteSymbol: `"symbol"`, noteCustom: `"custom"`, noteTyped: `"typed-array"`,
}

// recordPrinter prints the records of paths. Parts without a type of their own get no
// record; their parts' paths are joined to theirs.
type recordPrinter struct {
	dst    []byte
	path   []byte
	notes  []note
	labels []string
}

// tree prints the notes of the value at i: [type], [type,{…}] or {…}.
func (r *recordPrinter) tree(i int32) {
	n := &r.notes[i]
	if n.typ == plainNote {
		r.record(i)
		return
	}
	r.dst = append(r.dst, '[')
	switch {
	case n.typ >= noteTyped:
		r.dst = append(r.dst, `["typed-array","`...)
		r.dst = append(r.dst, arrayTypes[n.typ-noteTyped]...)
		r.dst = append(r.dst, `"]`...)
	case n.typ >= noteClass:
		r.dst = append(append(r.dst, '['), annotationTexts[n.typ]...)
		r.dst = appendString(append(r.dst, ','), r.labels[n.label])
		r.dst = append(r.dst, ']')
	default:
		r.dst = append(r.dst, annotationTexts[n.typ]...)
	}
	if n.end > i+1 {
		r.dst = append(r.dst, ',')
		r.record(i)
	}
	r.dst = append(r.dst, ']')
}

func (r *recordPrinter) record(i int32) {
	r.dst = append(r.dst, '{')
	before := len(r.path)
	first := true
	r.flatten(i, before, before, &first)
	r.path = r.path[:before]
	r.dst = append(r.dst, '}')
}

// flatten prints the parts of the note at i, whose path so far is r.path[from:]. The
// library collects each level's paths in a JavaScript object before it joins them to
// the level above, and that object puts array indices first; a joined path is never an
// index.
func (r *recordPrinter) flatten(i int32, from, prefix int, first *bool) {
	end := r.notes[i].end
	rest := false
	for j := i + 1; j < end; j = r.notes[j].end {
		if n := &r.notes[j]; n.typ != plainNote && n.key.isIndex() {
			r.part(j, from, prefix, first)
		} else {
			rest = true
		}
	}
	if !rest {
		return
	}
	for j := i + 1; j < end; j = r.notes[j].end {
		if n := &r.notes[j]; n.typ == plainNote || !n.key.isIndex() {
			r.part(j, from, prefix, first)
		}
	}
}

func (r *recordPrinter) part(j int32, from, prefix int, first *bool) {
	r.path = r.notes[j].key.appendSegment(r.path[:prefix])
	if r.notes[j].typ == plainNote {
		r.path = append(r.path, '.')
		r.flatten(j, from, len(r.path), first)
		return
	}
	if !*first {
		r.dst = append(r.dst, ',')
	}
	*first = false
	r.dst = append(appendString(r.dst, r.path[from:]), ':')
	r.tree(j)
}
