package superjson

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// ArrayType is the name of a JavaScript typed array class.
type ArrayType string

// The typed arrays that the library knows.
const (
	Int8Array         ArrayType = "Int8Array"
	Uint8Array        ArrayType = "Uint8Array"
	Uint8ClampedArray ArrayType = "Uint8ClampedArray"
	Int16Array        ArrayType = "Int16Array"
	Uint16Array       ArrayType = "Uint16Array"
	Int32Array        ArrayType = "Int32Array"
	Uint32Array       ArrayType = "Uint32Array"
	Float32Array      ArrayType = "Float32Array"
	Float64Array      ArrayType = "Float64Array"
	BigInt64Array     ArrayType = "BigInt64Array"
	BigUint64Array    ArrayType = "BigUint64Array"
)

// arrayTypes lists them all; a type's place is its number.
var arrayTypes = [...]ArrayType{
	Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
	Float32Array, Float64Array, BigInt64Array, BigUint64Array,
}

// number returns the place of t in arrayTypes, -1 if the library does not know t.
func (t ArrayType) number() int {
	for i := range arrayTypes {
		if arrayTypes[i] == t {
			return i
		}
	}
	return -1
}

// valid reports whether the library knows t. It prints Buffer too, but cannot read
// it back, so Buffer is not among them.
func (t ArrayType) valid() bool {
	return t.number() >= 0
}

func (t ArrayType) big() bool { return t == BigInt64Array || t == BigUint64Array }

// bits is the width of the types that wrap, 0 for the others.
func (t ArrayType) bits() int {
	switch t {
	case Int8Array, Uint8Array:
		return 8
	case Int16Array, Uint16Array:
		return 16
	case Int32Array, Uint32Array:
		return 32
	}
	return 0
}

func (t ArrayType) signed() bool { return t == Int8Array || t == Int16Array || t == Int32Array }

// TypedArray is a JavaScript typed array. It cannot be changed.
type TypedArray struct {
	typ  ArrayType
	nums []float64
	bits []uint64
}

// NewTypedArray converts each number as JavaScript does on assignment: integers are
// cut and wrap, a clamped array clamps, Float32Array rounds. The two BigInt types
// take [NewBigTypedArray]; they and unknown types are an error.
func NewTypedArray(t ArrayType, nums []float64) (*TypedArray, error) {
	if !t.valid() || t.big() {
		return nil, &EncodeError{Detail: fmt.Sprintf("numbers to %q", string(t)), Err: ErrConvert}
	}
	a := &TypedArray{typ: t, nums: make([]float64, len(nums))}
	for i, f := range nums {
		a.nums[i] = t.coerce(f)
	}
	return a, nil
}

// NewBigTypedArray builds a BigUint64Array, or from the same bits in two's
// complement a BigInt64Array; other types are an error.
func NewBigTypedArray(t ArrayType, bits []uint64) (*TypedArray, error) {
	if !t.big() {
		return nil, &EncodeError{Detail: fmt.Sprintf("bigints to %q", string(t)), Err: ErrConvert}
	}
	return &TypedArray{typ: t, bits: append([]uint64(nil), bits...)}, nil
}

// Bytes builds a Uint8Array.
func Bytes(b []byte) *TypedArray {
	a := &TypedArray{typ: Uint8Array, nums: make([]float64, len(b))}
	for i, c := range b {
		a.nums[i] = float64(c)
	}
	return a
}

// Type returns the class.
func (a *TypedArray) Type() ArrayType { return a.typ }

// Len returns the number of elements.
func (a *TypedArray) Len() int { return len(a.nums) + len(a.bits) }

// At returns element i, a [Number] or a [BigInt]. It panics when i is out of range,
// as indexing a slice does.
func (a *TypedArray) At(i int) Value {
	switch a.typ {
	case BigInt64Array:
		return BigInt{big.NewInt(int64(a.bits[i]))}
	case BigUint64Array:
		return BigInt{new(big.Int).SetUint64(a.bits[i])}
	}
	return Float(a.nums[i])
}

// Kind implements [Value].
func (*TypedArray) Kind() Kind { return KindTypedArray }
func (*TypedArray) value()     {}

// coerce is ECMAScript's conversion of a number to an element of t.
func (t ArrayType) coerce(f float64) float64 {
	switch t {
	case Float64Array:
		return f
	case Float32Array:
		return float64(float32(f))
	case Uint8ClampedArray:
		if !(f > 0) {
			return 0
		}
		return math.RoundToEven(math.Min(f, 255))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	span := math.Ldexp(1, t.bits())
	m := math.Mod(math.Trunc(f), span)
	if m < 0 {
		m += span
	}
	if t.signed() && m >= span/2 {
		m -= span
	}
	return m + 0 // turns -0 into 0
}

// appendElement prints element i as it stands in JSON, where what JSON has no number
// for is a string without an annotation of its own.
func (a *TypedArray) appendElement(dst []byte, i int) []byte {
	switch a.typ {
	case BigInt64Array:
		return append(strconv.AppendInt(append(dst, '"'), int64(a.bits[i]), 10), '"')
	case BigUint64Array:
		return append(strconv.AppendUint(append(dst, '"'), a.bits[i], 10), '"')
	}
	f := a.nums[i]
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
		return append(append(append(dst, '"'), Float(f).text...), '"')
	}
	return appendFloat(dst, f)
}
