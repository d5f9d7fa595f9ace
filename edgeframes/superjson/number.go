package superjson

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxSafeInteger is Number.MAX_SAFE_INTEGER, 2^53-1: beyond it JavaScript numbers
// skip integers.
const maxSafeInteger = 1<<53 - 1

// The texts of the numbers JSON has no form for, as the library writes them.
const (
	textNaN     = "NaN"
	textInf     = "Infinity"
	textNegInf  = "-Infinity"
	textNegZero = "-0"
	textZero    = "0"
)

// Number is a JavaScript number together with the digits it was written in, so
// that passing one through changes nothing. The zero value is 0.
type Number struct{ text string }

// Float returns f as JavaScript prints it, NaN, ±Infinity and -0 included.
func Float(f float64) Number {
	switch {
	case math.IsNaN(f):
		return Number{textNaN}
	case math.IsInf(f, 1):
		return Number{textInf}
	case math.IsInf(f, -1):
		return Number{textNegInf}
	case f == 0 && math.Signbit(f):
		return Number{textNegZero}
	}
	return Number{string(appendFloat(nil, f))}
}

// Int returns i. Beyond ±(2^53-1) a JavaScript reader rounds it: use [NewBigInt].
func Int(i int64) Number { return Number{strconv.FormatInt(i, 10)} }

// numberFromJSON takes a syntactically valid JSON number. A text beyond the range
// of a double is what JavaScript makes of it, a signed zero or infinity.
func numberFromJSON(text string) Number {
	if len(text) <= 15 && !strings.ContainsAny(text, "eE-") {
		return Number{text}
	}
	f, _ := strconv.ParseFloat(text, 64)
	if math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
		return Float(f)
	}
	return Number{text}
}

// Text returns the digits: a JSON number, or NaN, Infinity, -Infinity, -0.
func (n Number) Text() string {
	if n.text == "" {
		return textZero
	}
	return n.text
}

// Float64 returns the number as JavaScript holds it.
func (n Number) Float64() float64 {
	// ParseFloat knows the special texts by the same names, and returns the
	// nearest value together with a range error.
	f, _ := strconv.ParseFloat(n.Text(), 64)
	return f
}

// Int64 returns the number if it is an integer that JavaScript holds exactly, in
// any notation (1e3, 12.0), or any int64 written as plain digits.
func (n Number) Int64() (int64, bool) {
	if i, err := strconv.ParseInt(n.Text(), 10, 64); err == nil {
		return i, true
	}
	f := n.Float64()
	if f != math.Trunc(f) || math.Abs(f) > maxSafeInteger {
		return 0, false
	}
	return int64(f), true
}

// special reports whether the number needs a string and an annotation in JSON.
func (n Number) special() bool {
	if n.text == "" || n.text[len(n.text)-1] <= '9' && n.text != textNegZero {
		return false
	}
	switch n.text {
	case textNaN, textInf, textNegInf, textNegZero:
		return true
	}
	return false
}

// Kind implements [Value].
func (Number) Kind() Kind { return KindNumber }
func (Number) value()     {}

// BigInt is an integer of any size. The zero value is 0n.
type BigInt struct{ i *big.Int }

// NewBigInt copies i.
func NewBigInt(i *big.Int) BigInt { return BigInt{new(big.Int).Set(i)} }

// Int returns a copy of the integer.
func (b BigInt) Int() *big.Int {
	if b.i == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(b.i)
}

// String returns the decimal digits without the n of JavaScript's notation.
func (b BigInt) String() string {
	if b.i == nil {
		return textZero
	}
	return b.i.String()
}

// Kind implements [Value].
func (BigInt) Kind() Kind { return KindBigInt }
func (BigInt) value()     {}

// appendFloat prints a finite number as ECMAScript's Number::toString does:
// shortest digits that round-trip, an exponent from 1e21 and below 1e-6.
func appendFloat(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i > -maxSafeInteger && i < maxSafeInteger {
		return strconv.AppendInt(dst, i, 10)
	}
	abs := math.Abs(f)
	if abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
