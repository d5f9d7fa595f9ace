package superjson_test

import (
	"bytes"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/edgeframes/superjson"
)

var allArrayTypes = []superjson.ArrayType{
	superjson.Int8Array, superjson.Uint8Array, superjson.Uint8ClampedArray, superjson.Int16Array, superjson.Uint16Array,
	superjson.Int32Array, superjson.Uint32Array, superjson.Float32Array, superjson.Float64Array,
}

// anyKey has what is awkward in a path: dots, backslashes, nothing, indices, surrogates.
var anyKey = rapid.OneOf(
	rapid.SampledFrom([]string{"", ".", `\`, `\.`, "a.b", "0", "01", "7", "4294967295", "a", "б", "\xed\xa0\x80", "\u2028"}),
	rapid.StringMatching(`[a-z.\\]{0,4}`),
)

func anyScalar() *rapid.Generator[superjson.Value] {
	return rapid.OneOf(
		rapid.Just[superjson.Value](superjson.Null{}),
		rapid.Just[superjson.Value](superjson.Undefined{}),
		rapid.Map(rapid.Bool(), func(b bool) superjson.Value { return superjson.Bool(b) }),
		rapid.Map(rapid.Float64(), func(f float64) superjson.Value { return superjson.Float(f) }),
		rapid.Map(rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0}),
			func(f float64) superjson.Value { return superjson.Float(f) }),
		rapid.Map(rapid.String(), func(s string) superjson.Value { return superjson.String(s) }),
		rapid.Map(anyKey, func(s string) superjson.Value { return superjson.String(s) }),
		rapid.Map(rapid.Int64(), func(i int64) superjson.Value {
			return superjson.NewBigInt(new(big.Int).Mul(big.NewInt(i), big.NewInt(i)))
		}),
		rapid.Map(rapid.Int64Range(-8_640_000_000_000_000, 8_640_000_000_000_000), func(ms int64) superjson.Value { return superjson.DateMillis(ms) }),
		rapid.Map(rapid.StringMatching(`[a-z\[\]]{1,5}`), func(s string) superjson.Value { return superjson.RegExp{Source: s, Flags: "gi"} }),
		rapid.Map(rapid.StringMatching(`[a-z]{1,5}`), func(s string) superjson.Value { return superjson.URL{Href: "wss://" + s + "/"} }),
		anyTypedArray(),
	)
}

func anyTypedArray() *rapid.Generator[superjson.Value] {
	return rapid.Custom(func(t *rapid.T) superjson.Value {
		a, err := superjson.NewTypedArray(rapid.SampledFrom(allArrayTypes).Draw(t, "type"), rapid.SliceOfN(rapid.Float64(), 0, 5).Draw(t, "nums"))
		if rapid.Bool().Draw(t, "big") {
			a, err = superjson.NewBigTypedArray(superjson.BigInt64Array, rapid.SliceOfN(rapid.Uint64(), 0, 5).Draw(t, "bits"))
		}
		require.NoError(t, err)
		return a
	})
}

func anyValue(depth int) *rapid.Generator[superjson.Value] {
	if depth == 0 {
		return anyScalar()
	}
	below := anyValue(depth - 1)
	member := rapid.Custom(func(t *rapid.T) superjson.Member {
		return superjson.Member{Key: anyKey.Draw(t, "key"), Value: below.Draw(t, "value")}
	})
	entry := rapid.Custom(func(t *rapid.T) superjson.Entry {
		return superjson.Entry{Key: below.Draw(t, "key"), Value: below.Draw(t, "value")}
	})
	return rapid.OneOf(
		anyScalar(),
		rapid.Map(rapid.SliceOfN(below, 0, 4), func(v []superjson.Value) superjson.Value { return superjson.Array(v) }),
		rapid.Map(rapid.SliceOfN(below, 0, 4), func(v []superjson.Value) superjson.Value { return superjson.NewSet(v...) }),
		rapid.Map(rapid.SliceOfN(member, 0, 4), func(m []superjson.Member) superjson.Value { return superjson.NewObject(m...) }),
		rapid.Map(rapid.SliceOfN(entry, 0, 4), func(e []superjson.Entry) superjson.Value { return superjson.NewMap(e...) }),
		rapid.Custom(func(t *rapid.T) superjson.Value {
			e := &superjson.Error{Name: rapid.String().Draw(t, "name"), Message: rapid.String().Draw(t, "message")}
			if rapid.Bool().Draw(t, "caused") {
				e.Cause = below.Draw(t, "cause")
			}
			return e
		}),
	)
}

func TestWhatIsPrintedIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(4).Draw(t, "value")
		text, err := superjson.Append(nil, v)
		require.NoError(t, err)
		got, err := superjson.Parse(text, superjson.Limits{})
		require.NoError(t, err)
		require.True(t, superjson.Equal(v, got), "%s", text)
		again, err := superjson.Append(nil, got)
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
	})
}

func TestPlainJSONIsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(3).Draw(t, "value")
		plain := superjson.AppendJSON(nil, v)
		got, err := superjson.ParseJSON(plain, superjson.Limits{})
		require.NoError(t, err)
		require.Equal(t, string(plain), string(superjson.AppendJSON(nil, got)))
	})
}

// What any text decodes to is printed, read back and printed to the same text. Let off are
// prototype keys, which encoding refuses, invalid Dates, which become null, and shared
// parts, of which the format loses some. Both ways of decoding agree, and Go values can be
// made of whatever they give.
func FuzzUnmarshal(f *testing.F) {
	for _, file := range []string{"superjson.jsonl", "superjson_decode.jsonl"} {
		for _, v := range vectors(f, file) {
			if len(v.Text) < 4096 {
				f.Add([]byte(v.Text))
			}
		}
	}
	codec := registered()
	codec.Types.Class("P").Custom("c")
	codec.Cycles = true
	generous := codec
	generous.Limits = superjson.Limits{MaxBytes: 64 << 20, MaxAnnotations: 10_000_000, MaxPath: 1 << 20, MaxExpanded: 1 << 30}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := codec.Parse(text)
		if err != nil {
			var decode *superjson.DecodeError
			require.ErrorAs(t, err, &decode)
			return
		}
		agree(t, codec, text)
		var natural any
		if err := superjson.Unmarshal(text, &natural); err == nil {
			_, _ = superjson.Marshal(natural)
		}
		once, err := codec.Append(nil, v)
		if err != nil {
			require.ErrorIs(t, err, superjson.ErrForbiddenKey)
			return
		}
		got, err := generous.Parse(once)
		require.NoError(t, err, "%s", once)
		twice, err := codec.Append(nil, got)
		require.NoError(t, err)
		if !bytes.Contains(once, []byte("referentialEqualities")) && !holdsInvalidDate(v) {
			require.Equal(t, string(once), string(twice))
			require.True(t, superjson.Equal(v, got))
		}
		_, err = superjson.ParseJSON(superjson.AppendJSON(nil, v), generous.Limits)
		require.NoError(t, err)
	})
}

func holdsInvalidDate(v superjson.Value) bool {
	switch v := v.(type) {
	case superjson.Date:
		return !v.Valid()
	case superjson.Array:
		return anyInvalid(v)
	case *superjson.Set:
		for item := range v.All() {
			if holdsInvalidDate(item) {
				return true
			}
		}
	case *superjson.Object:
		for _, item := range v.All() {
			if holdsInvalidDate(item) {
				return true
			}
		}
	case *superjson.Map:
		for key, item := range v.All() {
			if holdsInvalidDate(key) || holdsInvalidDate(item) {
				return true
			}
		}
	case *superjson.Error:
		return holdsInvalidDate(v.Cause)
	case *superjson.Instance:
		return holdsInvalidDate(v.Props)
	case *superjson.Custom:
		return holdsInvalidDate(v.Value)
	}
	return false
}

func anyInvalid(items []superjson.Value) bool {
	for _, item := range items {
		if holdsInvalidDate(item) {
			return true
		}
	}
	return false
}
