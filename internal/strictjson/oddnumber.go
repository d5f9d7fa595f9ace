package strictjson

import (
	"encoding/json"
	"io"
	"reflect"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
)

// json-iterator 1.1.12 cannot skip some numbers, such as 1e400 and 0.1e50: having failed to read one as a double it goes on
// behind it. All of them have an exponent or many digits. So values that are taken over as they are written are copied piece by piece in a document that has such a number.

// odd marks the iterator of such a document.
type odd struct{}

func hasOdd(iter *jsoniter.Iterator) bool { return iter.Attachment == odd{} }

// decodeOdd decodes a checked document and tells whether it fits.
func decodeOdd(data []byte, v any) bool {
	iter := config.BorrowIterator(data)
	defer config.ReturnIterator(iter)
	iter.Attachment = odd{}
	iter.ReadVal(v)
	return iter.Error == nil || iter.Error == io.EOF
}

// copyValue appends the next value, without white space.
func copyValue(iter *jsoniter.Iterator, dst []byte) []byte {
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	switch iter.WhatIsNext() {
	case jsoniter.NumberValue:
		return append(dst, iter.ReadNumber()...)
	case jsoniter.ArrayValue:
		dst = append(dst, '[')
		iter.ReadArrayCB(func(iter *jsoniter.Iterator) bool {
			comma()
			dst = copyValue(iter, dst)
			return true
		})
		return append(dst, ']')
	case jsoniter.ObjectValue:
		dst = append(dst, '{')
		iter.ReadObjectCB(func(iter *jsoniter.Iterator, key string) bool {
			comma()
			dst = copyValue(iter, append(AppendString(dst, key), ':'))
			return true
		})
		return append(dst, '}')
	}
	return append(dst, iter.SkipAndReturnBytes()...)
}

// oddUnmarshaler hands a type that reads itself a copy of its value where the library could not find its end.
type oddUnmarshaler struct {
	jsoniter.ValDecoder
	typ reflect.Type
}

// Decode implements jsoniter.ValDecoder.
func (d oddUnmarshaler) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	if !hasOdd(iter) {
		d.ValDecoder.Decode(ptr, iter)
		return
	}
	text := copyValue(iter, nil)
	if iter.Error != nil && iter.Error != io.EOF {
		return
	}
	if err := reflect.NewAt(d.typ, ptr).Interface().(json.Unmarshaler).UnmarshalJSON(text); err != nil {
		refuse(iter)
	}
}
