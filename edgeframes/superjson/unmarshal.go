package superjson

import (
	"reflect"
)

// Unmarshaler is implemented by types that read themselves from a decoded [Value].
type Unmarshaler interface {
	UnmarshalSuperJSON(Value) error
}

// Unmarshal decodes text into what v points to, as the zero [Codec] does.
//
// Into a [Value] it puts the tree as it is. Into an empty interface it puts nil, bool,
// float64, string, []any and map[string]any; Undefined and RegExp; time.Time for a Date
// and *big.Int for a bigint, *url.URL, []byte for a Uint8Array; for the rest the tree's
// own types, such as [*Map] and [*Set].
//
// Into other types it follows encoding/json, by the same tags, and beyond it: a Date
// goes into a time.Time, a bigint or an integer into any integer it fits and into a
// [big.Int], a Set or a typed array into a slice, a Map into a Go map, a URL into a
// [url.URL] or a string. null and undefined make pointers, maps, slices and interfaces
// nil and leave other values as they are. Keys that a struct lacks are ignored. An object
// that stands at several places becomes one Go value wherever the type is a pointer, a
// map or a slice.
//
// The error is a *[DecodeError], or one that a method returned. On error v may have been
// filled in part.
func Unmarshal(text []byte, v any) error { return Codec{}.Unmarshal(text, v) }

// Unmarshal decodes text into what v points to; see the function [Unmarshal].
func (c Codec) Unmarshal(text []byte, v any) error {
	tree, err := c.Parse(text)
	if err != nil {
		return err
	}
	return c.Assign(v, tree)
}

// Assign puts a decoded value into what v points to, as [Codec.Unmarshal] does.
func (c Codec) Assign(v any, tree Value) error {
	if p, ok := v.(*Value); ok && p != nil {
		*p = tree
		return nil
	}
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fault(ErrConvert, "into %T, which is no pointer to a value", v)
	}
	a := assigner{codec: c}
	if err := a.assign(to.Elem(), tree); err != nil {
		return a.located(err)
	}
	return nil
}

// assigner puts a tree into Go values.
type assigner struct {
	codec Codec
	// made finds the Go value of an object that stands at several places.
	made map[madeKey]reflect.Value
	// path is where the assigner is, for messages.
	path []key
}

type madeKey struct {
	id  identity
	typ reflect.Type
}

// located adds the path to an error of this package.
func (a *assigner) located(err error) error {
	d, ok := err.(*DecodeError)
	if !ok || len(a.path) == 0 {
		return err
	}
	var path []byte
	for i, k := range a.path {
		if i > 0 {
			path = append(path, '.')
		}
		path = k.appendSegment(path)
	}
	return &DecodeError{Offset: d.Offset, Detail: d.Detail + " at " + quote(string(path)), Err: d.Err}
}

// within assigns a part. On error the path stays as it is, to tell where it was.
func (a *assigner) within(k key, to reflect.Value, v Value) error {
	a.path = append(a.path, k)
	if err := a.assign(to, v); err != nil {
		return err
	}
	a.path = a.path[:len(a.path)-1]
	return nil
}

func (a *assigner) assign(to reflect.Value, v Value) error {
	if v == nil {
		v = Undefined{}
	}
	t := to.Type()
	if t == valueType {
		to.Set(reflect.ValueOf(v))
		return nil
	}
	if to.Kind() == reflect.Interface {
		return a.intoInterface(to, v)
	}
	if t.Implements(valueType) {
		if from := reflect.ValueOf(v); from.Type() == t {
			to.Set(from)
			return nil
		} else if t.Kind() == reflect.Pointer && absent(v) {
			to.SetZero()
			return nil
		}
		return a.cannot(to, v)
	}
	if done, err := a.byRegistration(to, v); done {
		return err
	}
	if to.Kind() == reflect.Pointer {
		return a.intoPointer(to, v)
	}
	if done, err := a.byMethod(to, v); done {
		return err
	}
	if absent(v) {
		if k := to.Kind(); k == reflect.Map || k == reflect.Slice {
			to.SetZero()
		}
		return nil
	}
	return a.intoKind(to, v)
}

func (a *assigner) cannot(to reflect.Value, v Value) error {
	return fault(ErrConvert, "%s to %s", KindOf(v), to.Type())
}

// intoInterface puts a Go value of a fitting type into an interface.
func (a *assigner) intoInterface(to reflect.Value, v Value) error {
	if !to.IsNil() && to.Elem().Kind() == reflect.Pointer && !to.Elem().IsNil() && !absent(v) {
		return a.assign(to.Elem().Elem(), v)
	}
	natural, err := a.natural(v)
	if err != nil {
		return err
	}
	if natural == nil {
		to.SetZero()
		return nil
	}
	from := reflect.ValueOf(natural)
	if !from.Type().AssignableTo(to.Type()) {
		return a.cannot(to, v)
	}
	to.Set(from)
	return nil
}

// intoPointer makes a new value and remembers it before it is filled, so that an object
// that holds itself can.
func (a *assigner) intoPointer(to reflect.Value, v Value) error {
	if absent(v) {
		to.SetZero()
		return nil
	}
	key := madeKey{identify(v), to.Type()}
	if made, ok := a.made[key]; ok && key.id.tag != 0 {
		to.Set(made)
		return nil
	}
	if to.IsNil() {
		to.Set(reflect.New(to.Type().Elem()))
	}
	a.remember(key, to)
	return a.assign(to.Elem(), v)
}

func (a *assigner) remember(key madeKey, made reflect.Value) {
	if key.id.tag == 0 {
		return
	}
	if a.made == nil {
		a.made = make(map[madeKey]reflect.Value)
	}
	kept := reflect.New(key.typ).Elem()
	kept.Set(made)
	a.made[key] = kept
}

// byRegistration reads what is registered for the type of to.
func (a *assigner) byRegistration(to reflect.Value, v Value) (bool, error) {
	g := a.codec.Types.goType(to.Type())
	if g == nil || g.deserialize == nil {
		return false, nil
	}
	custom, ok := v.(*Custom)
	if !ok || custom.Name != g.custom {
		return false, nil
	}
	made, err := g.deserialize(custom.Value)
	if err == nil {
		to.Set(made)
	}
	return true, err
}
