package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// DecodeObject checks data against DefaultLimits and returns the fields of
// the object it holds, each value exactly as written. Of a repeated field the
// last wins. Any other value is a *TypeError. The result does not share
// memory with data.
func DecodeObject(data []byte) (map[string]json.RawMessage, error) {
	return DecodeObjectLimits(data, Limits{})
}

// DecodeObjectLimits is DecodeObject with other limits.
func DecodeObjectLimits(data []byte, lim Limits) (map[string]json.RawMessage, error) {
	if err := Check(data, lim); err != nil {
		return nil, err
	}
	s := scanner{data: bytes.Clone(data), maxDepth: lim.withDefaults().MaxDepth}
	s.skipSpace()
	if s.peek() != '{' {
		return nil, &TypeError{Want: "object", Got: KindOf(s.data)}
	}
	fields := make(map[string]json.RawMessage)
	s.enter()
	for s.peek() != '}' {
		name, err := s.fieldName()
		if err != nil {
			return nil, err
		}
		start := s.pos
		s.value()
		fields[name] = json.RawMessage(s.data[start:s.pos:s.pos])
		s.next()
	}
	return fields, nil
}

// DecodeArray is DecodeObject for the elements of an array.
func DecodeArray(data []byte) ([]json.RawMessage, error) {
	if err := Check(data, Limits{}); err != nil {
		return nil, err
	}
	s := scanner{data: bytes.Clone(data), maxDepth: DefaultLimits().MaxDepth}
	s.skipSpace()
	if s.peek() != '[' {
		return nil, &TypeError{Want: "array", Got: KindOf(s.data)}
	}
	elements := []json.RawMessage{}
	s.enter()
	for s.peek() != ']' {
		start := s.pos
		s.value()
		elements = append(elements, json.RawMessage(s.data[start:s.pos:s.pos]))
		s.next()
	}
	return elements, nil
}

// next moves from the end of a value of a checked document to the next one, or to the end of what holds them.
func (s *scanner) next() {
	s.skipSpace()
	if s.peek() == ',' {
		s.pos++
		s.skipSpace()
	}
}

// fieldName reads a name of a checked object and moves to its value.
func (s *scanner) fieldName() (string, error) {
	start := s.pos
	s.str()
	quoted := s.data[start:s.pos]
	s.skipSpace()
	s.pos++
	s.skipSpace()
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	var name string
	if err := json.Unmarshal(quoted, &name); err != nil {
		return "", fmt.Errorf("strictjson: field name: %w", err)
	}
	return name, nil
}

// KindOf tells the JSON type of a sound value by its first letter: object,
// array, string, number, boolean or null; empty when there is none.
func KindOf(value []byte) string {
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 {
		return ""
	}
	switch c := value[0]; c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		if c == '-' || isDigit(c) {
			return "number"
		}
		return ""
	}
}
