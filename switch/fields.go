package agentswitch

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"stele/internal/strictjson"
)

// fields reads the members of a request object one by one and collects every
// fault, as the reference server does. Like it, it is lenient about scalars:
// "true", "yes" and 1 are booleans, "5" and 5.0 are integers.
type fields struct {
	whole  json.RawMessage // the object, which is the input of a missing field
	values map[string]json.RawMessage
	loc    []any
	issues []Issue
}

func newFields(body []byte) (*fields, error) {
	values, err := bodyObject(body)
	if err != nil {
		return nil, err
	}
	return &fields{whole: body, values: values, loc: []any{locBody}}, nil
}

func (f *fields) err() error { return unprocessable(f.issues) }

// report notes a fault at a member, or at a place in a list.
func (f *fields) report(step any, typ, msg string, input json.RawMessage) {
	f.issues = append(f.issues, Issue{Type: typ, Loc: f.place(step), Msg: msg, Input: input})
}

func (f *fields) place(step any) []any { return append(append([]any{}, f.loc...), step) }

func (f *fields) required(name string) (json.RawMessage, bool) {
	raw, ok := f.values[name]
	if !ok {
		f.report(name, IssueMissing, msgFieldRequired, f.whole)
	}
	return raw, ok
}

func (f *fields) requiredString(name string) string {
	raw, ok := f.required(name)
	if !ok {
		return ""
	}
	return f.stringValue(name, raw)
}

func (f *fields) stringValue(step any, raw json.RawMessage) string {
	var s string
	if strictjson.KindOf(raw) != "string" {
		f.report(step, IssueStringType, msgStringType, raw)
		return ""
	}
	switch err := strictjson.UnmarshalLimits(raw, &s, strictjson.Limits{WholeText: true}); {
	case errors.Is(err, strictjson.ErrLoneSurrogate):
		f.report(step, IssueStringUnicode, msgStringUnicode, raw)
	case err != nil:
		f.report(step, IssueStringType, msgStringType, raw)
	}
	return s
}

// optionalString returns nil for an absent or null field.
func (f *fields) optionalString(name string) *string {
	raw, ok := f.values[name]
	if !ok || strictjson.KindOf(raw) == "null" {
		return nil
	}
	s := f.stringValue(name, raw)
	return &s
}

func (f *fields) requiredBool(name string) bool {
	if _, ok := f.required(name); !ok {
		return false
	}
	return f.boolOr(name, false)
}

func (f *fields) boolOr(name string, absent bool) bool {
	raw, ok := f.values[name]
	if !ok {
		return absent
	}
	var text string
	switch strictjson.KindOf(raw) {
	case "boolean":
		return string(raw) == "true"
	case "number":
		text = string(raw)
	case "string":
		_ = strictjson.Unmarshal(raw, &text)
	default:
		f.report(name, IssueBoolType, msgBoolType, raw)
		return absent
	}
	value, ok := parseBool(text)
	if !ok {
		f.report(name, IssueBoolParsing, msgBoolParsing, raw)
		return absent
	}
	return value
}

// sequenceOr reads an integer as a cursor: below 0 counts as 0, and what no
// cursor can reach as the highest.
func (f *fields) sequenceOr(name string, absent uint64) uint64 {
	raw, ok := f.values[name]
	if !ok {
		return absent
	}
	text := string(raw)
	switch strictjson.KindOf(raw) {
	case "number":
		if whole, fraction, found := strings.Cut(text, "."); found && strings.Trim(fraction, "0") == "" {
			text = whole
		} else if strings.ContainsAny(text, ".eE") {
			f.report(name, IssueIntFromFloat, msgIntFromFloat, raw)
			return absent
		}
	case "string":
		_ = strictjson.Unmarshal(raw, &text)
	default:
		f.report(name, IssueIntType, msgIntType, raw)
		return absent
	}
	value, ok := parseCursor(text)
	if !ok {
		f.report(name, IssueIntParsing, msgIntParsing, raw)
		return absent
	}
	return value
}

func (f *fields) objectOr(name string) map[string]json.RawMessage {
	raw, ok := f.values[name]
	if !ok {
		return nil
	}
	object, err := strictjson.DecodeObject(raw)
	if err != nil {
		f.report(name, IssueDictType, msgDictType, raw)
	}
	return object
}

// parseBool reads a boolean as the reference server's framework does: true, 1,
// yes, on, t, y and their opposites, in any case.
func parseBool(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on", "t", "y":
		return true, true
	case "false", "0", "no", "off", "f", "n":
		return false, true
	default:
		return false, false
	}
}

// parseCursor reads a decimal integer of any size. Negatives become 0; beyond
// MaxCursor is MaxCursor.
func parseCursor(text string) (uint64, bool) {
	text = strings.TrimSpace(text)
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || len(text)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	if text[0] == '-' {
		return 0, true
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return MaxCursor, true
	}
	return n, true
}

// MaxCursor is the highest cursor there is. Higher numbers from clients mean
// the same: ahead of everything.
const MaxCursor = math.MaxInt64
