package superjson_test

import (
	"encoding/json"
	"io"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

func annotatedText(json, values string) []byte {
	return []byte(`{"json":` + json + `,"meta":{"values":` + values + `,"v":1}}`)
}

func TestUnmarshalComesBack(t *testing.T) {
	o := filled()
	var got outer
	require.NoError(t, superjson.Unmarshal([]byte(marshaled(t, o)), &got))
	require.Equal(t, o.ID, got.ID)
	require.Equal(t, *o.Tagged, *got.Tagged)
	require.Equal(t, o.Deep, got.Deep)
	require.Equal(t, o.Number, got.Number)
	require.JSONEq(t, string(o.Raw), string(got.Raw))
	require.Equal(t, o.At, got.At)
	require.Equal(t, o.Addr, got.Addr)
	require.Equal(t, o.Any, got.Any)
	require.Equal(t, o.Level, got.Level)
	require.Equal(t, o.List, got.List)
	require.Equal(t, o.Pair, got.Pair)
	require.Equal(t, o.Map, got.Map)
	require.Equal(t, **o.Ptr, **got.Ptr)

	yes := true
	in := opts{Num: -5, Flag: &yes, Text: `q"`, Ratio: math.Inf(-1)}
	var out opts
	require.NoError(t, superjson.Unmarshal([]byte(marshaled(t, in)), &out))
	require.Equal(t, in, out)
}

func TestUnmarshalIntoAny(t *testing.T) {
	text := annotatedText(
		`{"n":null,"u":null,"b":true,"f":1.5,"s":"x","big":"7","d":"1970-01-01T00:00:00.000Z","r":"/x/g","url":"https://x/","by":[1,2],"i":[-1],"l":[1],"e":{"name":"E","message":"m"}}`,
		`{"u":["undefined"],"big":["bigint"],"d":["Date"],"r":["regexp"],"url":["URL"],"by":[["typed-array","Uint8Array"]],"i":[["typed-array","Int8Array"]],"e":["Error"]}`)
	var got any
	require.NoError(t, superjson.Unmarshal(text, &got))
	m := got.(map[string]any)
	require.Nil(t, m["n"])
	require.Equal(t, superjson.Undefined{}, m["u"])
	require.Equal(t, []any{true, 1.5, "x"}, []any{m["b"], m["f"], m["s"]})
	require.Equal(t, big.NewInt(7), m["big"])
	require.Equal(t, time.UnixMilli(0).UTC(), m["d"])
	require.Equal(t, "/x/g", m["r"].(superjson.RegExp).String())
	require.Equal(t, &url.URL{Scheme: "https", Host: "x", Path: "/"}, m["url"])
	require.Equal(t, []byte{1, 2}, m["by"])
	require.Equal(t, superjson.Int8Array, m["i"].(*superjson.TypedArray).Type())
	require.Equal(t, []any{1.0}, m["l"])
	require.EqualError(t, m["e"].(*superjson.Error), "E: m")
	require.Equal(t, string(text), marshaledOrder(t, text))
}

// marshaledOrder prints the tree of a text again, which keeps even the order of keys.
func marshaledOrder(t *testing.T, text []byte) string {
	var tree superjson.Value
	require.NoError(t, superjson.Unmarshal(text, &tree))
	return marshaled(t, tree)
}

func TestUnmarshalInto(t *testing.T) {
	into := func(to any, json, values string) any {
		t.Helper()
		require.NoError(t, superjson.Unmarshal(annotatedText(json, values), to))
		return to
	}
	require.Equal(t, []string{"a", "b"}, *into(new([]string), `["a","b"]`, `["set"]`).(*[]string))
	require.Equal(t, []int64{-1, math.MinInt64}, *into(new([]int64), `["-1","-9223372036854775808"]`, `[["typed-array","BigInt64Array"]]`).(*[]int64))
	require.Equal(t, uint64(math.MaxUint64), *into(new(uint64), `"18446744073709551615"`, `["bigint"]`).(*uint64))
	require.Equal(t, int8(-5), *into(new(int8), `"-5"`, `["bigint"]`).(*int8))
	require.Equal(t, map[int]bool{5: true}, *into(new(map[int]bool), `[[5,true]]`, `["map"]`).(*map[int]bool))
	require.Equal(t, map[any]string{true: "x"}, *into(new(map[any]string), `[[true,"x"]]`, `["map"]`).(*map[any]string))
	require.Equal(t, map[time.Time]int{time.UnixMilli(0).UTC(): 1}, *into(new(map[time.Time]int), `[["1970-01-01T00:00:00.000Z",1]]`, `["map",{"0.0":["Date"]}]`).(*map[time.Time]int))
	require.Equal(t, map[netip.Addr]int{netip.MustParseAddr("::1"): 1}, *into(new(map[netip.Addr]int), `{"::1":1}`, `{}`).(*map[netip.Addr]int))
	require.Equal(t, *big.NewInt(12), *into(new(big.Int), `12`, `{}`).(*big.Int))
	require.Equal(t, "x", into(new(url.URL), `"https://x"`, `["URL"]`).(*url.URL).Host)
	require.Equal(t, "https://x", *into(new(string), `"https://x"`, `["URL"]`).(*string))
	require.Equal(t, [3]int{1, 2, 0}, *into(&[3]int{9, 9, 9}, `[1,2]`, `{}`).(*[3]int))
	require.Equal(t, [1]int{1}, *into(new([1]int), `[1,2]`, `{}`).(*[1]int))
	require.Equal(t, []byte("hi"), *into(new([]byte), `"aGk="`, `{}`).(*[]byte))
	require.Equal(t, "\ufffd", *into(new(string), `"\ud800"`, `{}`).(*string))
	require.Equal(t, json.Number("1.50"), *into(new(json.Number), `1.50`, `{}`).(*json.Number))
	require.Equal(t, time.UnixMilli(0).UTC(), into(new(dated), `"1970-01-01T00:00:00.000Z"`, `["Date"]`).(*dated).at)
	require.Equal(t, "w", into(new(speaks), `{"word":"w"}`, `{}`).(*speaks).word)
	require.True(t, math.IsNaN(*into(new(float64), `"NaN"`, `["number"]`).(*float64)))
	require.Equal(t, "n", into(new(Tagged), `{"name":"n","kind":"k"}`, `{}`).(*Tagged).Name, "a name may differ in case")
	require.Equal(t, "m", into(new(struct{ Message string }), `{"name":"E","message":"m"}`, `["Error"]`).(*struct{ Message string }).Message)

	kept := struct {
		N int
		P *int
		S []int
		A any
		T time.Time
	}{N: 1, P: new(int), S: []int{1}, A: 1}
	into(&kept, `{"N":null,"P":null,"S":null,"A":null,"T":null}`, `{"S":["undefined"],"A":["undefined"]}`)
	require.Equal(t, 1, kept.N)
	require.Nil(t, kept.P)
	require.Nil(t, kept.S)
	require.Equal(t, superjson.Undefined{}, kept.A)

	target := &Tagged{}
	holder := struct{ V any }{target}
	into(&holder, `{"V":{"kind":"k"}}`, `{}`)
	require.Equal(t, "k", target.Kind)
}

func TestUnmarshalRefuses(t *testing.T) {
	for _, c := range []struct {
		to           any
		json, values string
		detail       string
	}{
		{new(struct{ A struct{ B []int } }), `{"A":{"B":[1,"x"]}}`, `{}`, `string to int at "A.B.1"`},
		{new(int8), `128`, `{}`, "number to int8"},
		{new(uint), `-1`, `{}`, "number to uint"},
		{new(int), `1.5`, `{}`, "number to int"},
		{new(float32), `1e300`, `{}`, "number to float32"},
		{new(string), `1`, `{}`, "number to string"},
		{new(bool), `"true"`, `{}`, "string to bool"},
		{new([]int), `{}`, `{}`, "object to []int"},
		{new(map[string]int), `[]`, `{}`, "array to map[string]int"},
		{new(map[int]int), `{"a":1}`, `{}`, "a key to int"},
		{new(map[any]int), `[[[],1]]`, `["map"]`, "a Map key of kind array"},
		{new(time.Time), `null`, `{}`, ""},
		{new(time.Time), `"zz"`, `["Date"]`, "Date to time.Time"},
		{new(*superjson.Map), `[]`, `["set"]`, "Set to *superjson.Map"},
		{new(chan int), `1`, `{}`, "number to chan int"},
		{new(struct {
			N int `json:",string"`
		}), `{"N":5}`, `{}`, `number to int at "N"`},
	} {
		err := superjson.Unmarshal(annotatedText(c.json, c.values), c.to)
		if c.detail == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, superjson.ErrConvert, c.json)
		var decode *superjson.DecodeError
		require.ErrorAs(t, err, &decode)
		require.Equal(t, c.detail, decode.Detail)
	}
	require.ErrorIs(t, superjson.Unmarshal([]byte(`{}`), nil), superjson.ErrConvert)
	require.ErrorIs(t, superjson.Unmarshal([]byte(`{}`), 5), superjson.ErrConvert)
	require.ErrorIs(t, superjson.Unmarshal([]byte(`{`), new(any)), superjson.ErrSyntax)
}

type (
	point struct {
		X any `json:"x"`
		Y any `json:"y"`
	}
	decimal struct{ digits string }
)

func registered() superjson.Codec {
	types := superjson.NewTypes().Symbol("my-tag", "tag")
	superjson.RegisterClass[point](types, "Point")
	superjson.RegisterCustom(types, "decimal",
		func(d decimal) (any, error) { return d.digits, nil },
		func(v superjson.Value) (decimal, error) { return decimal{string(v.(superjson.String))}, nil })
	return superjson.Codec{Types: types}
}

func TestRegisteredTypes(t *testing.T) {
	codec := registered()
	at := time.UnixMilli(0).UTC()
	p := &point{X: at, Y: decimal{"1.10"}}
	text, err := codec.Marshal(map[string]any{"p": p, "q": p, "d": []decimal{{"2"}}, "s": superjson.Symbol{ID: "my-tag", Description: "tag"}})
	require.NoError(t, err)
	require.Equal(t, `{"json":{"d":["2"],"p":{"x":"1970-01-01T00:00:00.000Z","y":"1.10"},"q":{"x":"1970-01-01T00:00:00.000Z","y":"1.10"},"s":"tag"},`+
		`"meta":{"values":{"d.0":[["custom","decimal"]],"p":[["class","Point"],{"x":["Date"],"y":[["custom","decimal"]]}],`+
		`"q":[["class","Point"],{"x":["Date"],"y":[["custom","decimal"]]}],"s":[["symbol","my-tag"]]},"referentialEqualities":{"p":["q"]},"v":1}}`, string(text))

	var got map[string]any
	require.NoError(t, codec.Unmarshal(text, &got))
	require.Equal(t, &point{X: at, Y: decimal{"1.10"}}, got["p"])
	require.Same(t, got["p"], got["q"])
	require.Equal(t, []any{decimal{"2"}}, got["d"])
	require.Equal(t, superjson.Symbol{ID: "my-tag", Description: "tag"}, got["s"])
	var typed struct {
		P point
		D []decimal
	}
	require.NoError(t, codec.Unmarshal(text, &typed))
	require.Equal(t, decimal{"2"}, typed.D[0])

	require.ErrorIs(t, superjson.Unmarshal(text, &got), superjson.ErrUnknownType)
	require.Panics(t, func() { superjson.RegisterClass[int](superjson.NewTypes(), "Int") })
}

func TestAllowedPropertiesOfAClass(t *testing.T) {
	types := superjson.NewTypes()
	superjson.RegisterClass[point](types, "P", "y", "missing")
	text, err := superjson.Codec{Types: types}.Marshal(point{X: 1, Y: 2})
	require.NoError(t, err)
	require.Equal(t, `{"json":{"y":2,"missing":null},"meta":{"values":[["class","P"],{"missing":["undefined"]}],"v":1}}`, string(text))
}

func TestStream(t *testing.T) {
	var out strings.Builder
	enc := superjson.NewEncoder(&out)
	for _, v := range []any{1, "a}\n", []any{time.UnixMilli(0)}, nil} {
		require.NoError(t, enc.Encode(v))
	}
	require.ErrorIs(t, enc.Encode(func() {}), superjson.ErrConvert)
	require.Equal(t, `{"json":1}`+"\n"+`{"json":"a}\n"}`+"\n"+`{"json":["1970-01-01T00:00:00.000Z"],"meta":{"values":{"0":["Date"]},"v":1}}`+"\n"+`{"json":null}`+"\n", out.String())

	for name, r := range map[string]io.Reader{"at once": strings.NewReader(out.String()), "byte by byte": iotest.OneByteReader(strings.NewReader(out.String()))} {
		dec := superjson.NewDecoder(r)
		var got []any
		for {
			var v any
			err := dec.Decode(&v)
			if err == io.EOF {
				break
			}
			require.NoError(t, err, name)
			got = append(got, v)
		}
		require.Equal(t, []any{1.0, "a}\n", []any{time.UnixMilli(0).UTC()}, nil}, got, name)
	}
}

func TestStreamFaults(t *testing.T) {
	var v any
	dec := superjson.NewDecoder(strings.NewReader(`{"json":x}{"json":1} 5 null{"json":2}  `))
	require.ErrorIs(t, dec.Decode(&v), superjson.ErrSyntax, "the next text is not spoilt")
	require.NoError(t, dec.Decode(&v))
	require.NoError(t, dec.Decode(&v))
	require.Equal(t, superjson.Undefined{}, v)
	require.ErrorIs(t, dec.Decode(&v), superjson.ErrNoEnvelope)
	require.NoError(t, dec.Decode(&v))
	require.Equal(t, 2.0, v)
	require.ErrorIs(t, dec.Decode(&v), io.EOF)
	require.ErrorIs(t, superjson.NewDecoder(strings.NewReader(`{"json":`)).Decode(&v), io.ErrUnexpectedEOF)
	require.ErrorIs(t, superjson.NewDecoder(iotest.ErrReader(errBroken)).Decode(&v), errBroken)
	small := superjson.Codec{Limits: superjson.Limits{MaxBytes: 100}}
	require.ErrorIs(t, small.NewDecoder(strings.NewReader(`{"json":"`+strings.Repeat("x", 200_000))).Decode(&v), superjson.ErrTooLarge)
	require.Equal(t, superjson.Undefined{}, func() any {
		var last any
		require.NoError(t, superjson.NewDecoder(strings.NewReader(`true`)).Decode(&last))
		return last
	}())
}
