package superjson_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

func object(pairs ...any) *superjson.Object {
	var members []superjson.Member
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, superjson.Member{Key: pairs[i].(string), Value: pairs[i+1].(superjson.Value)})
	}
	return superjson.NewObject(members...)
}

// Texts that npm superjson 2.2.7 printed for the same values, beside the vectors.
func TestAppend(t *testing.T) {
	undef, epoch := superjson.Undefined{}, superjson.DateMillis(0)
	tests := []struct {
		name string
		give superjson.Value
		want string
	}{
		{"nil is undefined", nil, `{"json":null,"meta":{"values":["undefined"],"v":1}}`},
		{"a nil object is empty", (*superjson.Object)(nil), `{"json":{}}`},
		{
			"a pair's own order", superjson.NewMap(superjson.Entry{Key: object("u", undef), Value: epoch}),
			`{"json":[[{"u":null},"1970-01-01T00:00:00.000Z"]],"meta":{"values":["map",{"0.1":["Date"],"0.0.u":["undefined"]}],"v":1}}`,
		},
		{
			"indices first at each level", object("k", superjson.Array{object("x", epoch), epoch}),
			`{"json":{"k":[{"x":"1970-01-01T00:00:00.000Z"},"1970-01-01T00:00:00.000Z"]},"meta":{"values":{"k.1":["Date"],"k.0.x":["Date"]},"v":1}}`,
		},
		{
			"keys that are nearly indices", object("4294967295", superjson.Int(1), "4294967294", superjson.Int(2), "01", superjson.Int(3), "-1", superjson.Int(4), "1", epoch, "4294967295x", undef),
			`{"json":{"1":"1970-01-01T00:00:00.000Z","4294967294":2,"4294967295":1,"01":3,"-1":4,"4294967295x":null},"meta":{"values":{"1":["Date"],"4294967295x":["undefined"]},"v":1}}`,
		},
		{
			"lone surrogates", object("s", superjson.String("\xed\xa0\x80x\xed\xb0\x80😀"), "\xed\xbf\xbf", epoch),
			`{"json":{"s":"\ud800x\udc00😀","\udfff":"1970-01-01T00:00:00.000Z"},"meta":{"values":{"\udfff":["Date"]},"v":1}}`,
		},
		{"invalid bytes", superjson.String("a\xffb\xed\xa0"), `{"json":"a` + "\ufffd" + `b` + "\ufffd\ufffd" + `"}`},
		{"an empty regexp", superjson.RegExp{Flags: "g"}, `{"json":"/(?:)/g","meta":{"values":["regexp"],"v":1}}`},
		{"the zero number", superjson.Number{}, `{"json":0}`},
		{"the zero bigint", superjson.BigInt{}, `{"json":"0","meta":{"values":["bigint"],"v":1}}`},
		{"an error without allowed props", &superjson.Error{Name: "E", Props: []superjson.Member{{Key: "code", Value: superjson.Int(1)}}}, `{"json":{"name":"E","message":""},"meta":{"values":["Error"],"v":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, printed(t, tt.give)) })
	}
}

func TestParse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"blanks", " {\n\t\"json\" : [ 1 , { \"a\" : null } ] , \"meta\" : null }\r", `{"json":[1,{"a":null}]}`},
		{"repeated keys", `{"json":{"a":1,"b":2,"a":3}}`, `{"json":{"a":3,"b":2}}`},
		{"json twice", `{"json":1,"json":2}`, `{"json":2}`},
		{"an empty envelope", `{}`, `{"json":null,"meta":{"values":["undefined"],"v":1}}`},
		{"digits beyond a double", `{"json":12345678901234567890123}`, `{"json":12345678901234567890123}`},
		{"minus zero", `{"json":[-0,-0.0,-0e5,-1e-400]}`, `{"json":["-0","-0","-0","-0"],"meta":{"values":{"0":["number"],"1":["number"],"2":["number"],"3":["number"]},"v":1}}`},
		{"beyond infinity", `{"json":-1e400}`, `{"json":"-Infinity","meta":{"values":["number"],"v":1}}`},
		{"escapes", `{"json":"\u0041\/\b\f\n\r\t\"\\\ud83d\ude00\ud83d"}`, `{"json":"A/\b\f\n\r\t\"\\😀\ud83d"}`},
		{"halves in the wrong order", `{"json":"\ude00\ud83d\ud83d\u0041"}`, `{"json":"\ude00\ud83d\ud83dA"}`},
		{"two low halves", `{"json":"\ude00\ude00"}`, `{"json":"\ude00\ude00"}`},
		{"an own __proto__ key is data", `{"json":[["__proto__",1]],"meta":{"values":["map"],"v":1}}`, `{"json":[["__proto__",1]],"meta":{"values":["map"],"v":1}}`},
		{"a Map pair cut short", `{"json":[[1],[]],"meta":{"values":["map"],"v":1}}`, `{"json":[[1,null],[null,null]],"meta":{"values":["map",{"0.1":["undefined"],"1.0":["undefined"],"1.1":["undefined"]}],"v":1}}`},
		{"a Set of null", `{"json":{"a":null,"b":null},"meta":{"values":{"a":["set"],"b":["map"]},"v":1}}`, `{"json":{"a":[],"b":[]},"meta":{"values":{"a":["set"],"b":["map"]},"v":1}}`},
		{"an annotation after its Set", `{"json":{"a":[1,2]},"meta":{"values":{"a":["set"],"a.0":["Date"]},"v":1}}`, `{"json":{"a":["1970-01-01T00:00:00.001Z",2]},"meta":{"values":{"a":["set",{"0":["Date"]}]},"v":1}}`},
		{"a Set that collapses later", `{"json":{"a":[1,2,3],"x":3},"meta":{"values":{"a":["set"]},"referentialEqualities":{"x":["a.0"]},"v":1}}`, `{"json":{"a":[3,2],"x":3},"meta":{"values":{"a":["set"]},"v":1}}`},
		{"beyond the end of a list", `{"json":[1],"meta":{"values":{"3":["undefined"],"01":["Date"]},"v":1}}`, `{"json":[1]}`},
		{"created keys in order", `{"json":{"b":1},"meta":{"values":{"a":["undefined"],"7":["undefined"]},"v":1}}`, `{"json":{"7":null,"b":1,"a":null},"meta":{"values":{"7":["undefined"],"a":["undefined"]},"v":1}}`},
		{"numbers from text", `{"json":[" 12 ","","0b11","1e3",null,"abc","+5","1_0","0x1p4","inf","-Infinity",true],"meta":{"values":{` + each(12, "number") + `},"v":1}}`, `{"json":[12,0,3,1000,0,"NaN",5,"NaN","NaN","NaN","-Infinity",1],"meta":{"values":{"5":["number"],"7":["number"],"8":["number"],"9":["number"],"10":["number"]},"referentialEqualities":{"5":["7","8","9"]},"v":1}}`},
		{"bigints from text", `{"json":[" 12 ","","-5","0x1F",true,1e21],"meta":{"values":{` + each(6, "bigint") + `},"v":1}}`, `{"json":["12","0","-5","31","1","1000000000000000000000"],"meta":{"values":{"0":["bigint"],"1":["bigint"],"2":["bigint"],"3":["bigint"],"4":["bigint"],"5":["bigint"]},"v":1}}`},
		{"a regexp that needs escapes", `{"json":"/[/]a/b\n/mig","meta":{"values":["regexp"],"v":1}}`, `{"json":"/[/]a\\/b\\n/gim","meta":{"values":["regexp"],"v":1}}`},
		{"an empty regexp", `{"json":"//g","meta":{"values":["regexp"],"v":1}}`, `{"json":"/(?:)/g","meta":{"values":["regexp"],"v":1}}`},
		{"old float arrays", `{"json":[null,0],"meta":{"values":[["typed-array","Float64Array"]]}}`, `{"json":[0,0],"meta":{"values":[["typed-array","Float64Array"]],"v":1}}`},
		{"bigint arrays of numbers", `{"json":["-1",7],"meta":{"values":[["typed-array","BigUint64Array"]],"v":1}}`, `{"json":["18446744073709551615","7"],"meta":{"values":[["typed-array","BigUint64Array"]],"v":1}}`},
		{"v as text", `{"json":{"a\\b":null},"meta":{"values":{"a\\\\b":["undefined"]},"v":"1"}}`, `{"json":{"a\\b":null},"meta":{"values":{"a\\\\b":["undefined"]},"v":1}}`},
		{"a representative inside an Error", `{"json":{"e":{"name":"E","message":"m","cause":[["k","1"]]},"x":"1"},"meta":{"values":{"e":["Error",{"cause":["map",{"0.1":["bigint"]}]}],"x":["bigint"]},"referentialEqualities":{"e.cause.0.1":["x","e.cause.0.0"]},"v":1}}`, `{"json":{"e":{"name":"E","message":"m","cause":[["k","1"]]},"x":"1"},"meta":{"values":{"e":["Error",{"cause":["map",{"0.1":["bigint"]}]}],"x":["bigint"]},"referentialEqualities":{"x":["e.cause.0.1"]},"v":1}}`},
		{"a shared part completed later", `{"json":{"x":{"p":{"k":1},"q":null},"z":null},"meta":{"referentialEqualities":{"x":["z"],"x.p":["x.q"]},"v":1}}`, `{"json":{"x":{"p":{"k":1},"q":{"k":1}},"z":{"p":{"k":1},"q":{"k":1}}},"meta":{"referentialEqualities":{"x":["z"],"x.p":["x.q"]},"v":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, reprint(t, tt.text)) })
	}
}

// each annotates the first n items of a list.
func each(n int, typ string) string {
	return joined(n, func(i int) string { return fmt.Sprintf(`"%d":[%q]`, i, typ) })
}

func TestDatesReadLikeJavaScript(t *testing.T) {
	tests := map[string]string{
		"2026":                           "2026-01-01T00:00:00.000Z",
		"2026-02-30":                     "2026-03-02T00:00:00.000Z",
		"+002026-01-01":                  "2026-01-01T00:00:00.000Z",
		"-000001-01-01T00:00:00.000Z":    "-000001-01-01T00:00:00.000Z",
		"+275760-09-13T00:00:00.000Z":    "+275760-09-13T00:00:00.000Z",
		"0000-01-01":                     "0000-01-01T00:00:00.000Z",
		"2026-01-02T24:00:00Z":           "2026-01-03T00:00:00.000Z",
		"2026-01-02t03:04z":              "2026-01-02T03:04:00.000Z",
		"2026-01-02 03:04:05.1Z":         "2026-01-02T03:04:05.100Z",
		"2026-01-02T03:04:05.6789Z":      "2026-01-02T03:04:05.678Z",
		"2026-01-02T03:04:05+02:00":      "2026-01-02T01:04:05.000Z",
		"2026-01-02T03:04:05-2359":       "2026-01-03T03:03:05.000Z",
		"2026-01T03:04Z":                 "2026-01-01T03:04:00.000Z",
		"+275760-09-13T00:00:00.001Z":    "Invalid Date",
		"2026-02-32":                     "Invalid Date",
		"2026-13":                        "Invalid Date",
		"2026-01-02T24:00:01Z":           "Invalid Date",
		"2026-01-02T03Z":                 "Invalid Date",
		"2026-01-02T03:04:05.Z":          "Invalid Date",
		"2026-01-02T03:04:60Z":           "Invalid Date",
		"2026-01-02T03:04:05+24:00":      "Invalid Date",
		"2026-01-02T":                    "Invalid Date",
		"2026-01-":                       "Invalid Date",
		"20é":                            "Invalid Date",
		"":                               "Invalid Date",
		"2026-01-02T03:04:05Z and more":  "Invalid Date",
		"2026-01-02T03:04:05.678ZZ":      "Invalid Date",
		strings.Repeat("9", 100_000):     "Invalid Date",
		"2026-01-02T03:04:05.678+00:00Z": "Invalid Date",
	}
	for text, want := range tests {
		quoted := superjson.AppendJSON(nil, superjson.String(text))
		v, err := superjson.Parse([]byte(`{"json":`+string(quoted)+`,"meta":{"values":["Date"],"v":1}}`), superjson.Limits{})
		require.NoError(t, err)
		require.Equal(t, want, v.(superjson.Date).String(), "%.40s", text)
	}
}

func TestDateCutsToMilliseconds(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	d := superjson.DateOf(time.Date(2026, 1, 2, 4, 4, 5, 678_999_999, zone))
	require.Equal(t, "2026-01-02T03:04:05.678Z", d.String())
	require.Equal(t, time.UTC, d.Time().Location())
	require.Equal(t, "1969-12-31T23:59:59.999Z", superjson.DateOf(time.Unix(0, -1)).String())
	require.False(t, superjson.DateOf(time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC)).Valid())
	require.True(t, superjson.InvalidDate().Time().IsZero())
}

func TestNumbersPrintLikeJavaScript(t *testing.T) {
	tests := map[float64]string{
		0: "0", 1.5: "1.5", 1e21: "1e+21", 1e20: "100000000000000000000", 1e-6: "0.000001", 1e-7: "1e-7",
		1.25e-9: "1.25e-9", -1e-10: "-1e-10", 5e-324: "5e-324", math.MaxFloat64: "1.7976931348623157e+308", 0.30000000000000004: "0.30000000000000004",
	}
	for f, want := range tests {
		require.Equal(t, want, superjson.Float(f).Text())
	}
}

func TestNumberInt64(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"12", 12, true},
		{"12.0", 12, true},
		{"1e3", 1000, true},
		{"-7", -7, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"1.5", 0, false},
		{"1e300", 0, false},
		{"9007199254740993.0", 0, false},
	}
	for _, tt := range tests {
		v, err := superjson.ParseJSON([]byte(tt.text), superjson.Limits{})
		require.NoError(t, err)
		got, ok := v.(superjson.Number).Int64()
		require.Equal(t, tt.ok, ok, tt.text)
		require.Equal(t, tt.want, got, tt.text)
	}
	_, ok := superjson.Float(math.NaN()).Int64()
	require.False(t, ok)
}

func TestTypedArraysConvertLikeJavaScript(t *testing.T) {
	tests := []struct {
		typ        superjson.ArrayType
		give, want []float64
	}{
		{superjson.Int8Array, []float64{128, -129, 1.9, math.NaN(), math.Inf(1)}, []float64{-128, 127, 1, 0, 0}},
		{superjson.Uint16Array, []float64{65536, -1}, []float64{0, 65535}},
		{superjson.Int32Array, []float64{2147483648, 1e20}, []float64{-2147483648, 1661992960}},
		{superjson.Uint8ClampedArray, []float64{300, -5, 0.5, 1.5, math.NaN()}, []float64{255, 0, 0, 2, 0}},
		{superjson.Float32Array, []float64{0.1}, []float64{0.10000000149011612}},
	}
	for _, tt := range tests {
		a, err := superjson.NewTypedArray(tt.typ, tt.give)
		require.NoError(t, err)
		for i, want := range tt.want {
			require.Equal(t, superjson.Float(want), a.At(i), "%s %d", tt.typ, i)
		}
	}
	a, err := superjson.NewTypedArray(superjson.Uint8Array, []float64{math.Copysign(0, -1), -0.5, -256})
	require.NoError(t, err)
	require.Equal(t, `{"json":[0,0,0],"meta":{"values":[["typed-array","Uint8Array"]],"v":1}}`, printed(t, a))

	_, err = superjson.NewTypedArray("Buffer", nil)
	require.ErrorIs(t, err, superjson.ErrConvert)
	_, err = superjson.NewTypedArray(superjson.BigInt64Array, nil)
	require.ErrorIs(t, err, superjson.ErrConvert)
	_, err = superjson.NewBigTypedArray(superjson.Int8Array, nil)
	require.ErrorIs(t, err, superjson.ErrConvert)
}
