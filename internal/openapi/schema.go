package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// schemas turns Go types into JSON Schemas; named structs become components.
type schemas struct {
	given      map[reflect.Type]map[string]any
	components map[string]any
	types      map[string]reflect.Type
}

var (
	rawType       = reflect.TypeFor[json.RawMessage]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
	textType      = reflect.TypeFor[encoding.TextMarshaler]()
)

// of returns the schema of a type. It panics for a type that it cannot describe, which is the program's mistake.
func (s *schemas) of(t reflect.Type) map[string]any {
	if given, ok := s.given[t]; ok {
		return given
	}
	switch {
	case t == rawType, t.Kind() == reflect.Interface:
		return map[string]any{}
	case t.Kind() == reflect.Pointer:
		return orNull(s.of(t.Elem()))
	case encodesItself(t) && t.Kind() != reflect.Slice && t.Kind() != reflect.Map:
		panic(fmt.Sprintf("openapi: %s encodes itself; give it a schema", t))
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.component(t)
	}
	panic(fmt.Sprintf("openapi: no schema for %s", t))
}

func encodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalerType) || p.Implements(textType)
}

// orNull lets a schema be null too.
func orNull(schema map[string]any) map[string]any {
	if len(schema) == 0 {
		return schema
	}
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// component describes a struct once and refers to it.
func (s *schemas) component(t reflect.Type) map[string]any {
	name := t.Name()
	if name == "" {
		return s.object(t)
	}
	if i := strings.IndexByte(name, '['); i >= 0 {
		panic(fmt.Sprintf("openapi: %s needs a name of its own", t))
	}
	ref := map[string]any{"$ref": "#/components/schemas/" + name}
	if other, known := s.types[name]; known {
		if other != t {
			panic(fmt.Sprintf("openapi: %s and %s have the same name", other, t))
		}
		return ref
	}
	s.types[name] = t
	s.components[name] = s.object(t)
	return ref
}

func (s *schemas) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	s.fields(t, properties, &required)
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// fields collects a struct's fields, those of embedded structs among them.
func (s *schemas) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			s.fields(f.Type, properties, required)
			continue
		case name == "":
			name = f.Name
		}
		properties[name] = s.of(f.Type)
		if !strings.Contains(opts, "omitempty") {
			*required = append(*required, name)
		}
	}
}
