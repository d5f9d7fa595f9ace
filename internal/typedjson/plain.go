package typedjson

import "stele/internal/strictjson"

// AppendPlain adds a value as JSON for readers who know no types: a Date as its text, a bigint as its digits in a string,
// Maps as lists of pairs, Sets and typed arrays as lists, a regular expression and a URL as text, an Error as its members.
// What is undefined is left out of an object and null elsewhere, as are an invalid Date, NaN and the infinities; -0 is 0.
func (v Value) AppendPlain(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		return append(dst, v.Text...)
	case Number:
		return append(dst, plainNumber(v.Text)...)
	case Date:
		if v.Text == "" {
			return append(dst, "null"...)
		}
		return strictjson.AppendString(dst, v.Text)
	case String, BigInt, RegExp, URL:
		return strictjson.AppendString(dst, v.Text)
	case Array, Set, TypedArray:
		return plainItems(dst, v.Items)
	case Map:
		dst = append(dst, '[')
		for i := 0; i+1 < len(v.Items); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = plainItems(dst, v.Items[i:i+2])
		}
		return append(dst, ']')
	case Object, Error:
		return plainMembers(dst, v.Members)
	}
	return append(dst, "null"...)
}

func plainNumber(text string) string {
	switch text {
	case textNaN, textInf, textNegInf:
		return "null"
	case textNegZero:
		return "0"
	}
	return text
}

func plainItems(dst []byte, items []Value) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item.AppendPlain(dst)
	}
	return append(dst, ']')
}

func plainMembers(dst []byte, members []Member) []byte {
	dst = append(dst, '{')
	first := true
	for _, m := range members {
		if m.Value.Kind == Undefined {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(strictjson.AppendString(dst, m.Key), ':')
		dst = m.Value.AppendPlain(dst)
	}
	return append(dst, '}')
}
