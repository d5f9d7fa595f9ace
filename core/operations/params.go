package operations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"stele/internal/strictjson"
)

// Param is one parameter of an operation.
type Param struct {
	Name string
	// Required parameters have no default.
	Required bool
	// Default is its JSON; nil when required.
	Default json.RawMessage
	// Nullable parameters accept null, which means the default.
	Nullable bool
	// Typed parameters may hold values of types that JSON lacks, see [Caller]. Any tells that it need be no object: null is a
	// value of it.
	Typed, Any bool
	kind       reflect.Type
	field      int
}

// ArgumentError: an argument is missing, unknown, or of the wrong type. Reason names the arguments.
type ArgumentError struct {
	Names  []string
	Reason string
}

func (e *ArgumentError) Error() string { return e.Reason }

// paramsOf reads the parameters from the fields of an argument struct. Its mistakes are the program's, so it panics.
func paramsOf[A any]() []Param {
	t := reflect.TypeFor[A]()
	var out []Param
	for i := range t.NumField() {
		f := t.Field(i)
		name, def, optional := strings.Cut(f.Tag.Get("op"), ",default=")
		if name == "" {
			panic(fmt.Sprintf("operations: field %s.%s has no op tag", t.Name(), f.Name))
		}
		p := Param{Name: name, Required: !optional, kind: f.Type, field: i}
		if optional {
			p.Default = json.RawMessage(def)
		}
		if p.kind.Kind() == reflect.Pointer {
			p.Nullable, p.kind = true, p.kind.Elem()
		}
		p.Any = p.kind == reflect.TypeFor[anyValue]()
		p.Typed = p.Any || p.kind == reflect.TypeFor[objectValue]()
		out = append(out, p)
	}
	return out
}

// bind fills the argument struct from values of at most so many bytes each. Unknown names are reported first, all at
// once, then missing ones, then wrong types.
func bind(into any, params []Param, args map[string]json.RawMessage, most int) error {
	if err := checkNames(params, args); err != nil {
		return err
	}
	v := reflect.ValueOf(into).Elem()
	for _, p := range params {
		raw, given := args[p.Name]
		if p.Typed {
			if given {
				v.Field(p.field).SetBytes(raw)
			}
			continue
		}
		if isNull(raw) && !p.Required {
			given = false
		}
		if !given {
			raw = p.Default
		}
		if isNull(raw) && p.Nullable {
			continue
		}
		field := v.Field(p.field)
		if p.Nullable {
			field.Set(reflect.New(p.kind))
			field = field.Elem()
		}
		err := strictjson.UnmarshalLimits(raw, field.Addr().Interface(), strictjson.Limits{MaxBytes: most, WholeText: true})
		if errors.Is(err, strictjson.ErrLoneSurrogate) {
			return halfPair(p.Name)
		}
		if errors.Is(err, strictjson.ErrTooLarge) {
			return &ArgumentError{Names: []string{p.Name}, Reason: fmt.Sprintf("argument %q is too long", p.Name)}
		}
		if err != nil || isNull(raw) || hasNull(raw, p.kind) {
			return &ArgumentError{
				Names:  []string{p.Name},
				Reason: fmt.Sprintf("argument %q must be %s", p.Name, describe(p)),
			}
		}
	}
	return nil
}

// halfPair refuses what no UTF-8 has, so that a text is not altered.
func halfPair(name string) *ArgumentError {
	return &ArgumentError{
		Names: []string{name}, Reason: fmt.Sprintf("argument %q holds half of a surrogate pair, which is not a character", name),
	}
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

// hasNull tells whether an item of a list or a value of an object is null where its type has no null: the decoder would
// make the zero value of it, which says something else ("turn it off", "take it away").
func hasNull(raw json.RawMessage, kind reflect.Type) bool {
	if kind.Kind() != reflect.Slice && kind.Kind() != reflect.Map || kind == reflect.TypeFor[json.RawMessage]() {
		return false
	}
	elem := kind.Elem()
	if elem.Kind() == reflect.Slice || elem.Kind() == reflect.Interface || elem.Kind() == reflect.Pointer {
		return false
	}
	null := func(v json.RawMessage) bool { return isNull(v) || hasNull(v, elem) }
	if kind.Kind() == reflect.Slice {
		var items []json.RawMessage
		return json.Unmarshal(raw, &items) == nil && slices.ContainsFunc(items, null)
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return false
	}
	for _, v := range values {
		if null(v) {
			return true
		}
	}
	return false
}

func checkNames(params []Param, args map[string]json.RawMessage) error {
	var unknown, missing []string
	for name := range args {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return &ArgumentError{Names: unknown, Reason: "unexpected arguments: " + strings.Join(unknown, ", ")}
	}
	for _, p := range params {
		if _, given := args[p.Name]; p.Required && !given {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) > 0 {
		return &ArgumentError{Names: missing, Reason: "missing required arguments: " + strings.Join(missing, ", ")}
	}
	return nil
}

// describe names a parameter's type for people.
func describe(p Param) string {
	text := describeType(p.kind)
	if p.Nullable {
		text += " or null"
	}
	return text
}

func describeType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "an integer"
	case reflect.Slice:
		return "a list, each item " + describeType(t.Elem())
	}
	return "an object"
}
