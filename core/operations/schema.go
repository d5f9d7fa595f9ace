package operations

import (
	"encoding/json"
	"reflect"
	"strings"

	"stele/internal/strictjson"
)

// schemaOf prints the JSON Schema of the parameters with exactly the keys, titles and order that the Switch protocol's
// reference server prints from its function signatures: properties in declared order, all other keys alphabetical, no
// "required" when nothing is, no "additionalProperties" at the top although unknown arguments are refused.
func schemaOf(params []Param) json.RawMessage {
	if len(params) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	b := []byte(`{"properties":{`)
	var required []string
	for i, p := range params {
		if i > 0 {
			b = append(b, ',')
		}
		b = strictjson.AppendString(b, p.Name)
		b = append(b, ':')
		b = appendProperty(b, p)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	b = append(b, '}')
	if len(required) > 0 {
		b = append(b, `,"required":[`...)
		for i, name := range required {
			if i > 0 {
				b = append(b, ',')
			}
			b = strictjson.AppendString(b, name)
		}
		b = append(b, ']')
	}
	return append(b, `,"type":"object"}`...)
}

// appendProperty prints one property, its keys in alphabetical order.
func appendProperty(b []byte, p Param) []byte {
	b = append(b, '{')
	if p.Nullable {
		b = append(b, `"anyOf":[{`...)
		b = appendType(b, p.kind, "")
		b = append(b, `},{"type":"null"}]`...)
		if !p.Required {
			b = append(b, `,"default":`...)
			b = append(b, p.Default...)
		}
		b = append(b, `,"title":`...)
		b = strictjson.AppendString(b, title(p.Name))
		return append(b, '}')
	}
	if p.Any {
		b = append(append(b, `"default":`...), p.Default...)
		return append(strictjson.AppendString(append(b, `,"title":`...), title(p.Name)), '}')
	}
	middle := `"title":` + string(strictjson.AppendString(nil, title(p.Name))) + `,`
	if !p.Required {
		middle = `"default":` + string(p.Default) + `,` + middle
	}
	b = appendType(b, p.kind, middle)
	return append(b, '}')
}

// appendType prints the keys of a type; middle goes where "default" and "title" stand in the alphabet.
func appendType(b []byte, t reflect.Type, middle string) []byte {
	if t == reflect.TypeFor[objectValue]() {
		return append(append(append(b, `"additionalProperties":true,`...), middle...), `"type":"object"`...)
	}
	switch t.Kind() {
	case reflect.String:
		return append(append(b, middle...), `"type":"string"`...)
	case reflect.Bool:
		return append(append(b, middle...), `"type":"boolean"`...)
	case reflect.Int:
		return append(append(b, middle...), `"type":"integer"`...)
	case reflect.Slice:
		b = append(b, `"items":{`...)
		b = appendType(b, t.Elem(), "")
		b = append(append(b, '}', ','), middle...)
		return append(b, `"type":"array"`...)
	case reflect.Map:
		b = append(b, `"additionalProperties":`...)
		if t.Elem() == reflect.TypeFor[json.RawMessage]() {
			b = append(b, `true`...)
		} else {
			b = append(b, '{')
			b = appendType(b, t.Elem(), "")
			b = append(b, '}')
		}
		b = append(append(b, ','), middle...)
		return append(b, `"type":"object"`...)
	}
	panic("operations: no schema for a parameter of type " + t.String())
}

// title turns snake_case into Title Case per word.
func title(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}
