package edgefront

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stele/core/operations"
	"stele/edgeframes/superjson"
	"stele/internal/typedjson"
)

// Values come from sockets and go to them as SuperJSON, and lie in the log as typed JSON. What one of the two can say the other
// can, but for a half of a surrogate pair, which is refused, and the stack and own properties of an Error.

// errNoValue: a value is of a kind that the log cannot hold, larger than it may be, or holds itself.
var errNoValue = errors.New("the value is too large, too deep, holds itself, is of a type that cannot be kept, or holds a regular " +
	"expression or a URL that some client might refuse to build (send that as text)")

// errHalfPair: a text or a key holds half of a surrogate pair. UTF-8 has no form for it, and no text is altered.
var errHalfPair = errors.New("half of a surrogate pair is not a character")

// logged turns a value into the form of the log. It is bounded: a value may stand in many places, and hold itself.
func logged(v superjson.Value) (typedjson.Value, error) {
	l := logger{values: typedjson.DefaultMembers, bytes: operations.DefaultArgumentBytes}
	out, ok := l.value(v, typedjson.DefaultDepth)
	switch {
	case l.half:
		return typedjson.Value{}, errHalfPair
	case !ok:
		return typedjson.Value{}, errNoValue
	}
	return out, nil
}

// logger counts down what a value may still hold. half tells that it met half of a surrogate pair.
type logger struct {
	values, bytes int
	half          bool
}

func (l *logger) value(v superjson.Value, depth int) (out typedjson.Value, ok bool) {
	if l.values--; l.values < 0 || depth < 0 {
		return out, false
	}
	switch v := v.(type) {
	case nil, superjson.Undefined:
		return typedjson.Value{Kind: typedjson.Undefined}, true
	case superjson.Null:
		return out, true
	case superjson.Bool:
		return l.text(typedjson.Bool, strconv.FormatBool(bool(v)))
	case superjson.Number:
		return l.text(typedjson.Number, v.Text())
	case superjson.String:
		return l.text(typedjson.String, l.whole(string(v)))
	case superjson.BigInt:
		return l.text(typedjson.BigInt, v.String())
	case superjson.Date:
		if !v.Valid() {
			return typedjson.Value{Kind: typedjson.Date}, true
		}
		return l.text(typedjson.Date, v.String())
	case superjson.RegExp:
		out, ok = l.text(typedjson.RegExp, l.whole(v.String()))
		return out, ok && soundRegExp(v.Source, v.Flags)
	case superjson.URL:
		out, ok = l.text(typedjson.URL, l.whole(v.Href))
		return out, ok && soundURL(v.Href)
	}
	return l.container(v, depth-1)
}

func (l *logger) text(kind typedjson.Kind, text string) (typedjson.Value, bool) {
	l.bytes -= len(text)
	return typedjson.Value{Kind: kind, Text: text}, l.bytes >= 0
}

// whole notes a text that is no UTF-8.
func (l *logger) whole(text string) string {
	l.half = l.half || !utf8.ValidString(text)
	return text
}

func (l *logger) container(v superjson.Value, depth int) (out typedjson.Value, ok bool) {
	switch v := v.(type) {
	case superjson.Array:
		out.Kind = typedjson.Array
		out.Items, ok = l.items(slices.Values(v), depth)
	case *superjson.Set:
		out.Kind = typedjson.Set
		out.Items, ok = l.items(v.All(), depth)
	case *superjson.Map:
		out.Kind = typedjson.Map
		out.Items, ok = l.items(func(yield func(superjson.Value) bool) {
			for key, value := range v.All() {
				if !yield(key) || !yield(value) {
					return
				}
			}
		}, depth)
	case *superjson.TypedArray:
		out.Kind, out.Text = typedjson.TypedArray, string(v.Type())
		out.Items, ok = l.items(func(yield func(superjson.Value) bool) {
			for i := range v.Len() {
				if !yield(v.At(i)) {
					return
				}
			}
		}, depth)
	case *superjson.Object:
		out.Kind = typedjson.Object
		out.Members, ok = l.members(v.All(), depth)
	case *superjson.Error:
		out.Kind = typedjson.Error
		out.Members, ok = l.members(func(yield func(string, superjson.Value) bool) {
			if yield("name", superjson.String(v.Name)) && yield("message", superjson.String(v.Message)) && v.Cause != nil {
				yield("cause", v.Cause)
			}
		}, depth)
	}
	return out, ok
}

func (l *logger) items(items func(func(superjson.Value) bool), depth int) (out []typedjson.Value, ok bool) {
	for item := range items {
		v, ok := l.value(item, depth)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

func (l *logger) members(members func(func(string, superjson.Value) bool), depth int) (out []typedjson.Member, ok bool) {
	for key, member := range members {
		v, ok := l.value(member, depth)
		if l.bytes -= len(key); !ok || l.bytes < 0 {
			return nil, false
		}
		out = append(out, typedjson.Member{Key: l.whole(key), Value: v})
	}
	return out, true
}

// shown turns a value of the log into what sockets are shown.
func shown(v typedjson.Value) superjson.Value {
	switch v.Kind {
	case typedjson.Undefined:
		return superjson.Undefined{}
	case typedjson.Bool:
		return superjson.Bool(v.Text == "true")
	case typedjson.Number:
		return numberOf(v.Text)
	case typedjson.String:
		return superjson.String(v.Text)
	case typedjson.BigInt:
		return superjson.NewBigInt(bigOf(v.Text))
	case typedjson.Date:
		return momentOf(v.Text)
	case typedjson.RegExp:
		end := strings.LastIndexByte(v.Text, '/')
		if !soundRegExp(v.Text[1:end], v.Text[end+1:]) {
			return superjson.String(v.Text)
		}
		return superjson.RegExp{Source: v.Text[1:end], Flags: v.Text[end+1:]}
	case typedjson.URL:
		if !soundURL(v.Text) {
			return superjson.String(v.Text)
		}
		return superjson.URL{Href: v.Text}
	case typedjson.Array:
		return superjson.Array(shownItems(v.Items))
	case typedjson.Set:
		return superjson.NewSet(shownItems(v.Items)...)
	case typedjson.Map:
		entries := make([]superjson.Entry, 0, len(v.Items)/2)
		for i := 0; i+1 < len(v.Items); i += 2 {
			entries = append(entries, superjson.Entry{Key: shown(v.Items[i]), Value: shown(v.Items[i+1])})
		}
		return superjson.NewMap(entries...)
	case typedjson.Object:
		return shownObject(v)
	case typedjson.Error:
		e := &superjson.Error{Name: v.Members[0].Value.Text, Message: v.Members[1].Value.Text}
		if len(v.Members) > 2 {
			e.Cause = shown(v.Members[2].Value)
		}
		return e
	case typedjson.TypedArray:
		return arrayOf(v)
	}
	return superjson.Null{}
}

func shownItems(items []typedjson.Value) []superjson.Value {
	out := make([]superjson.Value, len(items))
	for i, item := range items {
		out[i] = shown(item)
	}
	return out
}

func shownObject(v typedjson.Value) *superjson.Object {
	members := make([]superjson.Member, len(v.Members))
	for i, m := range v.Members {
		members[i] = superjson.Member{Key: m.Key, Value: shown(m.Value)}
	}
	return superjson.NewObject(members...)
}

// numberOf keeps the digits of an integer; any other number is what JavaScript makes of it.
func numberOf(text string) superjson.Number {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil && text != "-0" {
		return superjson.Int(i)
	}
	// A number beyond the range comes as the infinity that JavaScript makes of it.
	f, _ := strconv.ParseFloat(text, 64)
	return superjson.Float(f)
}

func bigOf(text string) *big.Int {
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return new(big.Int)
	}
	return i
}

// momentOf reads the text of a Date, empty for an invalid one. The usual form is read without the decoder.
func momentOf(text string) superjson.Value {
	if text == "" {
		return superjson.InvalidDate()
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return superjson.DateOf(t)
	}
	v, err := superjson.Parse([]byte(`{"json":"`+text+`","meta":{"values":["Date"],"v":1}}`), superjson.Limits{})
	if err != nil {
		return superjson.InvalidDate()
	}
	return v
}

// arrayOf makes a typed array; elements that do not fit wrap, as they do in JavaScript.
func arrayOf(v typedjson.Value) superjson.Value {
	class := superjson.ArrayType(v.Text)
	var made *superjson.TypedArray
	var err error
	if class == superjson.BigInt64Array || class == superjson.BigUint64Array {
		bits := make([]uint64, len(v.Items))
		mask := new(big.Int).SetUint64(math.MaxUint64)
		for i, item := range v.Items {
			bits[i] = new(big.Int).And(bigOf(item.Text), mask).Uint64()
		}
		made, err = superjson.NewBigTypedArray(class, bits)
	} else {
		nums := make([]float64, len(v.Items))
		for i, item := range v.Items {
			nums[i] = numberOf(item.Text).Float64()
		}
		made, err = superjson.NewTypedArray(class, nums)
	}
	if err != nil {
		return superjson.Undefined{}
	}
	return made
}
