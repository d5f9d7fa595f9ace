package agentswitch

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/strictjson"
)

// nested reads a member that is itself an object; its faults carry the place
// of both. It returns false, and read is not called, when it is none.
func (f *fields) nested(step any, raw json.RawMessage, read func(*fields)) bool {
	values, err := strictjson.DecodeObject(raw)
	if err != nil {
		f.report(step, IssueObjectType, msgObjectType, raw)
		return false
	}
	inner := fields{whole: raw, values: values, loc: f.place(step)}
	read(&inner)
	f.issues = append(f.issues, inner.issues...)
	return true
}

// elements reads a member that is a list and hands out its elements one by
// one, with a reader that stands at the list.
func (f *fields) elements(name string, raw json.RawMessage, read func(list *fields, i int, element json.RawMessage)) {
	all, err := strictjson.DecodeArray(raw)
	if err != nil {
		f.report(name, IssueListType, msgListType, raw)
		return
	}
	list := fields{loc: f.place(name)}
	for i, element := range all {
		read(&list, i, element)
	}
	f.issues = append(f.issues, list.issues...)
}

// requiredStrings returns a list that is not nil unless it is at fault.
func (f *fields) requiredStrings(name string) List[string] {
	raw, ok := f.required(name)
	if !ok {
		return nil
	}
	texts := List[string]{}
	f.elements(name, raw, func(list *fields, i int, element json.RawMessage) {
		texts = append(texts, list.stringValue(i, element))
	})
	return texts
}

// requiredValues returns the elements of a list of anything as they came.
func (f *fields) requiredValues(name string) List[json.RawMessage] {
	raw, ok := f.required(name)
	if !ok {
		return nil
	}
	values := List[json.RawMessage]{}
	f.elements(name, raw, func(_ *fields, _ int, element json.RawMessage) { values = append(values, element) })
	return values
}

// requiredObject returns an object as it came.
func (f *fields) requiredObject(name string) json.RawMessage {
	raw, ok := f.required(name)
	if ok && strictjson.KindOf(raw) != "object" {
		f.report(name, IssueDictType, msgDictType, raw)
	}
	return raw
}

// wholeObjectOr is objectOr for an object that is kept: it holds no half of a
// surrogate pair.
func (f *fields) wholeObjectOr(name string) map[string]json.RawMessage {
	f.wholeText(name)
	return f.objectOr(name)
}

// wholeText reports a member that holds half of a surrogate pair.
func (f *fields) wholeText(name string) {
	raw := f.values[name]
	if errors.Is(strictjson.Check(raw, strictjson.Limits{WholeText: true}), strictjson.ErrLoneSurrogate) {
		f.report(name, IssueStringUnicode, msgStringUnicode, raw)
	}
}

// optionalObject is requiredObject for a member that may be absent or null,
// and then nil.
func (f *fields) optionalObject(name string) json.RawMessage {
	if raw, ok := f.values[name]; !ok || strictjson.KindOf(raw) == "null" {
		return nil
	}
	return f.requiredObject(name)
}

// optionalValue returns anything as it came; nil when absent or null.
func (f *fields) optionalValue(name string) json.RawMessage {
	raw := f.values[name]
	if strictjson.KindOf(raw) == "null" {
		return nil
	}
	return raw
}

// optionalNumber returns nil for an absent or null field.
func (f *fields) optionalNumber(name string) *float64 {
	raw, ok := f.values[name]
	if !ok || strictjson.KindOf(raw) == "null" {
		return nil
	}
	text := string(raw)
	switch strictjson.KindOf(raw) {
	case "number":
	case "string":
		_ = strictjson.Unmarshal(raw, &text)
	default:
		f.report(name, IssueFloatType, msgFloatType, raw)
		return nil
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		f.report(name, IssueFloatParsing, msgFloatParsing, raw)
		return nil
	}
	return &n
}

// requiredChoice returns one of the texts that are allowed.
func (f *fields) requiredChoice(name string, allowed ...string) string {
	raw, ok := f.required(name)
	if !ok {
		return ""
	}
	return f.choice(name, raw, allowed)
}

// optionalChoice returns nil for an absent or null field.
func (f *fields) optionalChoice(name string, allowed ...string) *string {
	raw, ok := f.values[name]
	if !ok || strictjson.KindOf(raw) == "null" {
		return nil
	}
	text := f.choice(name, raw, allowed)
	return &text
}

func (f *fields) choice(name string, raw json.RawMessage, allowed []string) string {
	var text string
	if strictjson.KindOf(raw) == "string" && strictjson.Unmarshal(raw, &text) == nil && slices.Contains(allowed, text) {
		return text
	}
	f.issues = append(f.issues, literalIssue(f.place(name), raw, allowed))
	return ""
}

// literalIssue words a value outside a fixed set as the reference server's
// framework does: 'a', 'b' or 'c'.
func literalIssue(loc []any, input json.RawMessage, allowed []string) Issue {
	var expected strings.Builder
	for i, one := range allowed {
		switch {
		case i == 0:
		case i == len(allowed)-1:
			expected.WriteString(" or ")
		default:
			expected.WriteString(", ")
		}
		expected.WriteString("'" + one + "'")
	}
	return Issue{
		Type: IssueLiteralError, Loc: loc, Msg: "Input should be " + expected.String(),
		Input: input, Ctx: map[string]any{"expected": expected.String()},
	}
}
