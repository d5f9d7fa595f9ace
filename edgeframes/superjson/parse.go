package superjson

import (
	"fmt"
	"unicode/utf8"
)

// Codec decodes and encodes with settings that both ends must agree on. The zero
// value is the library's default instance under default limits.
type Codec struct {
	// Limits bounds decoding, and by MaxDepth encoding.
	Limits Limits
	// ErrorProps lists the properties of an Error that travel beside its name,
	// message and cause, as the library's allowErrorProps does. An Error that lacks
	// one sends it as undefined.
	ErrorProps []string
	// Types lists the classes, symbols and custom transformers that are registered.
	// Nil is none.
	Types *Types
	// Dedupe makes encoding print each object once and null at its other places, as
	// the library's option of that name does. Decoding reads such texts in any case.
	Dedupe bool
	// Cycles lets decoding build values that hold themselves, which programs that
	// walk a value must be ready for. Without it such a text is refused with
	// [ErrCycle]. Encoding prints circles in any case.
	Cycles bool
}

// Parse decodes text as the zero [Codec] does, under lim. The error is a
// *[DecodeError].
//
// As in the library, a text without a "json" key is the value [Undefined], and other
// keys beside "json" and "meta" are ignored. Paths are read in both forms: before
// release 2.2.3, when there is no meta.v, and since.
func Parse(text []byte, lim Limits) (Value, error) {
	c := Codec{Limits: lim}
	return c.parse(text, nil)
}

// ParseJSON decodes plain JSON, without an envelope, under lim. The error is a
// *[DecodeError].
func ParseJSON(text []byte, lim Limits) (Value, error) {
	lim = lim.withDefaults()
	if err := precheck(text, &lim); err != nil {
		return nil, err
	}
	s := scanner{data: text, depth: lim.MaxDepth}
	v, err := s.value()
	if err != nil {
		return nil, err
	}
	if s.specials > lim.MaxAnnotations {
		return nil, fault(ErrTooMany, "")
	}
	return v, s.end()
}

// Parse decodes text; see the function [Parse].
func (c Codec) Parse(text []byte) (Value, error) { return c.parse(text, nil) }

// ParseObject decodes text as [Codec.Parse] does and puts its value into o, in whose room
// it builds it, which suits a program that takes a message apart and lets go of it: use
// one object again and again, with [Object.Reset] after each use. It reports false where
// the value is no plain object.
func (c Codec) ParseObject(text []byte, o *Object) (bool, error) {
	o.Reset()
	v, err := c.parse(text, o)
	if err != nil {
		o.Reset()
		return false, err
	}
	made, ok := v.(*Object)
	if ok && made != o {
		*o = *made
	}
	if !ok {
		// Another value may hold what is in o now.
		*o = Object{}
	}
	return ok, nil
}

func (c *Codec) parse(text []byte, into *Object) (Value, error) {
	c.Limits.fill()
	if err := precheck(text, &c.Limits); err != nil {
		return nil, err
	}
	if v, ok, err := c.parseFast(text, into); ok {
		return v, err
	}
	return c.parseSlow(text)
}

// parseSlow decodes any text, tree first and annotations after it, and says what is
// wrong with a bad one.
func (c Codec) parseSlow(text []byte) (Value, error) {
	env, err := parseEnvelope(text, c.Limits)
	if err != nil {
		return nil, err
	}
	d := decoder{codec: c, annotations: env.specials, root: env.json}
	if err := d.meta(env.meta); err != nil {
		return nil, err
	}
	return d.root, nil
}

func precheck(text []byte, lim *Limits) error {
	if len(text) > lim.MaxBytes {
		return fault(ErrTooLarge, "%d bytes of at most %d", len(text), lim.MaxBytes)
	}
	if !utf8.Valid(text) {
		return fault(ErrInvalidUTF8, "")
	}
	return nil
}

type envelope struct {
	json, meta Value
	specials   int
}

// parseEnvelope reads the outermost level by hand, because "json" and "meta" differ
// in how deep they may nest.
func parseEnvelope(text []byte, lim Limits) (envelope, error) {
	env := envelope{json: Undefined{}, meta: Null{}}
	s := scanner{data: text, depth: lim.MaxDepth}
	if s.peek() != '{' {
		return env, bareEnvelope(&s)
	}
	s.pos++
	for more := s.peek() != '}'; more; {
		key, err := s.key()
		if err != nil {
			return env, err
		}
		part := scanner{data: text, pos: s.pos, depth: lim.MaxDepth}
		if key == "meta" {
			// Each annotated level takes an array and an object.
			part.depth = 2*lim.MaxDepth + 4
		}
		v, err := part.value()
		if err != nil {
			return env, err
		}
		s.pos = part.pos
		switch key {
		case "json":
			env.json, env.specials = v, part.specials
		case "meta":
			env.meta = v
		}
		if more, err = s.more('}'); err != nil {
			return env, err
		}
		if !more {
			return env, s.end()
		}
	}
	s.pos++
	return env, s.end()
}

// bareEnvelope judges a text that is not an object: JavaScript takes "json" and
// "meta" from any value but null and finds them undefined.
func bareEnvelope(s *scanner) error {
	v, err := s.value()
	if err != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	if v == (Null{}) {
		return fault(ErrNoEnvelope, "")
	}
	return nil
}

// decoder turns the plain tree of "json" into the value that "meta" says it was.
type decoder struct {
	codec       Codec
	root        Value
	legacy      bool
	annotations int
	touched     map[arranger]struct{}
}

func (d *decoder) meta(meta Value) error {
	if d.annotations > d.codec.Limits.MaxAnnotations {
		return fault(ErrTooMany, "")
	}
	if absent(meta) {
		return nil
	}
	m, ok := meta.(*Object)
	if !ok {
		return fault(ErrMeta, "meta is %s", described(meta))
	}
	v, _ := m.Get("v")
	d.legacy = legacyVersion(v)
	values, _ := m.Get("values")
	if err := d.values(values); err != nil {
		return err
	}
	shared, _ := m.Get("referentialEqualities")
	return d.finish(shared)
}

// finish applies the references to the annotated value.
func (d *decoder) finish(shared Value) error {
	if err := d.references(shared); err != nil {
		return err
	}
	d.arrangeTouched()
	if absent(shared) {
		return nil
	}
	return d.measure()
}

// legacyVersion applies JavaScript's v < 1 to what stands at meta.v.
func legacyVersion(v Value) bool {
	switch v := v.(type) {
	case Bool:
		return !bool(v)
	case Number:
		return v.Float64() < 1
	case String:
		return toNumber(string(v)) < 1
	}
	return absent(v)
}

func absent(v Value) bool {
	k := KindOf(v)
	return k == KindNull || k == KindUndefined
}

func (d *decoder) count() error {
	d.annotations++
	if d.annotations > d.codec.Limits.MaxAnnotations {
		return fault(ErrTooMany, "more than %d", d.codec.Limits.MaxAnnotations)
	}
	return nil
}

func described(v Value) string { return fmt.Sprintf("of kind %s", KindOf(v)) }
