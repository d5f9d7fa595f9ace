package typedjson_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
	"stele/internal/typedjson"
)

func parse(t testing.TB, text string) typedjson.Value {
	t.Helper()
	v, err := typedjson.Parse([]byte(text), typedjson.Limits{})
	require.NoError(t, err, text)
	return v
}

// TestTexts: each type's text, what it is printed as, and what readers see who know no types.
func TestTexts(t *testing.T) {
	for _, tc := range []struct{ text, canonical, plain string }{
		{`null`, ``, ``},
		{` { "b" : [ 1 , true , false , "x" ] , "a" : { } } `, `{"b":[1,true,false,"x"],"a":{}}`, `{"b":[1,true,false,"x"],"a":{}}`},
		{`1.50`, ``, ``},
		{`12345678901234567890123`, ``, ``},
		{`1e400`, ``, ``},
		{`-0`, `{"$number":"-0"}`, `0`},
		{`{"$number":"-0"}`, ``, `0`},
		{`{"$number":"NaN"}`, ``, `null`},
		{`[{"$number":"Infinity"},{"$number":"-Infinity"}]`, ``, `[null,null]`},
		{`"\u0041\ud83d\ude00\ud800<"`, "\"A😀\ufffd<\"", "\"A😀\ufffd<\""},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`, `{"a":3,"b":2}`},
		{`{"2":0,"1":0}`, ``, `{"2":0,"1":0}`},
		{`{"$date":"2026-01-02T03:04:05.678Z"}`, ``, `"2026-01-02T03:04:05.678Z"`},
		{`{"$date":"+275760-09-13T00:00:00.000Z"}`, ``, `"+275760-09-13T00:00:00.000Z"`},
		{`{"$date":"-000004-02-29T00:00:00.000Z"}`, ``, `"-000004-02-29T00:00:00.000Z"`},
		{`{"$date":null}`, ``, `null`},
		{`{"a":{"$undefined":true},"b":[{"$undefined":true}]}`, ``, `{"b":[null]}`},
		{`{"$undefined":true}`, ``, `null`},
		{`{"$bigint":"-123456789012345678901234567890"}`, ``, `"-123456789012345678901234567890"`},
		{`{"$map":[["k",{"$set":[1,2]}],[{"$bigint":"1"},null]]}`, ``, `[["k",[1,2]],["1",null]]`},
		{`{"$regexp":"/a\\/b/gi"}`, ``, `"/a\\/b/gi"`},
		{`{"$url":"https://example.com/?a=b"}`, ``, `"https://example.com/?a=b"`},
		{`{"$error":{"name":"TypeError","message":"no","cause":{"$undefined":true}}}`, ``, `{"name":"TypeError","message":"no"}`},
		{`{"$array":["Float32Array",[1.5,{"$number":"NaN"}]]}`, ``, `[1.5,null]`},
		{`{"$array":["BigInt64Array",[{"$bigint":"-1"}]]}`, ``, `["-1"]`},
		{`{"$object":{"$date":"yesterday"}}`, ``, `{"$date":"yesterday"}`},
		{`{"$object":{"$x":{"$date":null}}}`, ``, `{"$x":null}`},
		{`{"$object":{"$object":{"$object":{"$date":1}}}}`, ``, `{"$object":{"$date":1}}`},
		{`{"$object":{"a":1}}`, `{"a":1}`, `{"a":1}`},
		{`{"$date":"yesterday","b":1}`, ``, `{"$date":"yesterday","b":1}`},
		{`{"$object":{"$date":null},"b":1}`, ``, `{"$object":null,"b":1}`},
		{`{"":{"$":1,"b":{}}}`, ``, `{"":{"$":1,"b":{}}}`},
	} {
		canonical, plain := tc.canonical, tc.plain
		if canonical == "" {
			canonical = tc.text
		}
		if plain == "" {
			plain = tc.text
		}
		v := parse(t, tc.text)
		require.Equal(t, canonical, string(v.Append(nil)))
		require.Equal(t, plain, string(v.AppendPlain(nil)), tc.text)
		require.Equal(t, v, parse(t, canonical))
	}
}

// TestPlainJSONStandsForItself: no text of somebody who knows no types is taken for one.
func TestPlainJSONStandsForItself(t *testing.T) {
	for _, text := range []string{
		`{"$date":"2026-01-02T03:04:05.678Z"}`, `{"a":[{"$nonsense":{"$object":{"$set":5}}}]}`, `{"$":null}`, `{"b":1.0,"a":-5e3}`,
	} {
		v, err := typedjson.FromPlain([]byte(text), typedjson.Limits{})
		require.NoError(t, err)
		require.Equal(t, text, string(v.AppendPlain(nil)))
		require.Equal(t, v, parse(t, string(v.Append(nil))))
	}
	v, err := typedjson.FromPlain([]byte(`{"a":{"$date":1}}`), typedjson.Limits{})
	require.NoError(t, err)
	require.Equal(t, `{"a":{"$object":{"$date":1}}}`, string(v.Append(nil)))
}

func TestRefused(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	lim := typedjson.Limits{Bytes: 200, Depth: 8, Members: 20}
	for _, tc := range []struct {
		text string
		want error
	}{
		{`{"$nonsense":1}`, typedjson.ErrType},
		{`{"$":1}`, typedjson.ErrType},
		{`{"$date":"yesterday"}`, typedjson.ErrType},
		{`{"$date":"2026-02-30T00:00:00.000Z"}`, typedjson.ErrType},
		{`{"$date":"2026-01-02T03:04:05Z"}`, typedjson.ErrType},
		{`{"$date":"+02026-1-02T03:04:05.678Z"}`, typedjson.ErrType},
		{`{"$date":"-000001-02-29T00:00:00.000Z"}`, typedjson.ErrType},
		{`{"$date":5}`, typedjson.ErrType},
		{`{"$undefined":false}`, typedjson.ErrType},
		{`{"$bigint":"01"}`, typedjson.ErrType},
		{`{"$bigint":"-0"}`, typedjson.ErrType},
		{`{"$bigint":"-"}`, typedjson.ErrType},
		{`{"$bigint":5}`, typedjson.ErrType},
		{`{"$number":"5"}`, typedjson.ErrType},
		{`{"$map":[[1]]}`, typedjson.ErrType},
		{`{"$map":{}}`, typedjson.ErrType},
		{`{"$set":{}}`, typedjson.ErrType},
		{`{"$regexp":"/"}`, typedjson.ErrType},
		{`{"$regexp":"a/b"}`, typedjson.ErrType},
		{`{"$url":5}`, typedjson.ErrType},
		{`{"$error":{"message":"m","name":"n"}}`, typedjson.ErrType},
		{`{"$error":{"name":"n"}}`, typedjson.ErrType},
		{`{"$error":{"name":"n","message":"m","stack":""}}`, typedjson.ErrType},
		{`{"$error":5}`, typedjson.ErrType},
		{`{"$array":["Buffer",[]]}`, typedjson.ErrType},
		{`{"$array":["Uint8Array",["1"]]}`, typedjson.ErrType},
		{`{"$array":["BigInt64Array",[1]]}`, typedjson.ErrType},
		{`{"$object":5}`, typedjson.ErrType},
		{`[{"$object":{"$a":{"$b":1}}}]`, typedjson.ErrType},
		{`{"a":{"__proto__":1}}`, typedjson.ErrKey},
		{`{"constructor":1}`, typedjson.ErrKey},
		{`{"prototype":1}`, typedjson.ErrKey},
		{deep(9), typedjson.ErrTooDeep},
		{`[` + strings.Repeat("0,", 19) + `0]`, typedjson.ErrTooMany},
		{`"` + strings.Repeat("x", 199) + `"`, typedjson.ErrTooLarge},
	} {
		_, err := typedjson.Parse([]byte(tc.text), lim)
		require.ErrorIs(t, err, tc.want, tc.text)
		if tc.want != typedjson.ErrType {
			_, err = typedjson.FromPlain([]byte(tc.text), lim)
			require.ErrorIs(t, err, tc.want, tc.text)
		}
	}
	for _, text := range []string{``, `{`, `{"a":1,}`, `01`, "\"\xff\"", `{} {}`, `{"a":nul}`} {
		_, err := typedjson.Parse([]byte(text), lim)
		require.Error(t, err, text)
	}
	_, err := typedjson.Parse([]byte(deep(8)), lim)
	require.NoError(t, err)
	// What is added around an object that looks typed counts.
	_, err = typedjson.FromPlain([]byte(`[[[[[[[{"$a":1}]]]]]]]`), lim)
	require.ErrorIs(t, err, typedjson.ErrTooDeep)
	// A long number is bounded by the parser below.
	_, err = typedjson.Parse([]byte(strings.Repeat("1", strictjson.MaxNumberBytes+1)), typedjson.Limits{})
	require.ErrorIs(t, err, typedjson.ErrTooLarge)
}

// TestMerge: RFC 7396, appendix A, and what it says of values that JSON does not know.
func TestMerge(t *testing.T) {
	for _, tc := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},

		{`{"a":1}`, `{"a":{"$undefined":true}}`, `{"a":{"$undefined":true}}`},
		{`{"a":{"$date":null}}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		{`{"a":{"b":1}}`, `{"a":{"$map":[["b",null]]}}`, `{"a":{"$map":[["b",null]]}}`},
		{`{"a":{"$map":[]}}`, `{"a":{"$set":[null]}}`, `{"a":{"$set":[null]}}`},
		{`{"a":{"b":1}}`, `{"a":{"$object":{"$date":2}}}`, `{"a":{"b":1,"$date":2}}`},
		{`{"a":{"b":1,"$date":2}}`, `{"a":{"b":null}}`, `{"a":{"$object":{"$date":2}}}`},
		{`{"a":{"$object":{"$date":2}}}`, `{"a":{"$object":{"$date":null}}}`, `{"a":{}}`},
		{`{"a":1,"b":2,"c":3}`, `{"d":4,"b":5}`, `{"a":1,"b":5,"c":3,"d":4}`},
	} {
		target, patch := parse(t, tc.target), parse(t, tc.patch)
		require.Equal(t, tc.want, string(typedjson.Merge(target, patch).Append(nil)), "%s + %s", tc.target, tc.patch)
		require.Equal(t, parse(t, tc.target), target)
		require.Equal(t, parse(t, tc.patch), patch)
	}
}

func TestMergeIsQuickOnWideObjects(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{`)
	for i := range 60_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(strictjson.AppendString(nil, strings.Repeat("k", 1+i%3)+itoa(i)))
		b.WriteString(`:1`)
	}
	b.WriteString(`}`)
	v, err := typedjson.Parse([]byte(b.String()), typedjson.Limits{Bytes: 4 << 20})
	require.NoError(t, err)
	require.Len(t, v.Members, 60_000)
	require.Len(t, typedjson.Merge(v, v).Members, 60_000)
	require.Empty(t, typedjson.Diff(v, v).Members)
}
