package strictjson

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
)

// json-iterator hands codecs the address of the field, whose type it looked up
// before; the conversions below rest on that.

// refuse marks the document as not fitting. The text never leaves the
// package: diagnose finds out more.
func refuse(iter *jsoniter.Iterator) { iter.ReportError("strictjson", "does not fit") }

// intDecoder reads the whole literal, since the library's own reader looks for
// overflow in a way that misses some (21000000000000000000 becomes
// 2553255926290448384).
type intDecoder[T int | int8 | int16 | int32 | int64] struct{ bits int }

// Decode implements jsoniter.ValDecoder.
func (d intDecoder[T]) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	literal, ok := readNumber(iter)
	if !ok {
		return
	}
	n, err := strconv.ParseInt(literal, 10, d.bits)
	if err != nil {
		refuse(iter)
		return
	}
	*(*T)(ptr) = T(n)
}

type uintDecoder[T uint | uint8 | uint16 | uint32 | uint64] struct{ bits int }

// Decode implements jsoniter.ValDecoder.
func (d uintDecoder[T]) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	literal, ok := readNumber(iter)
	if !ok {
		return
	}
	n, err := strconv.ParseUint(literal, 10, d.bits)
	if err != nil {
		refuse(iter)
		return
	}
	*(*T)(ptr) = T(n)
}

// readNumber returns the next number as written. It returns false for null,
// which leaves the field alone, and for anything else, which it refuses.
func readNumber(iter *jsoniter.Iterator) (string, bool) {
	switch iter.WhatIsNext() {
	case jsoniter.NumberValue:
		return string(iter.ReadNumber()), true
	case jsoniter.NilValue:
		iter.Skip()
	default:
		refuse(iter)
	}
	return "", false
}

// numberDecoder differs from encoding/json on purpose: "5" is not a number.
type numberDecoder struct{}

// Decode implements jsoniter.ValDecoder.
func (numberDecoder) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	if literal, ok := readNumber(iter); ok {
		*(*json.Number)(ptr) = json.Number(literal)
	}
}

// float32Codec rounds once; the library rounds to a float64 first.
type float32Codec struct{}

// Decode implements jsoniter.ValDecoder.
func (float32Codec) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	literal, ok := readNumber(iter)
	if !ok {
		return
	}
	f, err := strconv.ParseFloat(literal, 32)
	if err != nil {
		refuse(iter)
		return
	}
	*(*float32)(ptr) = float32(f)
}

// Encode implements jsoniter.ValEncoder.
func (float32Codec) Encode(ptr unsafe.Pointer, stream *jsoniter.Stream) {
	writeFloat(stream, float64(*(*float32)(ptr)), 32)
}

// IsEmpty implements jsoniter.ValEncoder.
func (float32Codec) IsEmpty(ptr unsafe.Pointer) bool { return *(*float32)(ptr) == 0 }

type float64Encoder struct{}

// Encode implements jsoniter.ValEncoder.
func (float64Encoder) Encode(ptr unsafe.Pointer, stream *jsoniter.Stream) {
	writeFloat(stream, *(*float64)(ptr), 64)
}

// IsEmpty implements jsoniter.ValEncoder.
func (float64Encoder) IsEmpty(ptr unsafe.Pointer) bool { return *(*float64)(ptr) == 0 }

// writeFloat follows encoding/json, which follows ES6: exponents only where a
// plain number would be long, and without a leading zero.
func writeFloat(stream *jsoniter.Stream, f float64, bits int) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		stream.Error = errNotFinite
		return
	}
	format, abs := byte('f'), math.Abs(f)
	if abs != 0 {
		small, big := abs < 1e-6, abs >= 1e21
		if bits == 32 {
			small, big = float32(abs) < 1e-6, float32(abs) >= 1e21
		}
		if small || big {
			format = 'e'
		}
	}
	buf := strconv.AppendFloat(stream.Buffer(), f, format, -1, bits)
	if n := len(buf); format == 'e' && n >= 4 && buf[n-4] == 'e' && buf[n-2] == '0' {
		buf[n-2] = buf[n-1]
		buf = buf[:n-1]
	}
	stream.SetBuffer(buf)
}

type stringCodec struct{}

// Decode implements jsoniter.ValDecoder.
func (stringCodec) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	if !iter.ReadNil() {
		*(*string)(ptr) = iter.ReadString()
	}
}

// Encode implements jsoniter.ValEncoder.
func (stringCodec) Encode(ptr unsafe.Pointer, stream *jsoniter.Stream) {
	stream.SetBuffer(AppendString(stream.Buffer(), *(*string)(ptr)))
}

// IsEmpty implements jsoniter.ValEncoder.
func (stringCodec) IsEmpty(ptr unsafe.Pointer) bool { return *(*string)(ptr) == "" }

type rawCodec struct{}

// Decode implements jsoniter.ValDecoder.
func (rawCodec) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	if hasOdd(iter) {
		*(*json.RawMessage)(ptr) = copyValue(iter, nil)
		return
	}
	iter.WhatIsNext() // moves to the value, past white space
	*(*json.RawMessage)(ptr) = iter.SkipAndReturnBytes()
}

// Encode implements jsoniter.ValEncoder.
func (rawCodec) Encode(ptr unsafe.Pointer, stream *jsoniter.Stream) {
	if raw := *(*json.RawMessage)(ptr); raw != nil {
		stream.SetBuffer(append(stream.Buffer(), raw...))
		return
	}
	stream.WriteNil()
}

// IsEmpty implements jsoniter.ValEncoder.
func (rawCodec) IsEmpty(ptr unsafe.Pointer) bool { return len(*(*json.RawMessage)(ptr)) == 0 }

// nilMarshaler asks a nil slice or map that is a json.Marshaler for its form;
// the library writes null without asking.
type nilMarshaler struct {
	jsoniter.ValEncoder
	typ reflect.Type
}

// Encode implements jsoniter.ValEncoder.
func (e nilMarshaler) Encode(ptr unsafe.Pointer, stream *jsoniter.Stream) {
	v := reflect.NewAt(e.typ, ptr).Elem()
	if !v.IsNil() {
		e.ValEncoder.Encode(ptr, stream)
		return
	}
	out, err := v.Interface().(json.Marshaler).MarshalJSON()
	if err != nil {
		stream.Error = err
		return
	}
	stream.SetBuffer(append(stream.Buffer(), out...))
}

// checkedEncoder guards what others wrote as JSON: exactly one value, without
// insignificant white space, or an error.
type checkedEncoder struct{ inner jsoniter.ValEncoder }

// Encode implements jsoniter.ValEncoder.
func (e checkedEncoder) Encode(ptr unsafe.Pointer, stream *jsoniter.Stream) {
	start := len(stream.Buffer())
	e.inner.Encode(ptr, stream)
	if stream.Error != nil {
		return
	}
	written := stream.Buffer()[start:]
	traits, err := check(written, Limits{MaxBytes: math.MaxInt, MaxDepth: math.MaxInt})
	if err != nil {
		stream.Error = err
		return
	}
	if !traits.space {
		return
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, written); err != nil {
		stream.Error = err
		return
	}
	stream.SetBuffer(append(stream.Buffer()[:start], compact.Bytes()...))
}

// IsEmpty implements jsoniter.ValEncoder.
func (e checkedEncoder) IsEmpty(ptr unsafe.Pointer) bool { return e.inner.IsEmpty(ptr) }
