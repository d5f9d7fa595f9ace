package superjson

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// revive makes the value of type typ that was written as v. name is that of a class,
// symbol or transformer.
func (c Codec) revive(typ annotation, name string, v Value) (Value, error) {
	switch typ {
	case noteUndefined:
		return Undefined{}, nil
	case noteBigInt:
		return c.reviveBigInt(v)
	case noteDate:
		return reviveDate(v), nil
	case noteNumber:
		return reviveNumber(v), nil
	case noteRegExp:
		if s, ok := v.(String); ok {
			if r, ok := parseRegExp(string(s)); ok {
				return r, nil
			}
		}
	case noteURL:
		if s, ok := v.(String); ok && validURL(string(s)) {
			return URL{Href: string(s)}, nil
		}
	case noteSet:
		if items, ok := v.(Array); ok {
			return NewSet(items...), nil
		}
		if absent(v) {
			return NewSet(), nil
		}
	case noteMap:
		return reviveMap(v)
	case noteError:
		return c.reviveError(v)
	case noteClass:
		if o, ok := v.(*Object); ok {
			return &Instance{Class: name, Props: o}, nil
		}
		if absent(v) {
			return &Instance{Class: name, Props: NewObject()}, nil
		}
	case noteSymbol:
		description, _ := c.Types.symbol(name)
		return Symbol{ID: name, Description: description}, nil
	case noteCustom:
		if _, nothing := v.(Undefined); nothing {
			// The path led to nothing. What a transformer is given is what JSON can carry.
			v = Null{}
		}
		return &Custom{Name: name, Value: v}, nil
	default:
		return c.reviveTypedArray(arrayTypes[typ-noteTyped], v)
	}
	return nil, cannot(v, typ.String())
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

func (c Codec) reviveBigInt(v Value) (Value, error) {
	switch v := v.(type) {
	case String:
		s := strings.TrimSpace(string(v))
		if len(s) > c.Limits.MaxBigIntDigits {
			return nil, fault(ErrTooLong, "a bigint")
		}
		if i, ok := parseBigInt(s); ok {
			return BigInt{i}, nil
		}
	case Number:
		if len(v.Text()) > c.Limits.MaxBigIntDigits {
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
	return nil, cannot(v, noteBigInt.String())
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
