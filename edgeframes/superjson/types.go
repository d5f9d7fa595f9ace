package superjson

import (
	"fmt"
	"reflect"
)

// Types lists what both ends have registered by name beside the built-in types:
// classes, symbols and custom transformers. Build it once, before any [Codec] uses it;
// from then on it must not be changed. A nil *Types has nothing registered.
type Types struct {
	classes map[string]*goType
	symbols map[string]string
	customs map[string]*goType
	byGo    map[reflect.Type]*goType
}

// goType ties a registered name to a Go type. A class or transformer that is known by
// name only has none.
type goType struct {
	typ   reflect.Type
	class string
	// props are the only properties that travel, nil for all.
	props       []string
	custom      string
	serialize   func(reflect.Value) (any, error)
	deserialize func(Value) (reflect.Value, error)
}

// NewTypes returns an empty list.
func NewTypes() *Types {
	return &Types{
		classes: map[string]*goType{},
		symbols: map[string]string{},
		customs: map[string]*goType{},
		byGo:    map[reflect.Type]*goType{},
	}
}

// Class registers a class by its identifier alone: its instances are decoded as
// [*Instance].
func (t *Types) Class(id string) *Types {
	t.classes[id] = &goType{class: id}
	return t
}

// Symbol registers a symbol: description is what it is called in JavaScript.
func (t *Types) Symbol(id, description string) *Types {
	t.symbols[id] = description
	return t
}

// Custom registers a transformer by its name alone: what it serialized is decoded as
// [*Custom].
func (t *Types) Custom(name string) *Types {
	t.customs[name] = &goType{custom: name}
	return t
}

// RegisterClass registers the struct type T as the class id: [Codec.Marshal] prints a T
// or *T as an instance, and [Codec.Unmarshal] puts a *T where an instance stands and any
// type would do. If props are given, only those keys travel. It panics if T is no struct,
// which is a mistake of the program.
func RegisterClass[T any](t *Types, id string, props ...string) {
	typ := reflect.TypeFor[T]()
	if typ.Kind() != reflect.Struct {
		panic(fmt.Sprintf("superjson: class %s: %s is no struct", id, typ))
	}
	g := &goType{typ: typ, class: id, props: props}
	t.classes[id] = g
	t.byGo[typ] = g
}

// RegisterCustom registers a transformer for the Go type T. serialize returns what
// travels, as any value that [Codec.Marshal] takes; deserialize makes a T of it again.
func RegisterCustom[T any](t *Types, name string, serialize func(T) (any, error), deserialize func(Value) (T, error)) {
	g := &goType{
		typ: reflect.TypeFor[T](), custom: name,
		serialize: func(v reflect.Value) (any, error) { return serialize(v.Interface().(T)) },
		deserialize: func(v Value) (reflect.Value, error) {
			made, err := deserialize(v)
			return reflect.ValueOf(&made).Elem(), err
		},
	}
	t.customs[name] = g
	t.byGo[g.typ] = g
}

// class returns what is registered as the class id, nil if nothing is.
func (t *Types) class(id string) *goType {
	if t == nil {
		return nil
	}
	return t.classes[id]
}

// custom returns the transformer of that name, nil if there is none.
func (t *Types) custom(name string) *goType {
	if t == nil {
		return nil
	}
	return t.customs[name]
}

func (t *Types) symbol(id string) (string, bool) {
	if t == nil {
		return "", false
	}
	description, ok := t.symbols[id]
	return description, ok
}

// goType returns what typ is registered as, nil if it is not.
func (t *Types) goType(typ reflect.Type) *goType {
	if t == nil {
		return nil
	}
	return t.byGo[typ]
}
