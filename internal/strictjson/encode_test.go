package strictjson_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

type rawMarshaler string

func (m rawMarshaler) MarshalJSON() ([]byte, error) { return []byte(m), nil }

type list []int

func (l list) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return strictjson.Marshal([]int(l))
}

type table map[string]int

func (table) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

func TestMarshalWritesExactBytes(t *testing.T) {
	text := "x"
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"no HTML escaping", map[string]string{"<a>": "&'\u2028\u007f"}, "{\"<a>\":\"&'\u2028\u007f\"}"},
		{"sorted keys", map[string]int{"b": 1, "a": 2, "B": 3, "é": 4}, `{"B":3,"a":2,"b":1,"é":4}`},
		{"escapes", "\b\f\n\r\t\"\\\x00\x1f/", `"\b\f\n\r\t\"\\\u0000\u001f/"`},
		{"invalid UTF-8", "a\xffb", `"a\ufffdb"`},
		{"floats", []float64{2, 0.1, 1e-7, 1e21, 123456789.125, math.MaxFloat64, math.Copysign(0, -1)}, `[2,0.1,1e-7,1e+21,123456789.125,1.7976931348623157e+308,-0]`},
		{"float32", []float32{0.1, 1e-7, 3.4e38}, `[0.1,1e-7,3.4e+38]`},
		{"integers", []any{int64(math.MaxInt64), uint64(math.MaxUint64), int8(-1)}, `[9223372036854775807,18446744073709551615,-1]`},
		{"nil and empty", []any{nil, []string(nil), []string{}, map[string]int(nil), map[string]int{}, json.RawMessage(nil)}, `[null,null,[],null,{},null]`},
		{"raw is made compact", struct {
			R json.RawMessage `json:"r"`
		}{json.RawMessage("{ \"a\": [1,\n2], \"b\": \" \" }")}, `{"r":{"a":[1,2],"b":" "}}`},
		{"marshaler is made compact", []any{rawMarshaler("{\n}")}, `[{}]`},
		{"raw in a map", map[string]json.RawMessage{"a": json.RawMessage(" 1 ")}, `{"a":1}`},
		{"nil marshalers are asked", struct {
			L list  `json:"l"`
			M table `json:"m"`
			F list  `json:"f"`
			P *list `json:"p"`
			E list  `json:"e,omitempty"`
		}{F: list{1}}, `{"l":[],"m":{},"f":[1],"p":null}`},
		{"nil marshaler alone", list(nil), `[]`},
		{"struct of one map", struct {
			M table `json:"m"`
		}{table{"a": 1}}, `{"m":{}}`},
		{"optional", struct {
			A *string `json:"a"`
			B *string `json:"b,omitempty"`
			C *string `json:"c"`
			D string  `json:"d,omitempty"`
		}{C: &text}, `{"a":null,"c":"x"}`},
		{"time", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), `"2026-01-02T03:04:05Z"`},
		{"bytes", []byte("hi"), `"aGk="`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := strictjson.Append([]byte("before|"), tt.in)
			require.NoError(t, err)
			require.Equal(t, "before|"+tt.want, string(got))
			require.True(t, json.Valid([]byte(tt.want)))
		})
	}
}

func TestMarshalRefuses(t *testing.T) {
	type holder struct {
		V any `json:"v"`
	}
	for name, in := range map[string]any{
		"NaN":             math.NaN(),
		"infinity":        []float64{math.Inf(1)},
		"float32 NaN":     float32(math.NaN()),
		"function":        func() {},
		"broken raw":      json.RawMessage(`{"a":`),
		"empty raw":       json.RawMessage{},
		"two raw":         json.RawMessage(`1 2`),
		"raw not UTF-8":   json.RawMessage("\"\xff\""),
		"broken number":   json.Number("abc"),
		"marshaler":       rawMarshaler("nope"),
		"nested":          map[string]any{"a": []any{holder{json.RawMessage("x")}}},
		"frame injection": holder{json.RawMessage("1\n\ndata: evil")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := strictjson.Append([]byte("kept"), in)
			require.Error(t, err)
			require.Equal(t, "kept", string(got))
			got, err = strictjson.Marshal(in)
			require.Error(t, err)
			require.Nil(t, got)
		})
	}
}

func TestAppendStringAgreesWithMarshal(t *testing.T) {
	for _, s := range []string{"", "plain", "<&>\u2029", "\xff\xfe", "a\"b\\c\n", "grüße 😀"} {
		viaMarshal, err := strictjson.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, string(viaMarshal), string(strictjson.AppendString(nil, s)))
		var back, std string
		require.NoError(t, strictjson.Unmarshal(viaMarshal, &back))
		stdBytes, err := json.Marshal(s)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(stdBytes, &std))
		require.Equal(t, std, back)
	}
}

func BenchmarkAppend(b *testing.B) {
	v := sample{Name: "hello, world", I: 4813, Raw: json.RawMessage(`{"a":1}`), Tags: []string{"a", "b"}}
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = strictjson.Append(buf[:0], &v); err != nil {
			b.Fatal(err)
		}
	}
}
