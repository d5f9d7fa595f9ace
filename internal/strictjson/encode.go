package strictjson

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

var errNotFinite = errors.New("NaN and infinities have no JSON form")

// maxPooled bounds the buffers that are kept for the next call.
const maxPooled = 64 << 10

// Marshal returns v as compact JSON. It fails for what has no JSON form:
// NaN, infinities, functions, a json.RawMessage that is not JSON.
func Marshal(v any) ([]byte, error) { return Append(nil, v) }

// Append appends v as compact JSON to dst. On failure it returns dst as it
// was.
func Append(dst []byte, v any) ([]byte, error) {
	stream := config.BorrowStream(nil)
	stream.WriteVal(v)
	out, err := stream.Buffer(), stream.Error
	if err == nil {
		dst = append(dst, out...)
	}
	if cap(out) <= maxPooled {
		config.ReturnStream(stream)
	}
	if err != nil {
		return dst, fmt.Errorf("strictjson: encode %T: %w", v, err)
	}
	return dst, nil
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a quoted JSON string. Each byte that is not part
// of valid UTF-8 is written as \ufffd; everything printable stays as it is.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			i++
			start = i
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), c)
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
}
