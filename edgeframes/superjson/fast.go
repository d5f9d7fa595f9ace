package superjson

import (
	"bytes"
	"sync"
)

// parseFast decodes the texts that the library prints, in one pass over the text: the
// "json" part onto a tape, the annotations onto the places of the tape they lead to, and
// then each value once, in its lasting form and size. It gives up, with ok false, on
// everything out of the ordinary, faults included, which is left to parseSlow. Whatever
// both can read they read alike.
func (c Codec) parseFast(text []byte) (v Value, ok bool, err error) {
	t := tapes.Get().(*tape)
	defer t.release()
	t.text, t.codec, t.depth = text, c, c.Limits.MaxDepth
	if room := len(text) / 8; cap(t.cells) < room {
		t.cells = make([]cell, 0, room)
	}
	// What ends so says its paths are of the newest form; other texts may say it too,
	// but only the slow way listens.
	t.newest = bytes.HasSuffix(text, []byte(`,"v":1}}`))
	shared, ok := t.envelope()
	if !ok {
		return nil, false, nil
	}
	b := builder{tape: t}
	if v, ok = b.build(0); !ok || t.annotations > c.Limits.MaxAnnotations {
		return nil, false, nil
	}
	if shared == nil {
		return v, true, nil
	}
	d := decoder{codec: c, annotations: t.annotations, root: v}
	if err := d.finish(shared); err != nil {
		return nil, true, err
	}
	return d.root, true, nil
}

// keptTape is the longest tape that is used again.
const keptTape = 1 << 18

var tapes = sync.Pool{New: func() any { return &tape{lexicon: new(lexicon)} }}

// tape is a JSON text taken apart: its values in the order of the text, each followed by
// those inside it. The members of an object are a key and a value.
type tape struct {
	codec       Codec
	text        []byte
	pos         int
	depth       int
	newest      bool
	annotations int
	cells       []cell
	// trails is where paths have led in large containers.
	trails  []trail
	labels  []string
	lexicon *lexicon
}

// cell is one value, or one key.
type cell struct {
	// from and to bound the text of a scalar, without quotes. Of a container from is
	// its trail plus one.
	from, to int32
	// next is the cell after the value and all inside it.
	next int32
	// count is the number of items or members.
	count int32
	label int32
	kind  cellKind
	typ   annotation
	// awkward marks a string with escapes, and a number that may be special.
	awkward bool
}

type cellKind uint8

const (
	cellNull cellKind = iota
	cellTrue
	cellFalse
	cellNumber
	cellString
	cellArray
	cellObject
)

func (t *tape) release() {
	if cap(t.cells) > keptTape {
		return
	}
	if len(t.labels)+len(t.trails) > 0 {
		clear(t.labels)
		clear(t.trails)
		t.labels, t.trails = t.labels[:0], t.trails[:0]
	}
	t.text, t.codec = nil, Codec{}
	t.cells, t.pos, t.annotations = t.cells[:0], 0, 0
	tapes.Put(t)
}

// envelope reads {"json":…,"meta":{…}} and returns the referentialEqualities, nil if
// there are none.
func (t *tape) envelope() (shared Value, ok bool) {
	if !t.literal(`{"json":`) || !t.value() {
		return nil, false
	}
	if t.pos+1 == len(t.text) && t.text[t.pos] == '}' {
		return nil, true
	}
	if !t.literal(`,"meta":{`) {
		return nil, false
	}
	if t.literal(`"values":`) {
		if !t.tree(0, 0) {
			return nil, false
		}
		if t.literal(`}}`) {
			return nil, t.pos == len(t.text)
		}
		if !t.literal(`,`) {
			return nil, false
		}
	}
	if t.newest && t.literal(`"referentialEqualities":`) {
		s := scanner{data: t.text, pos: t.pos, depth: 4}
		var err error
		if shared, err = s.value(); err != nil {
			return nil, false
		}
		t.pos = s.pos
		if !t.literal(`,`) {
			return nil, false
		}
	}
	return shared, t.literal(`"v":1}}`) && t.pos == len(t.text)
}

// literal steps over s if it is next, blanks not being expected.
func (t *tape) literal(s string) bool {
	if len(t.text)-t.pos < len(s) || string(t.text[t.pos:t.pos+len(s)]) != s {
		return false
	}
	t.pos += len(s)
	return true
}
