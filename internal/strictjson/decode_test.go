package strictjson_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

type inner struct {
	N    int64   `json:"n"`
	List []uint8 `json:"-"`
	F    float64 `json:"f"`
}

type sample struct {
	Name  string            `json:"name"`
	Alias *string           `json:"alias"`
	On    bool              `json:"on"`
	I     int64             `json:"i"`
	U     uint64            `json:"u"`
	Small int8              `json:"small"`
	I32   int32             `json:"i32"`
	F32   float32           `json:"f32"`
	Raw   json.RawMessage   `json:"raw"`
	Tags  []string          `json:"tags"`
	Nums  []int             `json:"nums"`
	In    inner             `json:"in"`
	Ptr   *inner            `json:"ptr"`
	Map   map[string]int64  `json:"map"`
	Any   any               `json:"any"`
	Objs  []inner           `json:"objs"`
	Strs  map[string]string `json:"strs"`
}

func TestIntegersNeverWrapRound(t *testing.T) {
	for _, doc := range []string{
		`{"i":21000000000000000000}`, `{"i":9223372036854775808}`, `{"i":-9223372036854775809}`,
		`{"u":30000000000000000000}`, `{"u":18446744073709551616}`, `{"u":-1}`, `{"u":-0}`,
		`{"i":1.0}`, `{"i":1e3}`, `{"i32":5000000000}`, `{"i32":2147483648}`, `{"small":128}`, `{"small":-129}`,
	} {
		var got sample
		var wrong *strictjson.TypeError
		require.ErrorAs(t, strictjson.Unmarshal([]byte(doc), &got), &wrong, doc)
		require.Equal(t, "integer", wrong.Want)
		require.Equal(t, "number", wrong.Got)
	}
	var got sample
	require.NoError(t, strictjson.Unmarshal([]byte(`{"i":9007199254740993,"u":18446744073709551615,"small":-128,"i32":-0}`), &got))
	require.Equal(t, int64(9007199254740993), got.I)
	require.Equal(t, uint64(math.MaxUint64), got.U)
	require.Equal(t, int8(-128), got.Small)

	require.NoError(t, strictjson.Unmarshal([]byte(`{"i":9223372036854775807}`), &got))
	require.Equal(t, int64(math.MaxInt64), got.I)
}

func TestFloats(t *testing.T) {
	var got inner
	require.NoError(t, strictjson.Unmarshal([]byte(`{"f":-0}`), &got))
	require.True(t, math.Signbit(got.F))
	require.NoError(t, strictjson.Unmarshal([]byte(`{"f":0.1}`), &got))
	require.Equal(t, 0.1, got.F)
	require.Error(t, strictjson.Unmarshal([]byte(`{"f":1e400}`), &got))

	var f32 struct {
		F float32 `json:"f"`
	}
	// Rounding to a float64 first would give the neighbour.
	const between = "1.00000017881393432617187499"
	require.NoError(t, strictjson.Unmarshal([]byte(`{"f":`+between+`}`), &f32))
	require.Equal(t, float32(1.0000001), f32.F)
}

func TestInterfacesKeepDigits(t *testing.T) {
	var got any
	require.NoError(t, strictjson.Unmarshal([]byte(`[9007199254740993,1e400,-0,1.50]`), &got))
	require.Equal(t, []any{json.Number("9007199254740993"), json.Number("1e400"), json.Number("-0"), json.Number("1.50")}, got)
	back, err := strictjson.Marshal(got)
	require.NoError(t, err)
	require.Equal(t, `[9007199254740993,1e400,-0,1.50]`, string(back))
}

func TestNamesAreCaseSensitiveAndUnknownOnesIgnored(t *testing.T) {
	var got sample
	require.NoError(t, strictjson.Unmarshal([]byte(`{"Name":"A","n\u0061me":"c","NAME":"B","x":{"name":"d"}}`), &got))
	require.Equal(t, "c", got.Name)

	var small inner
	require.NoError(t, strictjson.Unmarshal([]byte(`{"n":1,"N":2}`), &small))
	require.Equal(t, int64(1), small.N)
}

func TestRepeatedFieldLastWins(t *testing.T) {
	var got sample
	require.NoError(t, strictjson.Unmarshal([]byte(`{"name":"a","name":"b","raw":1,"raw":2}`), &got))
	require.Equal(t, "b", got.Name)
	require.Equal(t, "2", string(got.Raw))
}

func TestNull(t *testing.T) {
	alias := "x"
	got := sample{Name: "kept", I: 7, Alias: &alias, Tags: []string{"x"}, On: true}
	require.NoError(t, strictjson.Unmarshal([]byte(`{"name":null,"i":null,"alias":null,"tags":null,"raw": null,"on":null,"in":null}`), &got))
	require.Equal(t, sample{Name: "kept", I: 7, On: true, Raw: json.RawMessage("null")}, got)
}

func TestSurrogates(t *testing.T) {
	for doc, want := range map[string]string{
		`"\ud83d\ude00"`:       "😀",
		`"\ud800"`:             "\ufffd",
		`"\udc00x"`:            "\ufffdx",
		`"\ud800\u0041"`:       "\ufffdA",
		`"\ud800\ud83d\ude00"`: "\ufffd😀",
		`"\\ud800\ud800"`:      `\ud800` + "\ufffd",
		`"\u2028\ud800\n"`:     "\u2028\ufffd\n",
	} {
		var got, std string
		require.NoError(t, strictjson.Unmarshal([]byte(doc), &got))
		require.NoError(t, json.Unmarshal([]byte(doc), &std))
		require.Equal(t, want, got, doc)
		require.Equal(t, std, got, doc)
	}
}

func TestTypeErrorsNameTheField(t *testing.T) {
	tests := []struct {
		doc  string
		want strictjson.TypeError
	}{
		{`{"name":5}`, strictjson.TypeError{Field: "name", Want: "string", Got: "number"}},
		{`{"alias":{}}`, strictjson.TypeError{Field: "alias", Want: "string", Got: "object"}},
		{`{"on":"true"}`, strictjson.TypeError{Field: "on", Want: "boolean", Got: "string"}},
		{`{"i":"5"}`, strictjson.TypeError{Field: "i", Want: "integer", Got: "string"}},
		{`{"i":true}`, strictjson.TypeError{Field: "i", Want: "integer", Got: "boolean"}},
		{`{"in":{"f":[]}}`, strictjson.TypeError{Field: "in.f", Want: "number", Got: "array"}},
		{`{"tags":"a"}`, strictjson.TypeError{Field: "tags", Want: "array", Got: "string"}},
		{`{"ptr":[1]}`, strictjson.TypeError{Field: "ptr", Want: "object", Got: "array"}},
		{`[]`, strictjson.TypeError{Want: "object", Got: "array"}},
	}
	for _, tt := range tests {
		var got sample
		var wrong *strictjson.TypeError
		require.ErrorAs(t, strictjson.Unmarshal([]byte(tt.doc), &got), &wrong, tt.doc)
		require.Equal(t, tt.want, *wrong, tt.doc)
	}
	require.Equal(t, `strictjson: field "name": got number, want string`,
		(&strictjson.TypeError{Field: "name", Want: "string", Got: "number"}).Error())
	require.Equal(t, "strictjson: got array, want object", (&strictjson.TypeError{Want: "object", Got: "array"}).Error())
}

func TestErrorsDoNotQuoteTheDocument(t *testing.T) {
	for _, doc := range []string{`{"name":{"s3cret":1}}`, `{"i":"s3cret"}`, `{"name":"s3cret`, `{"f32":1e99,"name":"s3cret"}`, `["s3cret"] s3cret`} {
		var got sample
		err := strictjson.Unmarshal([]byte(doc), &got)
		require.Error(t, err, doc)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

type picky struct{}

var errPicky = errors.New("picky")

func (*picky) UnmarshalJSON([]byte) error { return errPicky }

func TestUnmarshalerErrorsAreWrapped(t *testing.T) {
	var got struct {
		P picky `json:"p"`
	}
	require.ErrorIs(t, strictjson.Unmarshal([]byte(`{"p":1}`), &got), errPicky)
}

func TestUnmarshalRefusesBadTargets(t *testing.T) {
	require.Error(t, strictjson.Unmarshal([]byte(`{}`), nil))
	require.Error(t, strictjson.Unmarshal([]byte(`{}`), sample{}))
	require.Error(t, strictjson.Unmarshal([]byte(`{}`), (*sample)(nil)))
}

func TestJSONNumberIsNotAString(t *testing.T) {
	var got struct {
		N json.Number `json:"n"`
	}
	require.Error(t, strictjson.Unmarshal([]byte(`{"n":"5"}`), &got))
	require.NoError(t, strictjson.Unmarshal([]byte(`{"n":5}`), &got))
	require.Equal(t, json.Number("5"), got.N)
}

// json-iterator can not skip these in an unknown field. That is a refusal, never a wrong value.
func TestSkippedNumbersBeyondFloatAreRefused(t *testing.T) {
	var got sample
	for _, literal := range []string{"1e400", "0.1e50", "-1e400", strings.Repeat("1", 1000) + "e9"} {
		require.Error(t, strictjson.Unmarshal([]byte(`{"x":`+literal+`,"name":"a"}`), &got), literal)
		require.NoError(t, strictjson.Unmarshal([]byte(`{"raw":[`+literal+`]}`), &got), literal)
		require.Equal(t, "["+literal+"]", string(got.Raw))
		fields, err := strictjson.DecodeObject([]byte(`{"x":` + literal + `}`))
		require.NoError(t, err)
		require.Equal(t, literal, string(fields["x"]))
	}
	require.NoError(t, strictjson.Unmarshal([]byte(`{"x":`+strings.Repeat("1", 1000)+`,"y":1e308,"raw":0e9}`), &got))
}

func TestDecodeObject(t *testing.T) {
	data := []byte(` { "a" : 1 , "b\u0062":{"x":[ 1 ]}, "a":"\ud800", "":null } `)
	got, err := strictjson.DecodeObject(data)
	require.NoError(t, err)
	require.Equal(t, map[string]json.RawMessage{
		"a": json.RawMessage(`"\ud800"`), "bb": json.RawMessage(`{"x":[ 1 ]}`), "": json.RawMessage(`null`),
	}, got)
	clear(data)
	require.Equal(t, `null`, string(got[""]))

	got, err = strictjson.DecodeObject([]byte(`{}`))
	require.NoError(t, err)
	require.Empty(t, got)

	for doc, kind := range map[string]string{`[]`: "array", ` "x"`: "string", `-1`: "number", `true`: "boolean", `null`: "null"} {
		_, err := strictjson.DecodeObject([]byte(doc))
		require.Equal(t, &strictjson.TypeError{Want: "object", Got: kind}, err)
	}
	_, err = strictjson.DecodeObject([]byte(`{"a":}`))
	var syntax *strictjson.SyntaxError
	require.ErrorAs(t, err, &syntax)
	_, err = strictjson.DecodeObjectLimits([]byte(`{"a":[[]]}`), strictjson.Limits{MaxDepth: 2})
	require.ErrorIs(t, err, strictjson.ErrTooDeep)
}

func TestDecodeArray(t *testing.T) {
	data := []byte(` [ 1 , {"x":[ 1 ]} ,"\ud800", null ] `)
	got, err := strictjson.DecodeArray(data)
	require.NoError(t, err)
	require.Equal(t, []json.RawMessage{
		json.RawMessage(`1`), json.RawMessage(`{"x":[ 1 ]}`), json.RawMessage(`"\ud800"`), json.RawMessage(`null`),
	}, got, "as they were written")
	clear(data)
	require.Equal(t, `null`, string(got[3]))

	got, err = strictjson.DecodeArray([]byte(`[ ]`))
	require.NoError(t, err)
	require.Empty(t, got)

	_, err = strictjson.DecodeArray([]byte(`{"a":1}`))
	require.Equal(t, &strictjson.TypeError{Want: "array", Got: "object"}, err)
	_, err = strictjson.DecodeArray([]byte(`[1,]`))
	var syntax *strictjson.SyntaxError
	require.ErrorAs(t, err, &syntax)
}
