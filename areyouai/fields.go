package areyouai

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"stele/internal/strictjson"
)

// decodeFields decodes the object in body into v. Fields that v has no place
// for are taken out before: they are ignored whatever they hold, also numbers
// that no decoder reads, such as 1e99999.
func decodeFields(body []byte, v any) error {
	fields, err := strictjson.DecodeObjectLimits(body, bodyLimits(len(body)))
	if errors.Is(err, strictjson.ErrTooLarge) {
		// The body as a whole was measured before, so it is one of its numbers.
		fields, err = strictjson.DecodeObjectLimits(shortenNumbers(body), bodyLimits(len(body)))
	}
	if err != nil {
		return err
	}
	limits := bodyLimits(len(body))
	limits.WholeText = true
	return strictjson.UnmarshalLimits(knownFields(fields, v), v, limits)
}

// knownFields returns the object with those of the fields that v has.
func knownFields(fields map[string]json.RawMessage, v any) []byte {
	typ := reflect.TypeOf(v).Elem()
	out := []byte{'{'}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		value, ok := fields[name]
		if !ok {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(strictjson.AppendString(out, name), ':')
		out = append(out, value...)
	}
	return append(out, '}')
}

// maxDigits is how many digits in a row are left of a number: more than any
// field of the contract accepts, and few enough that integer, fraction and
// exponent together stay below [strictjson.MaxNumberBytes].
const maxDigits = 300

// shortenNumbers cuts rows of digits outside of strings to maxDigits. What was
// JSON stays JSON and what was not does not become it; a number that was cut
// fits into no field before and after.
func shortenNumbers(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	inString, escaped, digits := false, false, 0
	for _, c := range doc {
		switch {
		case escaped:
			escaped = false
		case c == '"':
			inString = !inString
		case c == '\\':
			escaped = inString
		}
		if inString || c < '0' || c > '9' {
			digits = 0
		} else {
			digits++
		}
		if digits <= maxDigits {
			out = append(out, c)
		}
	}
	return out
}
