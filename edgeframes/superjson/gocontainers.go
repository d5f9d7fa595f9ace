package superjson

import (
	"reflect"
	"unsafe"
)

// takeID returns the identity of the pointer that led to the value about to be printed.
func (e *encoder) takeID() identity {
	id := e.pending
	e.pending = identity{}
	return id
}

// pointer prints what is pointed to. Pointers do not nest in JSON, but one that leads
// back to itself must end.
func (b *encodingBuilder) pointer(enc *goEncoding, t reflect.Type) {
	elem := b.of(t.Elem())
	sized := t.Elem().Size() > 0
	enc.print = func(e *encoder, v reflect.Value, k key) {
		if v.IsNil() {
			e.null()
			return
		}
		if e.pointers++; e.pointers > 4*e.codec.Limits.MaxDepth {
			e.refuse(ErrTooDeep, "")
		}
		if e.err == nil {
			if elem.tracked && sized {
				e.pending = identity{ptr: v.UnsafePointer(), tag: uintptr(unsafe.Pointer(elem))}
			}
			elem.print(e, v.Elem(), k)
			e.pending = identity{}
		}
		e.pointers--
	}
}

func (b *encodingBuilder) slice(enc *goEncoding, t reflect.Type) {
	identityOf := func(v reflect.Value) identity {
		if v.Cap() == 0 || t.Elem().Size() == 0 {
			return identity{}
		}
		return identity{ptr: v.UnsafePointer(), tag: uintptr(unsafe.Pointer(enc)), n: v.Len()}
	}
	if t.Elem().Kind() == reflect.Uint8 && t.Elem().PkgPath() == "" {
		enc.print = func(e *encoder, v reflect.Value, k key) {
			if !e.omitted(k, identityOf(v)) {
				e.bytes(k, v.Bytes())
			}
		}
		return
	}
	elem := b.of(t.Elem())
	enc.print = func(e *encoder, v reflect.Value, k key) {
		if s, ok := e.enter(k, plainNote, identityOf(v)); ok {
			e.elements(v, elem)
			e.leave(s)
		}
	}
}

func (b *encodingBuilder) array(enc *goEncoding, t reflect.Type) {
	elem := b.of(t.Elem())
	enc.needsAddress, enc.tracked = true, true
	enc.print = func(e *encoder, v reflect.Value, k key) {
		if s, ok := e.enter(k, plainNote, e.takeID()); ok {
			e.elements(v, elem)
			e.leave(s)
		}
	}
}

func (e *encoder) elements(v reflect.Value, elem *goEncoding) {
	e.dst = append(e.dst, '[')
	for i := range v.Len() {
		e.comma(i)
		elem.print(e, v.Index(i), at(i))
	}
	e.dst = append(e.dst, ']')
}

// bytes prints a Uint8Array.
func (e *encoder) bytes(k key, b []byte) {
	e.dst = append(e.dst, '[')
	for i, c := range b {
		e.comma(i)
		e.dst = appendInt(e.dst, int64(c))
	}
	e.dst = append(e.dst, ']')
	e.note(k, noteTyped+annotation(Uint8Array.number()))
}

// registered prints a value of a type that the codec has registered.
func (e *encoder) registered(g *goType, v reflect.Value, k key) {
	id := e.takeID()
	if g.custom == "" {
		s, ok := e.enter(k, noteClass, id)
		if !ok {
			return
		}
		e.setLabel(s, g.class)
		e.properties(fieldsOf(v.Type()), g.props, v)
		e.leave(s)
		return
	}
	made, err := g.serialize(v)
	if err != nil {
		e.fail(err)
		return
	}
	tree, err := e.codec.FromGo(made)
	if err != nil {
		e.fail(err)
		return
	}
	if s, ok := e.enter(k, noteCustom, id); ok {
		e.setLabel(s, g.custom)
		e.custom(tree)
		e.leave(s)
	}
}
