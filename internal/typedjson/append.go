package typedjson

import "stele/internal/strictjson"

// Append adds the canonical text of a value.
func (v Value) Append(dst []byte) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool:
		return append(dst, v.Text...)
	case Number:
		if isSpecial(v.Text) {
			return typedText(dst, nameNumber, v.Text)
		}
		return append(dst, v.Text...)
	case String:
		return strictjson.AppendString(dst, v.Text)
	case Array:
		return appendItems(dst, v.Items)
	case Object:
		if !looksTyped(v.Members) {
			return appendMembers(dst, v.Members)
		}
		return append(appendMembers(open(dst, nameObject), v.Members), '}')
	case Undefined:
		return append(open(dst, nameUndefined), "true}"...)
	case Date:
		if v.Text == "" {
			return append(open(dst, nameDate), "null}"...)
		}
		return typedText(dst, nameDate, v.Text)
	case BigInt:
		return typedText(dst, nameBigInt, v.Text)
	case RegExp:
		return typedText(dst, nameRegExp, v.Text)
	case URL:
		return typedText(dst, nameURL, v.Text)
	case Set:
		return append(appendItems(open(dst, nameSet), v.Items), '}')
	case Map:
		return append(appendPairs(open(dst, nameMap), v.Items), '}')
	case Error:
		return append(appendMembers(open(dst, nameError), v.Members), '}')
	}
	dst = append(strictjson.AppendString(append(open(dst, nameArray), '['), v.Text), ',')
	return append(appendItems(dst, v.Items), "]}"...)
}

func open(dst []byte, name string) []byte {
	return append(append(append(dst, `{"`...), name...), `":`...)
}

func typedText(dst []byte, name, text string) []byte {
	return append(strictjson.AppendString(open(dst, name), text), '}')
}

func appendItems(dst []byte, items []Value) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item.Append(dst)
	}
	return append(dst, ']')
}

func appendPairs(dst []byte, items []Value) []byte {
	dst = append(dst, '[')
	for i := 0; i+1 < len(items); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItems(dst, items[i:i+2])
	}
	return append(dst, ']')
}

func appendMembers(dst []byte, members []Member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(strictjson.AppendString(dst, m.Key), ':')
		dst = m.Value.Append(dst)
	}
	return append(dst, '}')
}
