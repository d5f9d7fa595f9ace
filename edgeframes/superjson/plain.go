package superjson

import (
	"encoding/json"
	"strconv"
)

// AppendJSON adds v as plain JSON, for readers that know no SuperJSON: Dates as ISO
// text, bigints as decimal strings, Sets and typed arrays as arrays, Maps as arrays
// of pairs, RegExp and URL as text, an Error as its name, message and cause.
// Undefined keys vanish; undefined in a list, an invalid Date, NaN and the
// infinities become null, -0 becomes 0. Lone surrogates become U+FFFD.
func AppendJSON(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case nil, Undefined, Null:
		return append(dst, "null"...)
	case Bool:
		return strconv.AppendBool(dst, bool(v))
	case String:
		return appendString(dst, v.Valid())
	case Number:
		return append(dst, plainNumber(v)...)
	case BigInt:
		return appendString(dst, v.String())
	case Date:
		if !v.Valid() {
			return append(dst, "null"...)
		}
		return appendString(dst, v.String())
	case RegExp:
		return appendString(dst, replaceSurrogates(v.String()))
	case URL:
		return appendString(dst, replaceSurrogates(v.Href))
	case Array:
		return appendPlainList(dst, v)
	case *Set:
		return appendPlainList(dst, v.list())
	case *Object:
		return appendPlainObject(dst, v.list())
	case *Map:
		return appendPlainList(dst, v.pairs())
	case *Error:
		return appendPlainObject(dst, v.plainMembers())
	case *TypedArray:
		return appendPlainList(dst, v.items())
	}
	return append(dst, "null"...)
}

func appendPlainList(dst []byte, items []Value) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, item)
	}
	return append(dst, ']')
}

func appendPlainObject(dst []byte, members []Member) []byte {
	dst = append(dst, '{')
	first := true
	for _, m := range members {
		if KindOf(m.Value) == KindUndefined {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, replaceSurrogates(m.Key)), ':')
		dst = AppendJSON(dst, m.Value)
	}
	return append(dst, '}')
}

func plainNumber(n Number) string {
	switch n.text {
	case textNaN, textInf, textNegInf:
		return "null"
	case textNegZero:
		return textZero
	}
	return n.Text()
}

// ToPlain returns v as the Go values of its plain JSON (see [AppendJSON]): nil, bool,
// string, json.Number, []any and map[string]any.
func ToPlain(v Value) any {
	switch v := v.(type) {
	case Bool:
		return bool(v)
	case String:
		return v.Valid()
	case Number:
		if text := plainNumber(v); text != "null" {
			return json.Number(text)
		}
	case BigInt:
		return v.String()
	case Date:
		if v.Valid() {
			return v.String()
		}
	case RegExp:
		return replaceSurrogates(v.String())
	case URL:
		return replaceSurrogates(v.Href)
	case Array:
		return plainList(v)
	case *Set:
		return plainList(v.list())
	case *Object:
		return plainMap(v.list())
	case *Map:
		return plainList(v.pairs())
	case *Error:
		return plainMap(v.plainMembers())
	case *TypedArray:
		return plainList(v.items())
	}
	return nil
}

func plainList(items []Value) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = ToPlain(item)
	}
	return list
}

func plainMap(members []Member) map[string]any {
	object := make(map[string]any, len(members))
	for _, m := range members {
		if KindOf(m.Value) != KindUndefined {
			object[replaceSurrogates(m.Key)] = ToPlain(m.Value)
		}
	}
	return object
}

func (m *Map) pairs() []Value {
	pairs := make([]Value, m.Len())
	for i, e := range m.list() {
		pairs[i] = Array{e.Key, e.Value}
	}
	return pairs
}

func (a *TypedArray) items() []Value {
	items := make([]Value, a.Len())
	for i := range items {
		items[i] = a.At(i)
	}
	return items
}

func (e *Error) plainMembers() []Member {
	return append([]Member{
		{"name", String(e.Name)},
		{"message", String(e.Message)},
		{"cause", e.Cause},
	}, e.Props...)
}
