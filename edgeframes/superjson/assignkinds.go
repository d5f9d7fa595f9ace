package superjson

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
)

func (a *assigner) intoKind(to reflect.Value, v Value) error {
	switch to.Kind() {
	case reflect.Bool:
		if b, ok := v.(Bool); ok {
			to.SetBool(bool(b))
			return nil
		}
	case reflect.String:
		return a.intoString(to, v)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if i, ok := integerOf(v); ok && !to.OverflowInt(i) {
			to.SetInt(i)
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if u, ok := unsignedOf(v); ok && !to.OverflowUint(u) {
			to.SetUint(u)
			return nil
		}
	case reflect.Float32, reflect.Float64:
		if n, ok := v.(Number); ok && !to.OverflowFloat(n.Float64()) || ok && n.special() {
			to.SetFloat(n.Float64())
			return nil
		}
	case reflect.Slice:
		return a.intoSlice(to, v)
	case reflect.Array:
		return a.intoArray(to, v)
	case reflect.Map:
		return a.intoMap(to, v)
	case reflect.Struct:
		return a.intoStruct(to, v)
	}
	return a.cannot(to, v)
}

func integerOf(v Value) (int64, bool) {
	switch v := v.(type) {
	case Number:
		return v.Int64()
	case BigInt:
		i := v.Int()
		return i.Int64(), i.IsInt64()
	}
	return 0, false
}

func unsignedOf(v Value) (uint64, bool) {
	if b, ok := v.(BigInt); ok {
		i := b.Int()
		return i.Uint64(), i.IsUint64()
	}
	if n, ok := v.(Number); ok {
		if u, err := strconv.ParseUint(n.Text(), 10, 64); err == nil {
			return u, true
		}
	}
	i, ok := integerOf(v)
	return uint64(i), ok && i >= 0
}

func (a *assigner) intoString(to reflect.Value, v Value) error {
	switch v := v.(type) {
	case String:
		to.SetString(v.Valid())
	case URL:
		to.SetString(replaceSurrogates(v.Href))
	default:
		return a.cannot(to, v)
	}
	return nil
}

// listOf returns the items of what JavaScript iterates over as a list.
func listOf(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case Array:
		return v, true
	case *Set:
		return v.list(), true
	case *TypedArray:
		return v.items(), true
	}
	return nil, false
}

func (a *assigner) intoSlice(to reflect.Value, v Value) error {
	if to.Type().Elem().Kind() == reflect.Uint8 {
		switch v := v.(type) {
		case *TypedArray:
			if b, ok := v.bytes(); ok {
				to.SetBytes(b)
				return nil
			}
		case String:
			b, err := base64.StdEncoding.DecodeString(string(v))
			if err != nil {
				return a.cannot(to, v)
			}
			to.SetBytes(b)
			return nil
		}
	}
	items, ok := listOf(v)
	if !ok {
		return a.cannot(to, v)
	}
	key := madeKey{identify(v), to.Type()}
	if made, ok := a.made[key]; ok && key.id.tag != 0 {
		to.Set(made)
		return nil
	}
	made := reflect.MakeSlice(to.Type(), len(items), max(len(items), 1))
	to.Set(made)
	a.remember(key, made)
	for i, item := range items {
		if err := a.within(at(i), made.Index(i), item); err != nil {
			return err
		}
	}
	return nil
}

// intoArray fills an array from its start; items beyond its end are dropped and missing
// ones made zero, as in encoding/json.
func (a *assigner) intoArray(to reflect.Value, v Value) error {
	items, ok := listOf(v)
	if !ok {
		return a.cannot(to, v)
	}
	for i := range to.Len() {
		if i >= len(items) {
			to.Index(i).SetZero()
		} else if err := a.within(at(i), to.Index(i), items[i]); err != nil {
			return err
		}
	}
	return nil
}

// membersOf returns the properties of what has names for its parts.
func membersOf(v Value) ([]Member, bool) {
	switch v := v.(type) {
	case *Object:
		return v.list(), true
	case *Instance:
		return v.Props.list(), true
	case *Error:
		return v.plainMembers(), true
	}
	return nil, false
}

func (a *assigner) intoStruct(to reflect.Value, v Value) error {
	members, ok := membersOf(v)
	if !ok {
		return a.cannot(to, v)
	}
	fields := fieldsOf(to.Type())
	for _, m := range members {
		f := fields.find(m.Key)
		if f == nil {
			continue
		}
		fv, err := f.reach(to)
		if err != nil {
			return err
		}
		a.path = append(a.path, named(m.Key))
		if f.asText {
			err = a.intoQuoted(fv, m.Value)
		} else {
			err = a.assign(fv, m.Value)
		}
		if err != nil {
			return err
		}
		a.path = a.path[:len(a.path)-1]
	}
	return nil
}

// reach returns the field of v for writing, and makes embedded structs on the way.
func (f *field) reach(v reflect.Value) (reflect.Value, error) {
	for i, x := range f.path {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, fault(ErrConvert, "into %s, which is embedded and not exported", v.Type())
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, nil
}

// intoQuoted reads a field with the string option.
func (a *assigner) intoQuoted(to reflect.Value, v Value) error {
	s, ok := v.(String)
	if !ok {
		if absent(v) {
			return a.assign(to, v)
		}
		return a.cannot(to, v)
	}
	inner, err := ParseJSON([]byte(s), Limits{})
	if err != nil {
		// The numbers that JSON lacks stand there by their names.
		f, known := map[String]float64{textNaN: math.NaN(), textInf: math.Inf(1), textNegInf: math.Inf(-1)}[s]
		if !known {
			return a.cannot(to, v)
		}
		inner = Float(f)
	}
	return a.assign(to, inner)
}

// bytes returns the elements of an array of bytes.
func (a *TypedArray) bytes() ([]byte, bool) {
	if a.typ != Uint8Array && a.typ != Uint8ClampedArray {
		return nil, false
	}
	b := make([]byte, len(a.nums))
	for i, f := range a.nums {
		b[i] = byte(f)
	}
	return b, true
}
