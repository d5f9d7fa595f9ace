package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

func TestCheckNamesTheFault(t *testing.T) {
	tests := []struct {
		name, doc string
		want      error
	}{
		{"empty", "", &strictjson.SyntaxError{Offset: 0, Msg: "unexpected end"}},
		{"space only", " \n", &strictjson.SyntaxError{Offset: 2, Msg: "unexpected end"}},
		{"trailing data", `{} {}`, &strictjson.SyntaxError{Offset: 3, Msg: "data after the value"}},
		{"byte order mark", "\ufeff{}", &strictjson.SyntaxError{Offset: 0, Msg: "expected a value"}},
		{"NUL", "\x00", &strictjson.SyntaxError{Offset: 0, Msg: "expected a value"}},
		{"trailing comma in object", `{"a":1,}`, &strictjson.SyntaxError{Offset: 7, Msg: "expected a field name"}},
		{"trailing comma in array", `[1,]`, &strictjson.SyntaxError{Offset: 3, Msg: "expected a value"}},
		{"no colon", `{"a" 1}`, &strictjson.SyntaxError{Offset: 5, Msg: "expected a colon"}},
		{"no comma", `[1 2]`, &strictjson.SyntaxError{Offset: 3, Msg: "expected a comma or the end of the array"}},
		{"wrong closing", `{"a":1]`, &strictjson.SyntaxError{Offset: 6, Msg: "expected a comma or the end of the object"}},
		{"leading zero", `01`, &strictjson.SyntaxError{Offset: 1, Msg: "data after the value"}},
		{"plus", `+1`, &strictjson.SyntaxError{Offset: 0, Msg: "expected a value"}},
		{"minus alone", `-x`, &strictjson.SyntaxError{Offset: 1, Msg: "expected a digit"}},
		{"point without digit", `[1.]`, &strictjson.SyntaxError{Offset: 3, Msg: "expected a digit after the decimal point"}},
		{"exponent without digit", `[1e+]`, &strictjson.SyntaxError{Offset: 4, Msg: "expected a digit in the exponent"}},
		{"NaN", `NaN`, &strictjson.SyntaxError{Offset: 0, Msg: "expected a value"}},
		{"half a word", `[nul]`, &strictjson.SyntaxError{Offset: 4, Msg: "expected null"}},
		{"open string", `"abc`, &strictjson.SyntaxError{Offset: 4, Msg: "unexpected end"}},
		{"raw newline", "\"a\nb\"", &strictjson.SyntaxError{Offset: 2, Msg: "control character in a string"}},
		{"unknown escape", `"\x"`, &strictjson.SyntaxError{Offset: 2, Msg: "unknown escape"}},
		{"short unicode escape", `"\u12g4"`, &strictjson.SyntaxError{Offset: 2, Msg: "expected four hexadecimal digits"}},
		{"invalid UTF-8", "\"\xff\"", strictjson.ErrInvalidUTF8},
		{"overlong UTF-8", "\"\xc0\xaf\"", strictjson.ErrInvalidUTF8},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", strictjson.ErrInvalidUTF8},
		{"long number", strings.Repeat("1", strictjson.MaxNumberBytes+1), strictjson.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, strictjson.Check([]byte(tt.doc), strictjson.Limits{}))
			if tt.name != "long number" && tt.want != strictjson.ErrInvalidUTF8 {
				require.False(t, json.Valid([]byte(tt.doc)))
			}
		})
	}
}

func TestCheckAccepts(t *testing.T) {
	for _, doc := range []string{
		` {"a" : [ 1 , -0 , 1e400 , 0.5E-3 , true , false , null ] } `,
		`"\ud800"`, `"\ud83d\ude00"`, "\"\u2028\"", `""`, `0`, `[]`, `{"":{}}`,
		strings.Repeat("9", strictjson.MaxNumberBytes),
	} {
		require.NoError(t, strictjson.Check([]byte(doc), strictjson.Limits{}), doc)
	}
}

func TestCheckBoundsSizeAndDepth(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	require.NoError(t, strictjson.Check(nested(512), strictjson.Limits{}))
	require.Equal(t, strictjson.ErrTooDeep, strictjson.Check(nested(513), strictjson.Limits{}))
	require.Equal(t, strictjson.ErrTooDeep, strictjson.Check([]byte(`{"a":[0]}`), strictjson.Limits{MaxDepth: 1}))
	require.NoError(t, strictjson.Check([]byte(`{"a":0}`), strictjson.Limits{MaxDepth: 1}))

	require.NoError(t, strictjson.Check([]byte(`"abc"`), strictjson.Limits{MaxBytes: 5}))
	require.Equal(t, strictjson.ErrTooLarge, strictjson.Check([]byte(`"abcd"`), strictjson.Limits{MaxBytes: 5}))
	big := make([]byte, strictjson.DefaultLimits().MaxBytes+1)
	require.Equal(t, strictjson.ErrTooLarge, strictjson.Check(big, strictjson.Limits{}))
}

func TestCheckDoesNotAllocate(t *testing.T) {
	doc := []byte(`{"type":"message","payload":{"body":"grüße \u0041","n":[1,2.5e3,null]}}`)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if strictjson.Check(doc, strictjson.Limits{}) != nil {
			t.Error("refused")
		}
	}))
}

func BenchmarkCheck(b *testing.B) {
	doc := []byte(`{"type":"message","room_id":"room_1","bridge_id":null,"channel_type":"channel_public","payload":{"addressed":true,"sender":"agt_1","body":"` +
		strings.Repeat("hello, world ", 20) + `","timestamp":1790000000000},"sequence":4813}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if err := strictjson.Check(doc, strictjson.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWholeText: with it, half of a surrogate pair is an error wherever it stands, and a pair is none.
func TestWholeText(t *testing.T) {
	whole := strictjson.Limits{WholeText: true}
	for _, doc := range []string{`"\ud800"`, `"\udc00"`, `"\udc00\ud800"`, `{"\ud800":1}`, `[{"a":"x\uD83Dy"}]`} {
		var v any
		require.Equal(t, strictjson.ErrLoneSurrogate, strictjson.Check([]byte(doc), whole), doc)
		require.Equal(t, strictjson.ErrLoneSurrogate, strictjson.UnmarshalLimits([]byte(doc), &v, whole), doc)
		require.NoError(t, strictjson.UnmarshalLimits([]byte(doc), &v, strictjson.Limits{}), doc)
	}
	for _, doc := range []string{`"\ud83d\ude00"`, `"\\ud800"`, "\"\ufffd\"", `"\ufffd"`} {
		require.NoError(t, strictjson.Check([]byte(doc), whole), doc)
	}
}
