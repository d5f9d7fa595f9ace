package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf16"
)

// Unmarshal is UnmarshalLimits with DefaultLimits.
func Unmarshal(data []byte, v any) error { return UnmarshalLimits(data, v, Limits{}) }

// UnmarshalLimits checks data as Check does and decodes it into v, a non-nil
// pointer. Unknown fields are ignored; of a repeated field the last wins. A
// half of a surrogate pair reads as U+FFFD, also inside a json.RawMessage, or is
// ErrLoneSurrogate if lim asks for whole text.
//
// A value of the wrong type is a *TypeError if its place can be told. After an
// error v may be partly filled.
func UnmarshalLimits(data []byte, v any, lim Limits) error {
	traits, err := check(data, lim)
	if err != nil {
		return err
	}
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("strictjson: decode into %T: not a usable pointer", v)
	}
	if traits.loneSurrogate {
		data = replaceLoneSurrogates(data)
	}
	if traits.oddNumber && decodeOdd(data, v) || !traits.oddNumber && config.Unmarshal(data, v) == nil {
		return nil
	}
	return diagnose(data, target.Type().Elem())
}

// diagnose tells why json-iterator failed. Its own error is a text that quotes
// the document; encoding/json names the field, so it decodes once more into a
// value that nobody sees.
func diagnose(data []byte, typ reflect.Type) error {
	err := json.Unmarshal(data, reflect.New(typ).Interface())
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		got, _, _ := strings.Cut(wrong.Value, " ")
		if got == "bool" {
			got = "boolean"
		}
		return &TypeError{Field: wrong.Field, Want: jsonWord(wrong.Type), Got: got}
	case err != nil:
		return fmt.Errorf("strictjson: decode into %s: %w", typ, err)
	default:
		return fmt.Errorf("strictjson: decode into %s: %w", typ, errUnsupported)
	}
}

var errUnsupported = errors.New("a value does not fit")

func jsonWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonWord(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	default:
		if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr {
			return "integer"
		}
		return t.String()
	}
}

// replaceLoneSurrogates returns a copy of a checked document in which every
// escape that is half of a pair reads \ufffd. The library resolves some
// sequences of them differently from encoding/json.
func replaceLoneSurrogates(data []byte) []byte {
	out := bytes.Clone(data)
	for i := 0; i < len(out); i++ {
		if out[i] != '\\' {
			continue
		}
		i++
		if out[i] != 'u' {
			continue
		}
		r, _ := hex4(out[i+1:])
		if !utf16.IsSurrogate(r) {
			i += 4
			continue
		}
		if pairsWith(r, out[i+5:]) {
			i += 10
			continue
		}
		copy(out[i+1:], "fffd")
		i += 4
	}
	return out
}
