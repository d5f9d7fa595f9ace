package superjson

import "math/big"

// Append adds the text the library prints for v, as the zero [Codec] does. The error
// is an *[EncodeError].
//
// A part that stands in several places is written out at each, and the text says that
// it is one object. A plain object with a key named __proto__, prototype or
// constructor is refused, as the library does; as a Map key they are fine.
func Append(dst []byte, v Value) ([]byte, error) {
	return Codec{}.Append(dst, v)
}

// Check reports the error with which [Append] would refuse v, so that a value can be
// turned away where it enters instead of where it leaves.
func Check(v Value) error {
	_, err := Append(nil, v)
	return err
}

// Append adds the text of v to dst; see the function [Append]. On error dst is
// returned as it was.
func (c Codec) Append(dst []byte, v Value) ([]byte, error) {
	return c.encode(dst, func(e *encoder) { e.value(v, named("")) })
}

// value prints v, which stands at k.
func (e *encoder) value(v Value, k key) {
	switch v := v.(type) {
	case nil, Undefined:
		e.undefined(k)
	case Null:
		e.null()
	case Bool:
		e.bool(bool(v))
	case String:
		e.dst = appendString(e.dst, string(v))
	case Number:
		e.number(k, v)
	case BigInt:
		e.bigInt(k, v.i)
	case Date:
		e.date(k, v)
	case RegExp:
		e.text(k, noteRegExp, v.String(), v.mark)
	case URL:
		e.text(k, noteURL, v.Href, v.mark)
	case Symbol:
		e.dst = appendString(e.dst, v.Description)
		e.label(k, noteSymbol, v.ID)
	case *TypedArray:
		e.typedArray(k, v)
	default:
		e.container(v, k)
	}
}

func (e *encoder) bool(b bool) {
	if b {
		e.dst = append(e.dst, "true"...)
	} else {
		e.dst = append(e.dst, "false"...)
	}
}

// text prints a leaf that is an annotated string.
func (e *encoder) text(k key, typ annotation, s string, m *mark) {
	if m != nil && e.omitted(k, m.identity()) {
		return
	}
	e.dst = appendString(e.dst, s)
	e.note(k, typ)
}

// bigInt prints i, nil as 0. The library takes equal bigints for one object.
func (e *encoder) bigInt(k key, i *big.Int) {
	start := len(e.dst)
	e.dst = append(e.dst, '"')
	switch {
	case i == nil:
		e.dst = append(e.dst, '0')
	case i.IsInt64():
		e.dst = appendInt(e.dst, i.Int64())
	default:
		e.dst = i.Append(e.dst, 10)
	}
	e.dst = append(e.dst, '"')
	seen, id, slot := e.seen.findDigits(e.dst[start:], e.dst)
	if seen < 0 {
		e.seen.add(first{id: id, node: e.addNode(k), from: start, to: len(e.dst), done: true}, slot)
	} else {
		e.repeats = append(e.repeats, repeat{seen, e.addNode(k)})
		if e.codec.Dedupe {
			e.dst = append(e.dst[:start], "null"...)
			return
		}
	}
	e.note(k, noteBigInt)
}

func (e *encoder) typedArray(k key, a *TypedArray) {
	if a == nil {
		a = &TypedArray{typ: Uint8Array}
	} else if e.omitted(k, identify(a)) {
		return
	}
	e.dst = append(e.dst, '[')
	for i := range a.Len() {
		e.comma(i)
		e.dst = a.appendElement(e.dst, i)
	}
	e.dst = append(e.dst, ']')
	e.note(k, noteTyped+annotation(a.typ.number()))
}

func (e *encoder) container(v Value, k key) {
	typ := containerNote(v)
	s, ok := e.enter(k, typ, identify(v))
	if !ok {
		return
	}
	switch v := v.(type) {
	case Array:
		e.items(v)
	case *Set:
		e.items(v.list())
	case *Object:
		e.object(v.list())
	case *Map:
		e.pairs(v.list())
	case *Error:
		e.object(e.errorMembers(v))
	case *Instance:
		e.setLabel(s, v.Class)
		e.object(v.Props.list())
	case *Custom:
		e.setLabel(s, v.Name)
		e.custom(v.Value)
	}
	e.leave(s)
}

func containerNote(v Value) annotation {
	switch v.(type) {
	case *Set:
		return noteSet
	case *Map:
		return noteMap
	case *Error:
		return noteError
	case *Instance:
		return noteClass
	case *Custom:
		return noteCustom
	}
	return plainNote
}

func (e *encoder) setLabel(s scope, name string) {
	e.notes[s.note].label = int32(len(e.labels))
	e.labels = append(e.labels, name)
}

// custom prints what a transformer made of a value: the parts of an object or array
// may be annotated, anything else is plain JSON.
func (e *encoder) custom(v Value) {
	switch v := v.(type) {
	case Array:
		e.items(v)
	case *Object:
		e.object(v.list())
	default:
		e.dst = AppendJSON(e.dst, v)
	}
}

func (e *encoder) items(items []Value) {
	e.dst = append(e.dst, '[')
	for i, item := range items {
		e.comma(i)
		e.value(item, at(i))
	}
	e.dst = append(e.dst, ']')
}

func (e *encoder) object(members []Member) {
	e.dst = append(e.dst, '{')
	for i := range members {
		m := &members[i]
		e.comma(i)
		e.name(m.Key)
		e.value(m.Value, named(m.Key))
	}
	e.dst = append(e.dst, '}')
}

func (e *encoder) pairs(entries []Entry) {
	e.dst = append(e.dst, '[')
	for i := range entries {
		e.comma(i)
		s, ok := e.enter(at(i), plainNote, identity{})
		if !ok {
			return
		}
		e.dst = append(e.dst, '[')
		e.value(entries[i].Key, at(0))
		e.dst = append(e.dst, ',')
		e.value(entries[i].Value, at(1))
		e.dst = append(e.dst, ']')
		e.leave(s)
	}
	e.dst = append(e.dst, ']')
}

// errorMembers lists name, message, the cause if there is one, and every allowed
// property, missing ones as undefined.
func (e *encoder) errorMembers(v *Error) []Member {
	if v == nil {
		v = &Error{}
	}
	members := []Member{{"name", String(v.Name)}, {"message", String(v.Message)}}
	if v.Cause != nil {
		members = append(members, Member{"cause", v.Cause})
	}
	for _, key := range e.codec.ErrorProps {
		if !ownErrorKey(key) {
			prop, _ := v.Prop(key)
			members = append(members, Member{key, prop})
		}
	}
	return NewObject(members...).members
}
