package superjson

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// The names of the simple types, as the library writes them.
const (
	typeUndefined = "undefined"
	typeBigInt    = "bigint"
	typeDate      = "Date"
	typeError     = "Error"
	typeRegExp    = "regexp"
	typeSet       = "set"
	typeMap       = "map"
	typeNumber    = "number"
	typeURL       = "URL"
)

func simpleType(name string) bool {
	switch name {
	case typeUndefined, typeBigInt, typeDate, typeError, typeRegExp, typeSet, typeMap, typeNumber, typeURL:
		return true
	}
	return false
}

// revive makes the value of type typ that was written as v.
func (d *decoder) revive(typ string, v Value) (Value, error) {
	switch typ {
	case typeUndefined:
		return Undefined{}, nil
	case typeBigInt:
		return d.reviveBigInt(v)
	case typeDate:
		return reviveDate(v), nil
	case typeNumber:
		return reviveNumber(v), nil
	case typeRegExp:
		if s, ok := v.(String); ok {
			if r, ok := parseRegExp(string(s)); ok {
				return r, nil
			}
		}
	case typeURL:
		if s, ok := v.(String); ok && validURL(string(s)) {
			return URL{Href: string(s)}, nil
		}
	case typeSet:
		if items, ok := v.(Array); ok {
			return NewSet(items...), nil
		}
		if absent(v) {
			return NewSet(), nil
		}
	case typeMap:
		return reviveMap(v)
	case typeError:
		return d.reviveError(v)
	default:
		return d.reviveTypedArray(ArrayType(typ), v)
	}
	return nil, cannot(v, typ)
}

func cannot(v Value, typ string) error {
	return fault(ErrConvert, "%s to %s", KindOf(v), typ)
}

// reviveDate follows the Date constructor, which makes an invalid Date of all it
// cannot read.
func reviveDate(v Value) Value {
	switch v := v.(type) {
	case String:
		return parseDate(string(v))
	case Number:
		f := math.Trunc(v.Float64())
		if math.Abs(f) <= maxDateMillis {
			return DateMillis(int64(f))
		}
	case Null:
		return DateMillis(0)
	case Date:
		return v
	}
	return InvalidDate()
}

func reviveNumber(v Value) Value {
	switch v := v.(type) {
	case String:
		return Float(toNumber(string(v)))
	case Number:
		return v
	case Null:
		return Int(0)
	case Bool:
		if v {
			return Int(1)
		}
		return Int(0)
	}
	return Float(math.NaN())
}

// toNumber is ECMAScript's StringToNumber.
func toNumber(s string) float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		if base := radix(s[1]); base != 0 {
			return parseRadix(s[2:], base)
		}
	}
	switch strings.TrimLeft(s, "+-") {
	case textInf:
	default:
		// Go also reads hex floats, underscores and inf; JavaScript does not.
		if strings.Trim(s, "+-.0123456789eE") != "" {
			return math.NaN()
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

func radix(c byte) int {
	switch c | 0x20 {
	case 'x':
		return 16
	case 'o':
		return 8
	case 'b':
		return 2
	}
	return 0
}

func parseRadix(digits string, base int) float64 {
	var f float64
	for i := range len(digits) {
		n, err := strconv.ParseUint(digits[i:i+1], base, 8)
		if err != nil {
			return math.NaN()
		}
		f = f*float64(base) + float64(n)
	}
	return f
}

func (d *decoder) reviveBigInt(v Value) (Value, error) {
	switch v := v.(type) {
	case String:
		s := strings.TrimSpace(string(v))
		if len(s) > d.codec.Limits.MaxBigIntDigits {
			return nil, fault(ErrTooLong, "a bigint")
		}
		if i, ok := parseBigInt(s); ok {
			return BigInt{i}, nil
		}
	case Number:
		if len(v.Text()) > d.codec.Limits.MaxBigIntDigits {
			return nil, fault(ErrTooLong, "a bigint")
		}
		if i, ok := parseBigInt(v.Text()); ok {
			return BigInt{i}, nil
		}
		if f := v.Float64(); f == math.Trunc(f) && !math.IsInf(f, 0) {
			i, _ := big.NewFloat(f).Int(nil)
			return BigInt{i}, nil
		}
	case Bool:
		if v {
			return BigInt{big.NewInt(1)}, nil
		}
		return BigInt{}, nil
	case BigInt:
		return v, nil
	}
	return nil, cannot(v, typeBigInt)
}

// parseBigInt is ECMAScript's StringToBigInt for trimmed text.
func parseBigInt(s string) (*big.Int, bool) {
	base, digits := 10, s
	if len(s) > 2 && s[0] == '0' && radix(s[1]) != 0 {
		base, digits = radix(s[1]), s[2:]
		if digits[0] == '-' || digits[0] == '+' {
			return nil, false
		}
	}
	if digits == "" {
		return new(big.Int), true
	}
	return new(big.Int).SetString(digits, base)
}
