package superjson

import (
	"bytes"
	"sync"
)

// parseFast decodes the texts that the library prints, in one pass: each value of the
// "json" part straight into its lasting form, and then each annotation onto the place it
// leads to. It gives up, with ok false, on everything out of the ordinary, faults
// included, which is left to parseSlow. Whatever both can read they read alike.
//
// If into is not nil, a root that is an object is put there.
func (c *Codec) parseFast(text []byte, into *Object) (v Value, ok bool, err error) {
	r := readers.Get().(*reader)
	r.begin(c, text, into)
	v, ok, err = r.parse()
	r.release()
	return v, ok, err
}

func (r *reader) parse() (v Value, ok bool, err error) {
	// What ends so says its paths are of the newest form; other texts may say it too,
	// but only the slow way listens.
	r.newest = bytes.HasSuffix(r.text, []byte(`,"v":1}}`))
	r.guess = r.newest
	v, shared, ok := r.envelope()
	if r.guessed > 0 && (ok || r.misled) {
		// Some texts looked like Dates and were none.
		r.lexicon.distrust()
		r.guess = false
		v, shared, ok = r.envelope()
	}
	if shared != nil && r.roomed {
		// References may lead from the smallest object to the largest.
		r.alone = true
		v, shared, ok = r.envelope()
	}
	r.alone = shared != nil
	if !ok || r.annotations > r.codec.Limits.MaxAnnotations {
		return nil, false, nil
	}
	if shared == nil {
		return v, true, nil
	}
	d := decoder{codec: r.codec, annotations: r.annotations, root: v}
	if err := d.finish(shared); err != nil {
		return nil, true, err
	}
	return d.root, true, nil
}

// keptStack is how many values a stack that is used again may have room for.
const keptStack = 1 << 14

var readers = sync.Pool{New: func() any { return new(reader) }}

// reader is the state of parseFast.
type reader struct {
	codec       Codec
	text        []byte
	into        *Object
	pos         int
	depth       int
	annotations int
	newest      bool
	// guess lets a text be taken for a Date before its annotation is read, where its
	// key has held Dates before. guessed counts those that no annotation confirmed, and
	// misled tells that one had another type.
	guess   bool
	guessed int
	misled  bool
	// members and values are stacks of what the open containers hold so far, and the
	// peaks how high they have been.
	members    []Member
	values     []Value
	memberPeak int
	valuePeak  int
	// window is a copy of the text from windowAt on, of which short strings are parts.
	window   string
	windowAt int
	// hint is the place among an object's members that the last path led through, of this
	// text or the one before.
	hint int
	// item is the place among its array's items of the last item begun. room makes the
	// later objects of arrays, while alone is false; roomed tells that it made one.
	item          int
	room          room
	alone, roomed bool
	texts         boxes[String]
	numbers       boxes[Number]
	dates         boxes[Date]
	day           day
	lexicon       lexicon
	ending        ending
}

// begin takes over what to read. The parts of the codec are copied one by one, as most
// are nil and stay so.
func (r *reader) begin(c *Codec, text []byte, into *Object) {
	r.text, r.into = text, into
	r.codec.Limits, r.codec.Dedupe, r.codec.Cycles = c.Limits, c.Dedupe, c.Cycles
	if c.Types != nil || c.ErrorProps != nil {
		r.codec.Types, r.codec.ErrorProps = c.Types, c.ErrorProps
	}
}

// release forgets the text and all that was made of it.
func (r *reader) release() {
	if cap(r.members) > keptStack || cap(r.values) > keptStack {
		r.members, r.values = nil, nil
	} else {
		clear(r.members[:r.memberPeak])
		if r.valuePeak > 0 {
			clear(r.values[:r.valuePeak])
		}
		r.members, r.values = r.members[:0], r.values[:0]
	}
	r.memberPeak, r.valuePeak = 0, 0
	if r.codec.Types != nil || r.codec.ErrorProps != nil {
		r.codec = Codec{}
	}
	r.text, r.into, r.window = nil, nil, ""
	if r.room.objects != nil {
		r.room = room{}
	}
	r.texts.reset()
	r.numbers.reset()
	readers.Put(r)
}

// envelope reads {"json":…,"meta":{…}} and returns the value and the
// referentialEqualities, nil if there are none.
func (r *reader) envelope() (v, shared Value, ok bool) {
	r.pos, r.depth = 0, r.codec.Limits.MaxDepth
	r.annotations, r.guessed, r.misled, r.roomed = 0, 0, false, false
	r.item = 0
	r.members, r.values = r.members[:0], r.values[:0]
	if !r.literal(`{"json":`) {
		return nil, nil, false
	}
	if v, ok = r.value(noSlot); !ok {
		return nil, nil, false
	}
	if r.pos+1 == len(r.text) && r.text[r.pos] == '}' {
		return v, nil, true
	}
	shared, ok = r.meta(&v)
	return v, shared, ok
}

// meta reads the rest of the envelope and applies the annotations to root.
func (r *reader) meta(root *Value) (shared Value, ok bool) {
	if !r.literal(`,"meta":{`) {
		return nil, false
	}
	if r.confirmed(root) {
		return nil, true
	}
	start := r.pos
	if r.literal(`"values":`) {
		if !r.annotate(root) {
			return nil, false
		}
		if r.literal(`}}`) {
			return nil, r.pos == len(r.text)
		}
		if !r.literal(`,`) {
			return nil, false
		}
		if r.literal(`"v":1}}`) {
			if r.pos != len(r.text) {
				return nil, false
			}
			r.remember(root, start)
			return nil, true
		}
	}
	if r.newest && r.literal(`"referentialEqualities":`) {
		s := scanner{data: r.text, pos: r.pos, depth: 4}
		var err error
		if shared, err = s.value(); err != nil {
			return nil, false
		}
		r.pos = s.pos
		if !r.literal(`,`) {
			return nil, false
		}
	}
	return shared, r.literal(`"v":1}}`) && r.pos == len(r.text)
}

// literal steps over s if it is next, blanks not being expected.
func (r *reader) literal(s string) bool {
	if len(r.text)-r.pos < len(s) || string(r.text[r.pos:r.pos+len(s)]) != s {
		return false
	}
	r.pos += len(s)
	return true
}
