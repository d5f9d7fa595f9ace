package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

func addDocuments(f *testing.F) {
	f.Helper()
	for _, doc := range []string{
		`{"name":"a","i":9007199254740993,"u":9223372036854775807,"in":{"n":1,"f":1e400}}`,
		`{"any":[-0,1e400,2.50],"name":"a","name":"b"}`,
		`{"name":"\ud800\ud83d\ude00","strs":{"\udc00":"\u2028"}}`,
		`{"i":21000000000000000000}`, `{"i32":5000000000}`, `{"u":30000000000000000000}`,
		`{"raw": {"a" : [ 1 ]} ,"x":0.1e50,"nums":[1,2,3],"objs":[{"n":1},null]}`,
		`{"map":{"a":1,"a":2},"ptr":{"n":5},"ptr":{"f":1}}`,
		"\"\u2028\"", `[]`, `null`, ` 1 `, `{"a":1,}`, "\"\xff\"", `{"f32":1e39,"small":200,"alias":null}`,
	} {
		f.Add([]byte(doc))
	}
}

// FuzzCheck shows that Check accepts what encoding/json holds valid, but for
// the bounds and for UTF-8, which encoding/json repairs.
func FuzzCheck(f *testing.F) {
	addDocuments(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := strictjson.Check(doc, strictjson.Limits{MaxBytes: 1 << 30, MaxDepth: 9_999})
		if errors.Is(err, strictjson.ErrTooDeep) || errors.Is(err, strictjson.ErrTooLarge) {
			t.Skip()
		}
		if errors.Is(err, strictjson.ErrInvalidUTF8) {
			require.NotEqual(t, string(doc), strings.ToValidUTF8(string(doc), "\ufffd"))
			return
		}
		require.Equal(t, json.Valid(doc), err == nil, "%v", err)
	})
}

// FuzzDecode shows that a document decodes into the same values as with
// encoding/json.
func FuzzDecode(f *testing.F) {
	addDocuments(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		if strictjson.Check(doc, strictjson.Limits{}) != nil {
			t.Skip()
		}
		if foreignCase(doc) {
			t.Skip()
		}
		var got, want sample
		err := strictjson.Unmarshal(doc, &got)
		dec := json.NewDecoder(bytes.NewReader(doc))
		dec.UseNumber()
		stdErr := dec.Decode(&want)
		if err != nil && stdErr == nil {
			require.Regexp(t, `[0-9][eE]\+?[0-9]`, string(doc), "refused without need: %v", err)
			return
		}
		require.Equal(t, stdErr == nil, err == nil, "%v / %v", stdErr, err)
		if err != nil {
			return
		}
		if bytes.Contains(doc, []byte(`\u`)) || bytes.Contains(doc, []byte(`\U`)) {
			got.Raw, want.Raw = nil, nil // lone surrogates in it are replaced
		}
		require.Equal(t, want, got)
	})
}

// foreignCase reports whether a name in doc differs from a field's only in
// case, which encoding/json takes for the field.
func foreignCase(doc []byte) bool {
	found := false
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return found
		}
		if name, ok := token.(string); ok {
			for _, field := range []string{
				"name", "alias", "on", "i", "u", "small", "i32", "f32", "raw", "tags", "nums", "in", "ptr", "map", "any", "objs", "strs", "n", "f",
			} {
				found = found || name != field && strings.EqualFold(name, field)
			}
		}
	}
}

// FuzzEncode shows that what is decoded comes back as encoding/json writes it.
func FuzzEncode(f *testing.F) {
	addDocuments(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		var v any
		if strictjson.Unmarshal(doc, &v) != nil {
			t.Skip()
		}
		got, err := strictjson.Marshal(v)
		require.NoError(t, err)
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(v))
		if strings.Contains(want.String(), `\\`) {
			return // the replacer below can not tell an escaped backslash
		}
		std := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(want.String(), "\n"))
		require.Equal(t, std, string(got))
		again, err := strictjson.Marshal(json.RawMessage(got))
		require.NoError(t, err)
		require.Equal(t, string(got), string(again))
	})
}

// FuzzFloat shows that floats survive exactly.
func FuzzFloat(f *testing.F) {
	for _, n := range []float64{0, 0.1, 1e-7, 1e21, 5e-324, 9007199254740993} {
		f.Add(n, float32(n))
	}
	f.Fuzz(func(t *testing.T, f64 float64, f32 float32) {
		in := struct {
			A float64 `json:"a"`
			B float32 `json:"b"`
		}{f64, f32}
		want, stdErr := json.Marshal(in)
		got, err := strictjson.Marshal(in)
		require.Equal(t, stdErr == nil, err == nil)
		if err != nil {
			return
		}
		require.Equal(t, string(want), string(got))
		back := in
		back.A, back.B = 1, 1
		require.NoError(t, strictjson.Unmarshal(got, &back))
		require.Equal(t, in, back)
	})
}

// FuzzDecodeObject shows that the fields of an object, and the elements of an array, are those that encoding/json finds.
func FuzzDecodeObject(f *testing.F) {
	addDocuments(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		if got, err := strictjson.DecodeArray(doc); err == nil {
			var want []json.RawMessage
			require.NoError(t, json.Unmarshal(doc, &want))
			require.Equal(t, want, got)
		}
		got, err := strictjson.DecodeObject(doc)
		if err != nil {
			t.Skip()
		}
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(doc, &want))
		require.Equal(t, want, got)
	})
}
