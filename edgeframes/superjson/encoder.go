package superjson

import (
	"math"
	"sync"
)

// encoder prints the "json" part and gathers what "meta" must say: annotations, and
// which objects stand in several places. All it gathers lies in a few flat lists that
// are used again, so that a scalar costs no allocation. The first error stops it from
// descending further.
type encoder struct {
	codec Codec
	dst   []byte
	notes []note
	// labels are the names of classes, symbols and transformers met.
	labels []string
	nodes  []node
	// cur is the node of the container being printed, -1 outside of any.
	cur     int32
	seen    seenTable
	repeats []repeat
	// level counts open containers; deepest is the most that were open within the
	// current one.
	level, deepest int
	// pending is the identity of the pointer just followed, for the container to take.
	pending  identity
	pointers int
	path     []byte
	// steps is room for the nodes of one path.
	steps []int32
	err   error
}

// node is one step of a path that a shared reference may need.
type node struct {
	key    key
	parent int32
}

// repeat is a further place of the object that was first met as first.
type repeat struct{ first, node int32 }

// Encoders that grew beyond these are not kept.
const (
	keptNotes = 1 << 16
	keptSeen  = 1 << 16
)

var encoders = sync.Pool{New: func() any { return &encoder{seen: newSeenTable()} }}

// encode adds the envelope that print fills. On error dst is returned as it was.
func (c Codec) encode(dst []byte, print func(*encoder)) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer e.release()
	e.codec = c
	e.codec.Limits = c.Limits.withDefaults()
	e.cur = -1
	e.dst = append(dst, `{"json":`...)
	print(e)
	if e.err != nil {
		return dst, e.err
	}
	e.meta()
	return append(e.dst, '}'), nil
}

func (e *encoder) release() {
	clear(e.notes)
	clear(e.nodes)
	clear(e.labels)
	e.seen.reset()
	if cap(e.notes) > keptNotes || cap(e.seen.firsts) > keptSeen {
		return
	}
	*e = encoder{
		notes: e.notes[:0], nodes: e.nodes[:0], labels: e.labels[:0], repeats: e.repeats[:0],
		path: e.path[:0], steps: e.steps[:0], seen: e.seen,
	}
	encoders.Put(e)
}

func (e *encoder) meta() {
	if len(e.notes) == 0 && len(e.repeats) == 0 {
		return
	}
	e.dst = append(e.dst, `,"meta":{`...)
	if len(e.notes) > 0 {
		r := recordPrinter{dst: append(e.dst, `"values":`...), path: e.path, notes: e.notes, labels: e.labels}
		r.tree(0)
		e.dst, e.path = append(r.dst, ','), r.path[:0]
	}
	if len(e.repeats) > 0 {
		e.dst = append(e.dst, `"referentialEqualities":`...)
		e.references()
		e.dst = append(e.dst, ',')
	}
	e.dst = append(e.dst, `"v":1}`...)
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *encoder) refuse(kind error, detail string) {
	if e.err == nil {
		e.err = &EncodeError{Detail: detail, Err: kind}
	}
}

// note annotates a value that has no parts.
func (e *encoder) note(k key, typ annotation) {
	e.notes = append(e.notes, note{key: k, typ: typ, end: int32(len(e.notes) + 1)})
}

func (e *encoder) label(k key, typ annotation, name string) {
	e.note(k, typ)
	e.notes[len(e.notes)-1].label = int32(len(e.labels))
	e.labels = append(e.labels, name)
}

// scope is what leave needs to know of the container that enter opened.
type scope struct {
	note, first, cur int32
	deepest          int
}

// enter opens a container that stands at k. It returns false when there is nothing
// more to print: the object was met before, or there was an error.
func (e *encoder) enter(k key, typ annotation, id identity) (scope, bool) {
	if e.err != nil {
		return scope{}, false
	}
	s := scope{note: int32(len(e.notes)), first: -1, cur: e.cur, deepest: e.deepest}
	var slot uintptr
	if id.tag != 0 {
		if s.first, slot = e.seen.find(id); s.first >= 0 {
			e.again(s.first, k)
			return s, false
		}
	}
	if e.level >= e.codec.Limits.MaxDepth {
		e.refuse(ErrTooDeep, "")
		return s, false
	}
	e.level++
	e.deepest = e.level
	e.cur = e.addNode(k)
	if id.tag != 0 {
		s.first = e.seen.add(first{id: id, node: e.cur, from: len(e.dst), notesFrom: s.note}, slot)
	}
	e.notes = append(e.notes, note{key: k, typ: typ})
	return s, true
}

func (e *encoder) addNode(k key) int32 {
	e.nodes = append(e.nodes, node{key: k, parent: e.cur})
	return int32(len(e.nodes) - 1)
}

func (e *encoder) leave(s scope) {
	if n := &e.notes[s.note]; n.typ == plainNote && len(e.notes) == int(s.note)+1 {
		e.notes = e.notes[:s.note]
	} else {
		n.end = int32(len(e.notes))
	}
	if s.first >= 0 {
		f := &e.seen.firsts[s.first]
		f.done, f.to, f.notesTo = true, len(e.dst), int32(len(e.notes))
		f.height = int32(e.deepest - e.level + 1)
	}
	e.level--
	e.deepest = max(e.deepest, s.deepest)
	e.cur = s.cur
}

// again prints an object that was met before: null while it is still open, as it would
// never end, or when each object is to be sent once; else all of it once more. The
// objects inside are not recorded a second time.
func (e *encoder) again(at int32, k key) {
	e.repeats = append(e.repeats, repeat{at, e.addNode(k)})
	f := &e.seen.firsts[at]
	if !f.done || e.codec.Dedupe {
		e.null()
		return
	}
	if e.level+int(f.height) > e.codec.Limits.MaxDepth {
		e.refuse(ErrTooDeep, "")
		return
	}
	if len(e.dst)+f.to-f.from > e.codec.Limits.MaxExpanded {
		e.refuse(ErrTooLarge, "with shared parts written out")
		return
	}
	e.dst = append(e.dst, e.dst[f.from:f.to]...)
	if f.notesFrom == f.notesTo {
		return
	}
	start := len(e.notes)
	e.notes = append(e.notes, e.notes[f.notesFrom:f.notesTo]...)
	for i := start; i < len(e.notes); i++ {
		e.notes[i].end += int32(start) - f.notesFrom
	}
	e.notes[start].key = k
}

// omitted records a leaf with an identity, and reports whether it is a repeat that was
// printed as null.
func (e *encoder) omitted(k key, id identity) bool {
	if id.tag == 0 {
		return false
	}
	at, slot := e.seen.find(id)
	if at < 0 {
		e.seen.add(first{id: id, node: e.addNode(k), done: true}, slot)
		return false
	}
	e.repeats = append(e.repeats, repeat{at, e.addNode(k)})
	if e.codec.Dedupe {
		e.null()
	}
	return e.codec.Dedupe
}

func (e *encoder) null() { e.dst = append(e.dst, "null"...) }

func (e *encoder) comma(i int) {
	if i > 0 {
		e.dst = append(e.dst, ',')
	}
}

// name prints a key of an object.
func (e *encoder) name(key string) {
	if forbidden(key) {
		e.refuse(ErrForbiddenKey, key)
	}
	e.dst = append(appendString(e.dst, key), ':')
}

func (e *encoder) undefined(k key) {
	e.null()
	e.note(k, noteUndefined)
}

// float prints a number.
func (e *encoder) float(k key, f float64) {
	if f != f || f == 0 && math.Signbit(f) || math.IsInf(f, 0) {
		e.number(k, Float(f))
		return
	}
	e.dst = appendFloat(e.dst, f)
}

func (e *encoder) number(k key, n Number) {
	if !n.special() {
		e.dst = append(e.dst, n.Text()...)
		return
	}
	if n.text == textNaN && e.omitted(k, identity{tag: tagNaN}) {
		return
	}
	e.quoted(n.text)
	e.note(k, noteNumber)
}

// quoted prints text that needs no escapes.
func (e *encoder) quoted(s string) {
	e.dst = append(e.dst, '"')
	e.dst = append(e.dst, s...)
	e.dst = append(e.dst, '"')
}

func (e *encoder) date(k key, d Date) {
	if d.mark != nil && e.omitted(k, d.mark.identity()) {
		return
	}
	if !d.Valid() {
		e.null()
		return
	}
	e.dst = append(e.dst, '"')
	e.dst = d.appendISO(e.dst)
	e.dst = append(e.dst, '"')
	e.note(k, noteDate)
}
