package superjson

import (
	"encoding"
	"net/url"
	"reflect"
	"strconv"
)

// intoMap fills a Go map from an object, or from a Map whose keys fit.
func (a *assigner) intoMap(to reflect.Value, v Value) error {
	key := madeKey{identify(v), to.Type()}
	if made, ok := a.made[key]; ok && key.id.tag != 0 {
		to.Set(made)
		return nil
	}
	if to.IsNil() {
		to.Set(reflect.MakeMap(to.Type()))
	}
	a.remember(key, to)
	if m, ok := v.(*Map); ok {
		return a.intoMapFromMap(to, m)
	}
	members, ok := membersOf(v)
	if !ok {
		return a.cannot(to, v)
	}
	for _, m := range members {
		if m.Value == nil {
			continue
		}
		name := reflect.New(to.Type().Key()).Elem()
		if err := a.intoKey(name, m.Key); err != nil {
			return err
		}
		if err := a.entry(to, name, named(m.Key), m.Value); err != nil {
			return err
		}
	}
	return nil
}

func (a *assigner) intoMapFromMap(to reflect.Value, m *Map) error {
	for i, e := range m.list() {
		name := reflect.New(to.Type().Key()).Elem()
		if err := a.within(at(i), name, e.Key); err != nil {
			return err
		}
		if !name.Comparable() {
			return fault(ErrConvert, "a Map key %s", described(e.Key))
		}
		if err := a.entry(to, name, at(i), e.Value); err != nil {
			return err
		}
	}
	return nil
}

func (a *assigner) entry(to, name reflect.Value, k key, v Value) error {
	item := reflect.New(to.Type().Elem()).Elem()
	if err := a.within(k, item, v); err != nil {
		return err
	}
	to.SetMapIndex(name, item)
	return nil
}

// intoKey reads the key of an object.
func (a *assigner) intoKey(to reflect.Value, key string) error {
	key = replaceSurrogates(key)
	if u, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok && to.Kind() != reflect.String {
		return u.UnmarshalText([]byte(key))
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(key)
		return nil
	case reflect.Interface:
		if to.NumMethod() == 0 {
			to.Set(reflect.ValueOf(key))
			return nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if i, err := strconv.ParseInt(key, 10, 64); err == nil && !to.OverflowInt(i) {
			to.SetInt(i)
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if u, err := strconv.ParseUint(key, 10, 64); err == nil && !to.OverflowUint(u) {
			to.SetUint(u)
			return nil
		}
	}
	return fault(ErrConvert, "a key to %s", to.Type())
}

// natural returns the Go value for a tree where any type would do.
func (a *assigner) natural(v Value) (any, error) {
	switch v := v.(type) {
	case Null:
		return nil, nil
	case Bool:
		return bool(v), nil
	case String:
		return v.Valid(), nil
	case Number:
		return v.Float64(), nil
	case BigInt:
		return v.Int(), nil
	case Date:
		if v.Valid() {
			return v.Time(), nil
		}
	case URL:
		if u, err := url.Parse(v.Href); err == nil {
			return u, nil
		}
	case *TypedArray:
		if v.typ == Uint8Array {
			b, _ := v.bytes()
			return b, nil
		}
	case Array:
		return naturalAs[[]any](a, v)
	case *Object:
		return naturalAs[map[string]any](a, v)
	case *Instance:
		if g := a.codec.Types.class(v.Class); g != nil && g.typ != nil {
			return a.newOf(reflect.PointerTo(g.typ), v)
		}
	case *Custom:
		if g := a.codec.Types.custom(v.Name); g != nil && g.typ != nil {
			return a.newOf(g.typ, v)
		}
	}
	return v, nil
}

func naturalAs[T any](a *assigner, v Value) (any, error) {
	var made T
	err := a.assign(reflect.ValueOf(&made).Elem(), v)
	return made, err
}

func (a *assigner) newOf(t reflect.Type, v Value) (any, error) {
	made := reflect.New(t).Elem()
	err := a.assign(made, v)
	return made.Interface(), err
}
