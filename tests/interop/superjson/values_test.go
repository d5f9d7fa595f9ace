package superjson_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"stele/edgeframes/superjson"
)

// maker makes random values of every kind, with shared parts and circles.
type maker struct {
	*rand.Rand
	shared, open []superjson.Value
	// closed counts open Errors and instances, inside which the library does not follow
	// shared references.
	closed int
}

var (
	keys = []string{
		"", ".", `\`, `\.`, "a.b", "0", "01", "7", "4294967294", "4294967295", "a", "b", "name", "б",
		"\xed\xa0\x80", "\u2028", `x\y.z`, "-1",
	}
	numbers = []float64{
		0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e21, 1e-7, 5e-324, math.MaxFloat64,
		9007199254740993, 0.1, -1.5, 4294967296,
	}
	texts = []string{
		"", "x", "😀", "\xed\xa0\xbd", "\xed\xb0\x80x", "\x00\x1f\x7f", `"\/`, "\u2028\u2029", "__proto__",
		"Infinity", "12", "a\nb\tc",
	}
	hrefs   = []string{"https://x.example/a?b=c#d", "wss://x.example:8443/", "mailto:a@b.example"}
	sources = []string{"x", `a\/b`, "[/]", `\d+`, "(?:)", "é", "(?<n>.)"}
	moments = []int64{-8_640_000_000_000_000, 8_640_000_000_000_000, -62_198_755_200_000, -1, 253_402_300_800_000}
	arrays  = []superjson.ArrayType{
		superjson.Int8Array, superjson.Uint8Array, superjson.Uint8ClampedArray, superjson.Int16Array,
		superjson.Uint16Array, superjson.Int32Array, superjson.Uint32Array, superjson.Float32Array, superjson.Float64Array,
	}
)

func pick[T any](m *maker, list []T) T { return list[m.IntN(len(list))] }

func (m *maker) key() string {
	if m.IntN(2) == 0 {
		return pick(m, keys)
	}
	return "k" + strconv.Itoa(m.IntN(30))
}

func (m *maker) number() float64 {
	switch m.IntN(3) {
	case 0:
		return pick(m, numbers)
	case 1:
		return float64(m.IntN(1000))
	}
	return (m.Float64() - 0.5) * math.Pow(10, float64(m.IntN(40)-20))
}

func (m *maker) scalar() superjson.Value {
	switch m.IntN(13) {
	case 0:
		return superjson.Null{}
	case 1:
		return superjson.Undefined{}
	case 2:
		return superjson.Bool(m.IntN(2) == 0)
	case 3, 4:
		return superjson.Float(m.number())
	case 5:
		return superjson.String(pick(m, texts))
	case 6:
		return superjson.String(strconv.Itoa(m.IntN(1e9)))
	case 7:
		i := new(big.Int).Exp(big.NewInt(int64(m.IntN(9)-4)), big.NewInt(int64(m.IntN(60))), nil)
		return superjson.NewBigInt(i)
	case 8:
		if m.IntN(5) == 0 {
			return superjson.DateMillis(pick(m, moments))
		}
		return superjson.DateMillis(m.Int64N(4e12) - 1e12)
	case 9:
		return superjson.RegExp{Source: pick(m, sources), Flags: pick(m, []string{"", "g", "gi"})}
	case 10:
		return superjson.URL{Href: pick(m, hrefs)}
	case 11:
		return m.typed()
	}
	if m.IntN(2) == 0 {
		return superjson.Symbol{ID: "my-tag", Description: "tag"}
	}
	return &superjson.Custom{Name: "decimal", Value: superjson.String(strconv.Itoa(m.IntN(100)))}
}

func (m *maker) typed() superjson.Value {
	n := m.IntN(5)
	if m.IntN(5) == 0 {
		bits := make([]uint64, n)
		for i := range bits {
			bits[i] = m.Uint64()
		}
		a, _ := superjson.NewBigTypedArray(pick(m, []superjson.ArrayType{superjson.BigInt64Array, superjson.BigUint64Array}), bits)
		return a
	}
	nums := make([]float64, n)
	for i := range nums {
		nums[i] = m.number()
	}
	a, _ := superjson.NewTypedArray(pick(m, arrays), nums)
	return a
}

func (m *maker) value(depth int) superjson.Value {
	if m.closed == 0 && len(m.open) > 0 && m.IntN(50) == 0 {
		return pick(m, m.open)
	}
	return m.finished(depth)
}

// finished makes a value that is not still open, which is printed as null. Among the
// members of a Set and the keys of a Map that null may meet another, of which the
// library then loses one.
func (m *maker) finished(depth int) superjson.Value {
	switch {
	case m.closed == 0 && len(m.shared) > 0 && m.IntN(12) == 0:
		return pick(m, m.shared)
	case depth == 0 || m.IntN(3) == 0:
		v := m.scalar()
		if _, ok := v.(*superjson.TypedArray); ok && m.closed == 0 && m.IntN(3) == 0 {
			m.shared = append(m.shared, v)
		}
		return v
	}
	return m.container(depth - 1)
}

// container makes an empty container first, so that what is put in may hold it.
func (m *maker) container(depth int) superjson.Value {
	var made superjson.Value
	n := m.IntN(5)
	var put func(i int)
	switch m.IntN(6) {
	case 0, 1:
		o := superjson.NewObject()
		made, put = o, func(int) { o.Set(m.key(), m.value(depth)) }
	case 2:
		a := make(superjson.Array, n)
		made, put = a, func(i int) { a[i] = m.value(depth) }
	case 3:
		s := superjson.NewSet()
		made, put = s, func(int) { s.Add(m.finished(depth)) }
	case 4:
		p := superjson.NewMap()
		made, put = p, func(int) {
			if m.IntN(2) == 0 {
				p.Set(superjson.String(m.key()), m.value(depth))
			} else {
				p.Set(m.finished(depth), m.value(depth))
			}
		}
	default:
		return m.closedOff(depth)
	}
	if m.closed == 0 {
		m.open = append(m.open, made)
	}
	for i := range n {
		put(i)
	}
	if m.closed == 0 {
		m.open = m.open[:len(m.open)-1]
		if m.IntN(3) == 0 {
			m.shared = append(m.shared, made)
		}
	}
	return made
}

func (m *maker) closedOff(depth int) superjson.Value {
	m.closed++
	defer func() { m.closed-- }()
	if m.IntN(2) == 0 {
		return &superjson.Instance{Class: "Point", Props: superjson.NewObject(
			superjson.Member{Key: "x", Value: m.value(depth)}, superjson.Member{Key: "y", Value: m.value(depth)},
		)}
	}
	e := &superjson.Error{Name: "TypeError", Message: pick(m, texts)}
	if m.IntN(2) == 0 {
		e.Cause = m.value(depth)
	}
	e.Props = []superjson.Member{{Key: "code", Value: m.value(0)}}
	return e
}
