package typedjson

import (
	"strings"
	"time"
)

// maxBigIntDigits bounds a bigint, as whoever computes with one takes time that grows with the square of its length.
const maxBigIntDigits = 10_000

// revive makes the types of a tree that was read as plain JSON.
func revive(v Value) (Value, error) {
	var err error
	switch {
	case v.Kind == Array:
		v.Items, err = reviveItems(v.Items)
	case v.Kind == Object && looksTyped(v.Members):
		return reviveTyped(v.Members[0].Key, v.Members[0].Value)
	case v.Kind == Object:
		v.Members, err = reviveMembers(v.Members)
	}
	return v, err
}

func reviveItems(items []Value) ([]Value, error) {
	for i := range items {
		var err error
		if items[i], err = revive(items[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func reviveMembers(members []Member) ([]Member, error) {
	for i := range members {
		var err error
		if members[i].Value, err = revive(members[i].Value); err != nil {
			return nil, err
		}
	}
	return members, nil
}

// reviveTyped makes the value that an object with one key stands for.
func reviveTyped(name string, v Value) (Value, error) {
	var err error
	ok := true
	switch name {
	case nameObject:
		ok = v.Kind == Object
		v.Members, err = reviveMembers(v.Members)
	case nameUndefined:
		ok = v.Kind == Bool && v.Text == "true"
		v = Value{Kind: Undefined}
	case nameDate:
		ok = v.Kind == Null || v.Kind == String && isDate(v.Text)
		v.Kind = Date
	case nameBigInt:
		ok = v.Kind == String && isBigInt(v.Text)
		v.Kind = BigInt
	case nameNumber:
		ok = v.Kind == String && isSpecial(v.Text)
		v.Kind = Number
	case nameRegExp:
		ok = v.Kind == String && strings.HasPrefix(v.Text, "/") && strings.LastIndexByte(v.Text, '/') > 0
		v.Kind = RegExp
	case nameURL:
		ok = v.Kind == String
		v.Kind = URL
	case nameSet:
		ok = v.Kind == Array
		v.Kind = Set
		v.Items, err = reviveItems(v.Items)
	case nameMap:
		v, ok, err = reviveMap(v)
	case nameError:
		v, ok, err = reviveError(v)
	case nameArray:
		v, ok, err = reviveArray(v)
	default:
		ok = false
	}
	if err == nil && !ok {
		err = badType(name)
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

func reviveMap(v Value) (out Value, ok bool, err error) {
	if v.Kind != Array {
		return Value{}, false, nil
	}
	out.Kind = Map
	for _, pair := range v.Items {
		if pair.Kind != Array || len(pair.Items) != 2 {
			return Value{}, false, nil
		}
		out.Items = append(out.Items, pair.Items...)
	}
	out.Items, err = reviveItems(out.Items)
	return out, true, err
}

func reviveError(v Value) (out Value, ok bool, err error) {
	if v.Kind != Object || len(v.Members) < 2 || len(v.Members) > 3 {
		return Value{}, false, nil
	}
	for i, key := range []string{keyName, keyMessage, keyCause}[:len(v.Members)] {
		if v.Members[i].Key != key || i < 2 && v.Members[i].Value.Kind != String {
			return Value{}, false, nil
		}
	}
	v.Kind = Error
	v.Members, err = reviveMembers(v.Members)
	return v, true, err
}

func reviveArray(v Value) (out Value, ok bool, err error) {
	if v.Kind != Array || len(v.Items) != 2 || v.Items[0].Kind != String || v.Items[1].Kind != Array {
		return Value{}, false, nil
	}
	class, items := v.Items[0].Text, v.Items[1].Items
	of, ok := arrayElements(class)
	if !ok {
		return Value{}, false, nil
	}
	if items, err = reviveItems(items); err != nil {
		return Value{}, false, err
	}
	for _, item := range items {
		if item.Kind != of {
			return Value{}, false, nil
		}
	}
	return Value{Kind: TypedArray, Text: class, Items: items}, true, nil
}

// isBigInt tells whether a text is an integer without leading zeros.
func isBigInt(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > maxBigIntDigits || digits[0] == '0' && s != "0" {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

// isDate tells whether a text is a moment as JavaScript prints it (ECMAScript, date time string format): with a year of four
// digits, or of six with a sign.
func isDate(s string) bool {
	const layout = "2006-01-02T15:04:05.000Z"
	if len(s) == len(layout) {
		_, err := time.Parse(layout, s)
		return err == nil
	}
	const more = len("+010000") - len("2000")
	if len(s) != len(layout)+more || s[0] != '+' && s[0] != '-' || strings.Trim(s[1:7], "0123456789") != "" {
		return false
	}
	// A year of four digits that has the same leap days: the calendar repeats after 400 years.
	year := 0
	for _, c := range s[1:7] {
		year = 10*year + int(c-'0')
	}
	if s[0] == '-' {
		year = -year
	}
	year = (year%400 + 400) % 400
	short := []byte("2000" + s[7:])
	short[1], short[2], short[3] = byte('0'+year/100), byte('0'+year/10%10), byte('0'+year%10)
	_, err := time.Parse(layout, string(short))
	return err == nil
}
