package superjson

import (
	"reflect"
	"strconv"
)

func (b *encodingBuilder) structure(enc *goEncoding, t reflect.Type) {
	enc.needsAddress, enc.tracked = true, true
	fields := fieldsOf(t)
	prints := make([]*goEncoding, len(fields.list))
	for i := range fields.list {
		prints[i] = b.of(fields.list[i].typ)
	}
	enc.print = func(e *encoder, v reflect.Value, k key) {
		s, ok := e.enter(k, plainNote, e.takeID())
		if !ok {
			return
		}
		e.dst = append(e.dst, '{')
		n := 0
		for i := range fields.list {
			f := &fields.list[i]
			fv, ok := f.in(v)
			if !ok || f.omitted(fv) {
				continue
			}
			e.comma(n)
			n++
			e.field(f, fv, prints[i])
		}
		e.dst = append(e.dst, '}')
		e.leave(s)
	}
}

func (e *encoder) field(f *field, v reflect.Value, enc *goEncoding) {
	if f.forbidden {
		e.refuse(ErrForbiddenKey, f.name)
		return
	}
	e.dst = append(e.dst, f.quoted...)
	if f.asText {
		e.quotedScalar(v)
		return
	}
	enc.print(e, v, key{name: f.name, index: -1})
}

// properties prints the fields of a class instance, or those of the given names, in
// that order, missing ones as undefined.
func (e *encoder) properties(fields *fieldSet, props []string, v reflect.Value) {
	e.dst = append(e.dst, '{')
	if props == nil {
		props = fields.names
	}
	for i, name := range props {
		e.comma(i)
		f := fields.byName[name]
		if f == nil {
			e.name(name)
			e.undefined(named(name))
			continue
		}
		fv, ok := f.in(v)
		if !ok {
			e.name(name)
			e.undefined(named(name))
			continue
		}
		e.field(f, fv, encodingOf(f.typ))
	}
	e.dst = append(e.dst, '}')
}

// quotedScalar prints a field with the string option: its text as JSON, in a string.
func (e *encoder) quotedScalar(v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			e.null()
			return
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		e.quoted(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.dst = append(strconv.AppendInt(append(e.dst, '"'), v.Int(), 10), '"')
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.dst = append(strconv.AppendUint(append(e.dst, '"'), v.Uint(), 10), '"')
	case reflect.Float32, reflect.Float64:
		e.quoted(Float(v.Float()).Text())
	default:
		e.dst = appendString(e.dst, appendString(nil, v.String()))
	}
}

func appendInt(dst []byte, i int64) []byte { return strconv.AppendInt(dst, i, 10) }
