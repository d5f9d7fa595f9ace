package edgefront

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
	"stele/internal/typedjson"
)

func parsed(t *testing.T, text string) superjson.Value {
	t.Helper()
	v, err := superjson.Parse([]byte(text), superjson.Limits{})
	require.NoError(t, err, text)
	return v
}

// TestValuesKeepTheirTypesInTheLog: what a client sent is what clients are shown, and readers who know no types see of both
// forms the same.
func TestValuesKeepTheirTypesInTheLog(t *testing.T) {
	for _, tc := range []struct{ text, log string }{
		{`{"json":{"2":-7,"b":1.5,"a":[null,true,"x"]}}`, `{"2":-7,"b":1.5,"a":[null,true,"x"]}`},
		{`{"json":"2026-01-02T03:04:05.678Z","meta":{"values":["Date"],"v":1}}`, `{"$date":"2026-01-02T03:04:05.678Z"}`},
		{`{"json":"+010000-01-01T00:00:00.000Z","meta":{"values":["Date"],"v":1}}`, `{"$date":"+010000-01-01T00:00:00.000Z"}`},
		{`{"json":"-000001-01-01T00:00:00.000Z","meta":{"values":["Date"],"v":1}}`, `{"$date":"-000001-01-01T00:00:00.000Z"}`},
		{`{"json":null,"meta":{"values":["undefined"],"v":1}}`, `{"$undefined":true}`},
		{`{"json":"12345678901234567890","meta":{"values":["bigint"],"v":1}}`, `{"$bigint":"12345678901234567890"}`},
		{
			`{"json":["NaN","Infinity","-Infinity","-0"],"meta":{"values":{"0":["number"],"1":["number"],"2":["number"],"3":["number"]},"v":1}}`,
			`[{"$number":"NaN"},{"$number":"Infinity"},{"$number":"-Infinity"},{"$number":"-0"}]`,
		},
		{`{"json":[["k",["1"]]],"meta":{"values":["map",{"0.1":["set",{"0":["bigint"]}]}],"v":1}}`, `{"$map":[["k",{"$set":[{"$bigint":"1"}]}]]}`},
		{`{"json":"/a\\/b/gi","meta":{"values":["regexp"],"v":1}}`, `{"$regexp":"/a\\/b/gi"}`},
		{`{"json":"https://example.com/","meta":{"values":["URL"],"v":1}}`, `{"$url":"https://example.com/"}`},
		{
			`{"json":{"name":"TypeError","message":"no","cause":null},"meta":{"values":["Error",{"cause":["undefined"]}],"v":1}}`,
			`{"$error":{"name":"TypeError","message":"no","cause":{"$undefined":true}}}`,
		},
		{`{"json":[1,255],"meta":{"values":[["typed-array","Uint8Array"]],"v":1}}`, `{"$array":["Uint8Array",[1,255]]}`},
		{`{"json":[1.5,"NaN"],"meta":{"values":[["typed-array","Float64Array"]],"v":1}}`, `{"$array":["Float64Array",[1.5,{"$number":"NaN"}]]}`},
		{`{"json":["-1"],"meta":{"values":[["typed-array","BigInt64Array"]],"v":1}}`, `{"$array":["BigInt64Array",[{"$bigint":"-1"}]]}`},
		{
			`{"json":["18446744073709551615"],"meta":{"values":[["typed-array","BigUint64Array"]],"v":1}}`,
			`{"$array":["BigUint64Array",[{"$bigint":"18446744073709551615"}]]}`,
		},
		{`{"json":{"$date":"yesterday"}}`, `{"$object":{"$date":"yesterday"}}`},
	} {
		v := parsed(t, tc.text)
		kept, err := logged(v)
		require.NoError(t, err)
		require.Equal(t, tc.log, string(kept.Append(nil)))
		read, err := typedjson.Parse(kept.Append(nil), typedjson.Limits{})
		require.NoError(t, err)
		text, err := superjson.Marshal(shown(read))
		require.NoError(t, err)
		require.Equal(t, tc.text, string(text))
		require.Equal(t, string(superjson.AppendJSON(nil, v)), string(kept.AppendPlain(nil)))
	}
}

// TestVectorsSurviveTheLog sends the values that the real library printed through the log.
func TestVectorsSurviveTheLog(t *testing.T) {
	file, err := os.Open("../../edgeframes/superjson/testdata/superjson.jsonl")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	checked := 0
	for lines.Scan() {
		var row struct {
			Name, Text      string
			Setup, Opts     json.RawMessage
			Lossy, Identity bool
			Roundtrip       bool
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		if row.Setup != nil || row.Opts != nil || row.Lossy || row.Identity || !row.Roundtrip {
			continue
		}
		v, err := superjson.Parse([]byte(row.Text), superjson.Limits{})
		require.NoError(t, err, row.Name)
		if strings.Contains(row.Text, `\ud`) {
			// A half of a surrogate pair is refused.
			_, err := logged(v)
			require.ErrorIs(t, err, errHalfPair, row.Name)
			continue
		}
		kept, err := logged(v)
		require.NoError(t, err, row.Name)
		read, err := typedjson.Parse(kept.Append(nil), typedjson.Limits{Bytes: 1 << 20})
		require.NoError(t, err, row.Name)
		require.True(t, superjson.Equal(v, shown(read)), "%s: %s", row.Name, row.Text)
		checked++
	}
	require.Greater(t, checked, 90)
}

func TestValuesThatAreNotKept(t *testing.T) {
	self := superjson.NewObject()
	self.Set("self", self)
	wide := superjson.Array{superjson.String(strings.Repeat("x", 1<<10))}
	for range 12 {
		wide = superjson.Array{wide, wide}
	}
	var deep superjson.Value = superjson.Null{}
	for range 70 {
		deep = superjson.Array{deep}
	}
	for _, v := range []superjson.Value{self, wide, deep, superjson.Symbol{}} {
		_, err := logged(v)
		require.ErrorIs(t, err, errNoValue)
	}
	half := superjson.String("\xed\xa0\x80")
	for _, v := range []superjson.Value{
		half,
		superjson.Array{half},
		superjson.NewObject(superjson.Member{Key: string(half), Value: superjson.Null{}}),
		superjson.NewMap(superjson.Entry{Key: half, Value: superjson.Null{}}), superjson.NewSet(half), &superjson.Error{Message: string(half)},
		superjson.RegExp{Source: string(half)},
		superjson.URL{Href: "https://example.com/" + string(half)},
	} {
		_, err := logged(v)
		require.ErrorIs(t, err, errHalfPair)
	}
	kept, err := logged(superjson.String("\ufffd"))
	require.NoError(t, err)
	require.Equal(t, "\"\ufffd\"", string(kept.Append(nil)))
}
