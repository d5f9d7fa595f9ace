package core

import (
	"encoding/json"
	"fmt"

	"stele/internal/strictjson"
)

// MaxReferenceValueBytes bounds the value of a reference, as it is stored.
const MaxReferenceValueBytes = 16 << 10

// urlsValue is the value of every type of reference there is.
type urlsValue struct {
	URLs []string `json:"urls"`
}

// ReferenceValue checks the value of a reference of a type and returns it as it is stored: an object with the key "urls",
// which has at least one string; other keys are dropped. Errors: *[InvalidError], *[TooLongError].
func ReferenceValue(referenceType string, value json.RawMessage) (json.RawMessage, error) {
	if err := checkReferenceType(referenceType); err != nil {
		return nil, err
	}
	wrong := &InvalidError{Field: "value", Reason: `must be an object whose key "urls" has a list of at least one string`}
	fields, err := strictjson.DecodeObject(value)
	if err != nil || strictjson.KindOf(fields["urls"]) != "array" {
		return nil, wrong
	}
	// A null among the strings would read as an empty one.
	var items []json.RawMessage
	if err := strictjson.Unmarshal(fields["urls"], &items); err != nil || len(items) == 0 {
		return nil, wrong
	}
	out := urlsValue{URLs: make([]string, len(items))}
	for i, item := range items {
		if strictjson.KindOf(item) != "string" {
			return nil, wrong
		}
		if err := strictjson.Unmarshal(item, &out.URLs[i]); err != nil {
			return nil, wrong
		}
	}
	stored, err := strictjson.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode value of a reference: %w", err)
	}
	if err := checkBytes("value", string(stored), MaxReferenceValueBytes); err != nil {
		return nil, err
	}
	return stored, nil
}
