package superjson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

func TestParseRefuses(t *testing.T) {
	values := func(json, tree string) string {
		return `{"json":` + json + `,"meta":{"values":` + tree + `,"v":1}}`
	}
	tests := []struct {
		name, text string
		want       error
	}{
		{"nothing", ``, superjson.ErrSyntax},
		{"null", `null`, superjson.ErrNoEnvelope},
		{"half an object", `{"json":{`, superjson.ErrSyntax},
		{"two values", `{"json":1} {}`, superjson.ErrSyntax},
		{"a trailing comma", `{"json":[1,]}`, superjson.ErrSyntax},
		{"a comma before the end", `{"json":1,}`, superjson.ErrSyntax},
		{"a leading zero", `{"json":01}`, superjson.ErrSyntax},
		{"a bare minus", `{"json":-}`, superjson.ErrSyntax},
		{"a bare fraction", `{"json":1.}`, superjson.ErrSyntax},
		{"a bare exponent", `{"json":1e+}`, superjson.ErrSyntax},
		{"a raw control character", "{\"json\":\"\n\"}", superjson.ErrSyntax},
		{"an unknown escape", `{"json":"\x41"}`, superjson.ErrSyntax},
		{"a short escape", `{"json":"\u12"}`, superjson.ErrSyntax},
		{"a signed escape", `{"json":"\u+123"}`, superjson.ErrSyntax},
		{"a capital word", `{"json":True}`, superjson.ErrSyntax},
		{"invalid UTF-8", "{\"json\":\"\xff\"}", superjson.ErrInvalidUTF8},
		{"a raw surrogate", "{\"json\":\"\xed\xa0\x80\"}", superjson.ErrInvalidUTF8},
		{"a byte order mark", "\ufeff{\"json\":1}", superjson.ErrSyntax},
		{"meta a list", `{"json":1,"meta":[]}`, superjson.ErrMeta},
		{"a bare type", values(`1`, `"Date"`), superjson.ErrMeta},
		{"a bare type below", values(`{"a":1}`, `{"a":"Date"}`), superjson.ErrMeta},
		{"an empty annotation", values(`1`, `[]`), superjson.ErrMeta},
		{"three parts", values(`1`, `["Date",{},{}]`), superjson.ErrMeta},
		{"children a list", values(`[1]`, `["set",[1]]`), superjson.ErrMeta},
		{"an unknown type nowhere", values(`{}`, `{"a.b":["Foo"]}`), superjson.ErrUnknownType},
		{"a number for a type", values(`1`, `[1]`), superjson.ErrUnknownType},
		{"a type of three words", values(`1`, `[["typed-array","Uint8Array","x"]]`), superjson.ErrUnknownType},
		{"a Set of a text", values(`"ab"`, `["set"]`), superjson.ErrConvert},
		{"a Map of objects", values(`[{}]`, `["map"]`), superjson.ErrConvert},
		{"an Error of a text", values(`"x"`, `["Error"]`), superjson.ErrConvert},
		{"an Error named 5", values(`{"name":5}`, `["Error"]`), superjson.ErrConvert},
		{"a typed array of a length", values(`1000000000`, `[["typed-array","Uint8Array"]]`), superjson.ErrConvert},
		{"a typed array of lists", values(`[[]]`, `[["typed-array","Uint8Array"]]`), superjson.ErrConvert},
		{"a bigint array of words", values(`["x"]`, `[["typed-array","BigInt64Array"]]`), superjson.ErrConvert},
		{"a regexp without slashes", values(`"x"`, `["regexp"]`), superjson.ErrConvert},
		{"a regexp with a flag twice", values(`"/x/gg"`, `["regexp"]`), superjson.ErrConvert},
		{"a URL without a scheme", values(`"//host"`, `["URL"]`), superjson.ErrConvert},
		{"a URL without a host", values(`"https://"`, `["URL"]`), superjson.ErrConvert},
		{"a signed hex bigint", values(`"-0x1F"`, `["bigint"]`), superjson.ErrConvert},
		{"a bigint with separators", values(`"1_000"`, `["bigint"]`), superjson.ErrConvert},
		{"an endless bigint", values(`1e400`, `["bigint"]`), superjson.ErrConvert},
		{"a trailing backslash", values(`{}`, `{"a\\":["Date"]}`), superjson.ErrPath},
		{"__proto__", values(`{}`, `{"__proto__.x":["Date"]}`), superjson.ErrForbiddenKey},
		{"prototype", values(`{}`, `{"a.prototype":["Date"]}`), superjson.ErrForbiddenKey},
		{"constructor nowhere", values(`1`, `{"a.b.constructor.c":["Date"]}`), superjson.ErrForbiddenKey},
		{"__proto__ with an escape before it", values(`{}`, `{"\\..__proto__":["Date"]}`), superjson.ErrForbiddenKey},
		{"references a text", `{"json":{},"meta":{"referentialEqualities":"a"}}`, superjson.ErrMeta},
		{"references to a text", `{"json":{},"meta":{"referentialEqualities":{"a":"b"}}}`, superjson.ErrMeta},
		{"references to numbers", `{"json":{},"meta":{"referentialEqualities":{"a":[1]}}}`, superjson.ErrMeta},
		{"a reference from nowhere", `{"json":{},"meta":{"referentialEqualities":{"a.b":["c"]}}}`, superjson.ErrReference},
		{"a reference through __proto__", `{"json":{},"meta":{"referentialEqualities":{"__proto__":["c"]}}}`, superjson.ErrForbiddenKey},
		{"a circle through two", `{"json":{"a":{"y":0},"b":{"x":0}},"meta":{"referentialEqualities":{"a":["b.x"],"b":["a.y"]}}}`, superjson.ErrCycle},
		{"a circle through a list", `{"json":{"a":[0]},"meta":{"referentialEqualities":{"a":["a.0"]}}}`, superjson.ErrCycle},
		{"a circle through a Map", `{"json":{"m":[["k",0]]},"meta":{"values":{"m":["map"]},"referentialEqualities":{"m":["m.0.1"]}}}`, superjson.ErrCycle},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := superjson.Parse([]byte(tt.text), superjson.Limits{})
			require.ErrorIs(t, err, tt.want)
			var decode *superjson.DecodeError
			require.ErrorAs(t, err, &decode)
			require.Nil(t, v)
		})
	}
}

func TestDepthIsBoundedAndTheLimitItselfIsFine(t *testing.T) {
	nested := func(open, inner, closing string, n int) []byte {
		return []byte(`{"json":` + strings.Repeat(open, n) + inner + strings.Repeat(closing, n) + `}`)
	}
	for _, shape := range [][3]string{{`[`, ``, `]`}, {`{"a":`, `1`, `}`}} {
		v, err := superjson.Parse(nested(shape[0], shape[1], shape[2], superjson.DefaultMaxDepth), superjson.Limits{})
		require.NoError(t, err)
		_, err = superjson.Append(nil, v)
		require.NoError(t, err)

		_, err = superjson.Parse(nested(shape[0], shape[1], shape[2], superjson.DefaultMaxDepth+1), superjson.Limits{})
		require.ErrorIs(t, err, superjson.ErrTooDeep)
		_, err = superjson.Append(nil, superjson.Array{v})
		require.ErrorIs(t, err, superjson.ErrTooDeep)
	}
}

func TestDeepestAnnotatedValueComesBack(t *testing.T) {
	v := superjson.Value(superjson.NewSet())
	for range superjson.DefaultMaxDepth - 1 {
		v = superjson.NewSet(v)
	}
	text := printed(t, v)
	require.Equal(t, text, reprint(t, text))
	_, err := superjson.Append(nil, superjson.NewSet(v))
	require.ErrorIs(t, err, superjson.ErrTooDeep)
}

func TestAnArrayThatHoldsItselfEnds(t *testing.T) {
	a := superjson.Array{nil}
	a[0] = a
	require.Equal(t, `{"json":[null],"meta":{"referentialEqualities":[["0"]],"v":1}}`, printed(t, a))
	require.Equal(t, `[null]`, string(superjson.AppendJSON(nil, a)))
	require.Equal(t, []any{nil}, superjson.ToPlain(a))
	b := superjson.Array{nil}
	b[0] = superjson.Array{b}
	require.True(t, superjson.Equal(a, b))
}

func TestAnnotationsAreCounted(t *testing.T) {
	text := func(n int) []byte {
		return []byte(`{"json":[` + strings.TrimSuffix(strings.Repeat(`null,`, n), ",") + `],"meta":{"values":{` +
			joined(n, func(i int) string { return fmt.Sprintf(`"%d":["undefined"]`, i) }) + `},"v":1}}`)
	}
	lim := superjson.Limits{MaxAnnotations: 100}
	_, err := superjson.Parse(text(100), lim)
	require.NoError(t, err)
	_, err = superjson.Parse(text(101), lim)
	require.ErrorIs(t, err, superjson.ErrTooMany)

	t.Run("numbers that will need one", func(t *testing.T) {
		minuses := `{"json":[` + joined(101, func(int) string { return "-0" }) + `]}`
		_, err := superjson.Parse([]byte(minuses), lim)
		require.ErrorIs(t, err, superjson.ErrTooMany)
	})
	t.Run("through shared parts", func(t *testing.T) {
		shared := `{"json":{"d":[` + joined(50, func(int) string { return `0` }) + `],"x":0,"y":0},"meta":{"values":{` +
			joined(50, func(i int) string { return fmt.Sprintf(`"d.%d":["Date"]`, i) }) + `},"referentialEqualities":{"d":["x","y"]},"v":1}}`
		_, err := superjson.Parse([]byte(shared), lim)
		require.ErrorIs(t, err, superjson.ErrTooMany)
	})
}

func TestPathsAndBigIntsAreBounded(t *testing.T) {
	lim := superjson.Limits{MaxPath: 40, MaxBigIntDigits: 30}
	key := strings.Repeat("a.", 13)
	v := superjson.NewObject(superjson.Member{Key: key, Value: superjson.Undefined{}})
	text := printed(t, v)
	_, err := superjson.Parse([]byte(text), lim)
	require.NoError(t, err)

	text = printed(t, superjson.NewObject(superjson.Member{Key: "x", Value: v}))
	_, err = superjson.Parse([]byte(text), lim)
	require.ErrorIs(t, err, superjson.ErrTooLong)

	for _, digits := range []string{`"` + strings.Repeat("9", 31) + `"`, strings.Repeat("9", 31)} {
		_, err = superjson.Parse([]byte(`{"json":`+digits+`,"meta":{"values":["bigint"],"v":1}}`), lim)
		require.ErrorIs(t, err, superjson.ErrTooLong)
	}
}

func TestSizeIsBoundedBeforeReading(t *testing.T) {
	_, err := superjson.Parse([]byte(`{"json":"`+strings.Repeat("a", 100)), superjson.Limits{MaxBytes: 99})
	require.ErrorIs(t, err, superjson.ErrTooLarge)
}

// Each line doubles the one before it: sixty lines would be 2^60 values.
func TestDoublingReferencesAreRefused(t *testing.T) {
	const lines = 60
	json := joined(lines, func(i int) string { return fmt.Sprintf(`"k%d":[0,0]`, i) })
	refs := joined(lines-1, func(i int) string { return fmt.Sprintf(`"k%d":["k%d.0","k%d.1"]`, i, i+1, i+1) })
	_, err := superjson.Parse([]byte(`{"json":{`+json+`},"meta":{"referentialEqualities":{`+refs+`},"v":1}}`), superjson.Limits{})
	require.ErrorIs(t, err, superjson.ErrTooLarge)
}

// One long text shared to many places costs few bytes to say and many to print.
func TestALongTextSharedOftenIsRefused(t *testing.T) {
	const places = 10_000
	text := `{"json":{"s":"` + strings.Repeat("x", 400_000) + `","t":[` + joined(places, func(int) string { return "0" }) +
		`]},"meta":{"referentialEqualities":{"s":[` + joined(places, func(i int) string { return fmt.Sprintf(`"t.%d"`, i) }) + `]}}}`
	_, err := superjson.Parse([]byte(text), superjson.Limits{})
	require.ErrorIs(t, err, superjson.ErrTooLarge)
}

func TestAChainOfReferencesObeysTheDepth(t *testing.T) {
	chain := func(n int) []byte {
		json := joined(n, func(i int) string { return fmt.Sprintf(`"k%d":[0]`, i) })
		refs := joined(n-1, func(i int) string { return fmt.Sprintf(`"k%d":["k%d.0"]`, i, i+1) })
		return []byte(`{"json":{` + json + `},"meta":{"referentialEqualities":{` + refs + `},"v":1}}`)
	}
	v, err := superjson.Parse(chain(superjson.DefaultMaxDepth-1), superjson.Limits{MaxExpanded: 1 << 30})
	require.NoError(t, err)
	require.NoError(t, superjson.Check(v))
	_, err = superjson.Parse(chain(superjson.DefaultMaxDepth), superjson.Limits{MaxExpanded: 1 << 30})
	require.ErrorIs(t, err, superjson.ErrTooDeep)
	_, err = superjson.Parse(chain(20_000), superjson.Limits{MaxExpanded: 1 << 30})
	require.ErrorIs(t, err, superjson.ErrTooDeep)
}

func TestAppendRefusesPrototypeKeysOfObjectsOnly(t *testing.T) {
	for _, key := range []string{"__proto__", "prototype", "constructor"} {
		o := superjson.NewObject(superjson.Member{Key: key, Value: superjson.Int(1)})
		dst := []byte("before")
		got, err := superjson.Append(dst, superjson.Array{o})
		require.ErrorIs(t, err, superjson.ErrForbiddenKey)
		var encode *superjson.EncodeError
		require.True(t, errors.As(err, &encode))
		require.Equal(t, "before", string(got))

		m := superjson.NewMap(superjson.Entry{Key: superjson.String(key), Value: superjson.DateMillis(0)})
		text := printed(t, m)
		require.Equal(t, text, reprint(t, text))
	}
}

func joined(n int, line func(i int) string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = line(i)
	}
	return strings.Join(lines, ",")
}
