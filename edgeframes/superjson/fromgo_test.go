package superjson_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

type inner struct{ Deep int }

type tagged struct {
	ID     string `json:"id"`
	Skip   string `json:"-"`
	Empty  string `json:"empty,omitempty"`
	At     time.Time
	hidden int
	inner
	*Outer
	Embedded
}

// Outer and Embedded are exported for the sake of reflection only.
type (
	Outer    struct{ Lost int }
	Embedded struct{ Found bool }
)

type (
	role  string
	level int8
)

func TestFromGo(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
	three := 3
	tests := []struct {
		name string
		give any
		want string
	}{
		{"nil", nil, `{"json":null}`},
		{"a nil pointer", (*int)(nil), `{"json":null}`},
		{"a pointer", &three, `{"json":3}`},
		{"a value", superjson.Undefined{}, `{"json":null,"meta":{"values":["undefined"],"v":1}}`},
		{"named types", map[role]level{"a": -1}, `{"json":{"a":-1}}`},
		{"the largest safe integer", int64(1<<53 - 1), `{"json":9007199254740991}`},
		{"beyond it", int64(1 << 53), `{"json":"9007199254740992","meta":{"values":["bigint"],"v":1}}`},
		{"far beyond it", uint64(math.MaxUint64), `{"json":"18446744073709551615","meta":{"values":["bigint"],"v":1}}`},
		{"a big.Int", big.NewInt(1), `{"json":"1","meta":{"values":["bigint"],"v":1}}`},
		{"no big.Int", (*big.Int)(nil), `{"json":null}`},
		{"NaN", math.NaN(), `{"json":"NaN","meta":{"values":["number"],"v":1}}`},
		{"a float32", float32(0.5), `{"json":0.5}`},
		{"digits", json.Number("1.50"), `{"json":1.50}`},
		{"raw JSON", json.RawMessage(`{"b":1,"a":[]}`), `{"json":{"b":1,"a":[]}}`},
		{"bytes", []byte{1, 2}, `{"json":[1,2],"meta":{"values":[["typed-array","Uint8Array"]],"v":1}}`},
		{"a nil slice", []string(nil), `{"json":[]}`},
		{"an array", [2]bool{true, false}, `{"json":[true,false]}`},
		{"a URL", &url.URL{Scheme: "https", Host: "x"}, `{"json":"https://x","meta":{"values":["URL"],"v":1}}`},
		{"an error", errors.New("boom"), `{"json":{"name":"Error","message":"boom"},"meta":{"values":["Error"],"v":1}}`},
		{"invalid UTF-8", "a\xffb", `{"json":"a` + "\ufffd" + `b"}`},
		{
			"a map",
			map[string]any{"z": []any{at, nil}, "a": 1.0, "10": "x", "9": true},
			`{"json":{"9":true,"10":"x","a":1,"z":["2026-01-02T03:04:05.678Z",null]},"meta":{"values":{"z.0":["Date"]},"v":1}}`,
		},
		{
			"a struct",
			tagged{ID: "i", Skip: "s", At: at, hidden: 1, inner: inner{Deep: 2}, Embedded: Embedded{Found: true}},
			`{"json":{"id":"i","At":"2026-01-02T03:04:05.678Z","Deep":2,"Found":true},"meta":{"values":{"At":["Date"]},"v":1}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := superjson.FromGo(tt.give)
			require.NoError(t, err)
			require.Equal(t, tt.want, printed(t, v))
		})
	}
}

func TestFromGoRefuses(t *testing.T) {
	type loop struct{ Next *loop }
	round := &loop{}
	round.Next = round
	for _, give := range []any{make(chan int), func() {}, map[float64]string{1: "x"}, []any{complex(1, 1)}, struct{ C chan int }{}} {
		_, err := superjson.FromGo(give)
		require.ErrorIs(t, err, superjson.ErrConvert, "%T", give)
	}
	_, err := superjson.FromGo(round)
	require.ErrorIs(t, err, superjson.ErrCycle)
	_, err = superjson.FromGo(json.RawMessage(`{`))
	require.ErrorIs(t, err, superjson.ErrSyntax)
	_, err = superjson.FromGo(json.Number("x"))
	require.ErrorIs(t, err, superjson.ErrSyntax)
}

func TestPlainJSON(t *testing.T) {
	typed, err := superjson.NewBigTypedArray(superjson.BigInt64Array, []uint64{math.MaxUint64})
	require.NoError(t, err)
	v := object(
		"at", superjson.DateMillis(0),
		"never", superjson.InvalidDate(),
		"gone", superjson.Undefined{},
		"list", superjson.Array{superjson.Undefined{}, superjson.Float(math.NaN()), superjson.Float(math.Inf(-1)), superjson.Float(math.Copysign(0, -1))},
		"big", superjson.NewBigInt(big.NewInt(7)),
		"map", superjson.NewMap(superjson.Entry{Key: superjson.DateMillis(0), Value: superjson.Bool(true)}),
		"set", superjson.NewSet(superjson.String("\xed\xa0\x80")),
		"re", superjson.RegExp{Source: "x", Flags: "g"},
		"url", superjson.URL{Href: "a:b"},
		"err", &superjson.Error{Name: "E", Message: "m"},
		"bytes", superjson.Bytes([]byte{1}),
		"bigs", typed,
	)
	const want = `{"at":"1970-01-01T00:00:00.000Z","never":null,"list":[null,null,null,0],"big":"7",` +
		`"map":[["1970-01-01T00:00:00.000Z",true]],"set":["` + "\ufffd" + `"],"re":"/x/g","url":"a:b",` +
		`"err":{"name":"E","message":"m"},"bytes":[1],"bigs":["-1"]}`
	require.Equal(t, want, string(superjson.AppendJSON(nil, v)))

	fromTree, err := json.Marshal(superjson.ToPlain(v))
	require.NoError(t, err)
	require.JSONEq(t, want, string(fromTree))
}

func TestEqual(t *testing.T) {
	nan, one := superjson.Float(math.NaN()), superjson.Int(1)
	loose, err := superjson.ParseJSON([]byte("1.0"), superjson.Limits{})
	require.NoError(t, err)
	require.True(t, superjson.Equal(object("a", one, "b", nan), object("b", nan, "a", loose)))
	require.True(t, superjson.Equal(nil, superjson.Undefined{}))
	for _, pair := range [][2]superjson.Value{
		{superjson.Null{}, superjson.Undefined{}},
		{superjson.Int(0), superjson.Float(math.Copysign(0, -1))},
		{object("a", superjson.Undefined{}), object("b", superjson.Undefined{})},
		{object("a", one), object("a", superjson.String("1"))},
		{superjson.NewSet(one, nan), superjson.NewSet(nan, one)},
		{superjson.DateMillis(1), superjson.DateMillis(2)},
		{&superjson.Error{}, &superjson.Error{Cause: superjson.Undefined{}}},
		{superjson.Bytes([]byte{1}), superjson.Bytes([]byte{2})},
	} {
		require.False(t, superjson.Equal(pair[0], pair[1]), "%v", pair)
	}
}
