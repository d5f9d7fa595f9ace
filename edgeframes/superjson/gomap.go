package superjson

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// mapping prints a Go map as an object. Its order is JavaScript's: array indices
// ascending, then the other keys, which are sorted, as Go has no order to keep.
func (b *encodingBuilder) mapping(enc *goEncoding, t reflect.Type) {
	text := keyText(t.Key())
	if text == nil {
		enc.print = func(e *encoder, _ reflect.Value, _ key) { e.refuse(ErrConvert, t.String()) }
		return
	}
	elem := b.of(t.Elem())
	enc.print = func(e *encoder, v reflect.Value, k key) {
		id := identity{}
		if !v.IsNil() {
			id = identity{ptr: v.UnsafePointer(), tag: uintptr(unsafe.Pointer(enc))}
		}
		s, ok := e.enter(k, plainNote, id)
		if !ok {
			return
		}
		// The values are copied to where they have an address, all at once.
		values := reflect.MakeSlice(reflect.SliceOf(t.Elem()), v.Len(), v.Len())
		names := make([]mapKey, 0, v.Len())
		name := reflect.New(t.Key()).Elem()
		for it := v.MapRange(); it.Next(); {
			name.SetIterKey(it)
			i := len(names)
			values.Index(i).SetIterValue(it)
			s, err := text(name)
			if err != nil {
				e.fail(err)
			}
			names = append(names, newMapKey(s, i))
		}
		slices.SortFunc(names, compareMapKeys)
		e.dst = append(e.dst, '{')
		for i, n := range names {
			e.comma(i)
			e.name(n.name)
			elem.print(e, values.Index(n.at), named(n.name))
		}
		e.dst = append(e.dst, '}')
		e.leave(s)
	}
}

type mapKey struct {
	name  string
	index uint32
	isIdx bool
	at    int
}

func newMapKey(name string, at int) mapKey {
	k := mapKey{name: name, at: at}
	k.index, k.isIdx = arrayIndex(name)
	return k
}

func compareMapKeys(a, b mapKey) int {
	if c := compareIndices(a.index, a.isIdx, b.index, b.isIdx); c != 0 {
		return c
	}
	return strings.Compare(a.name, b.name)
}

// keyText returns what makes a text of a map's key, nil for keys that have none. A key
// of a kind of string is its own text before any method, as in encoding/json.
func keyText(t reflect.Type) func(reflect.Value) (string, error) {
	switch {
	case t.Kind() == reflect.String:
		return func(v reflect.Value) (string, error) { return v.String(), nil }
	case t.Implements(textMarshalerType):
		return func(v reflect.Value) (string, error) {
			if v.Kind() == reflect.Pointer && v.IsNil() {
				return "", nil
			}
			text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
			return string(text), err
		}
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) (string, error) { return strconv.FormatInt(v.Int(), 10), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(v reflect.Value) (string, error) { return strconv.FormatUint(v.Uint(), 10), nil }
	}
	return nil
}
