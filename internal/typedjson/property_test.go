package typedjson_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/internal/typedjson"
)

func itoa(i int) string { return strconv.Itoa(i) }

// genValue draws a value of any type.
func genValue(depth int) *rapid.Generator[typedjson.Value] {
	return rapid.Custom(func(rt *rapid.T) typedjson.Value {
		kinds := []typedjson.Kind{
			typedjson.Null, typedjson.Bool, typedjson.Number, typedjson.String, typedjson.Undefined, typedjson.Date,
			typedjson.BigInt, typedjson.RegExp, typedjson.URL, typedjson.TypedArray,
		}
		if depth > 0 {
			kinds = append(kinds, typedjson.Array, typedjson.Object, typedjson.Object, typedjson.Object, typedjson.Map, typedjson.Set, typedjson.Error)
		}
		v := typedjson.Value{Kind: rapid.SampledFrom(kinds).Draw(rt, "kind")}
		one := func(of ...string) string { return rapid.SampledFrom(of).Draw(rt, "text") }
		part := func() typedjson.Value { return genValue(depth-1).Draw(rt, "part") }
		switch v.Kind {
		case typedjson.Bool:
			v.Text = one("true", "false")
		case typedjson.Number:
			v.Text = one("0", "-0", "1.50", "1e9", "NaN", "Infinity", "-Infinity", "12345678901234567890")
		case typedjson.String:
			v.Text = rapid.String().Draw(rt, "string")
		case typedjson.Date:
			v.Text = one("", "2026-01-02T03:04:05.678Z", "+010000-01-01T00:00:00.000Z")
		case typedjson.BigInt:
			v.Text = one("0", "-1", "123456789012345678901234567890")
		case typedjson.RegExp:
			v.Text = one("/a/", "/(?:)/g")
		case typedjson.URL:
			v.Text = one("https://example.com/")
		case typedjson.TypedArray:
			v.Text, v.Items = "Uint8Array", []typedjson.Value{{Kind: typedjson.Number, Text: one("1", "255")}}
		case typedjson.Error:
			v.Members = []typedjson.Member{
				{Key: "name", Value: typedjson.Value{Kind: typedjson.String, Text: "Error"}},
				{Key: "message", Value: typedjson.Value{Kind: typedjson.String, Text: "m"}},
			}
			if rapid.Bool().Draw(rt, "caused") {
				v.Members = append(v.Members, typedjson.Member{Key: "cause", Value: part()})
			}
		case typedjson.Object:
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "$date", "$x", "", "7"}), 0, 4, rapid.ID[string]).Draw(rt, "keys")
			for _, key := range keys {
				v.Members = append(v.Members, typedjson.Member{Key: key, Value: part()})
			}
		case typedjson.Array, typedjson.Set, typedjson.Map:
			n := rapid.IntRange(0, 3).Draw(rt, "items")
			if v.Kind == typedjson.Map {
				n *= 2
			}
			for range n {
				v.Items = append(v.Items, part())
			}
		}
		return v
	})
}

func genObject() *rapid.Generator[typedjson.Value] {
	return genValue(3).Filter(func(v typedjson.Value) bool { return v.Kind == typedjson.Object })
}

func TestWhatIsPrintedIsReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := genValue(3).Draw(rt, "value")
		text := v.Append(nil)
		back, err := typedjson.Parse(text, typedjson.Limits{})
		require.NoError(rt, err, "%s", text)
		require.True(rt, typedjson.Equal(v, back))
		require.Equal(rt, string(text), string(back.Append(nil)))
		require.True(rt, json.Valid(v.AppendPlain(nil)))
	})
}

// TestCheckMeasuresAsParseDoes: a value that was built is within limits exactly when its text is.
func TestCheckMeasuresAsParseDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := genValue(3).Draw(rt, "value")
		lim := typedjson.Limits{
			Bytes: rapid.IntRange(1, 200).Draw(rt, "bytes"), Depth: rapid.IntRange(1, 8).Draw(rt, "depth"),
			Members: rapid.IntRange(1, 30).Draw(rt, "members"),
		}
		_, err := typedjson.Parse(v.Append(nil), lim)
		if err == nil {
			require.NoError(rt, v.Check(lim))
		} else {
			require.Error(rt, v.Check(lim), "%v", err)
		}
	})
}

// TestDiffLeadsThere: from any state to any other there is a patch.
func TestDiffLeadsThere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		from := typedjson.Merge(typedjson.Value{}, genObject().Draw(rt, "from"))
		to := typedjson.Merge(typedjson.Value{}, genObject().Draw(rt, "to"))
		patch := typedjson.Diff(from, to)
		got := typedjson.Merge(from, patch)
		require.True(rt, typedjson.Equal(to, got), "%s + %s = %s, not %s", from.Append(nil), patch.Append(nil), got.Append(nil), to.Append(nil))
		require.Equal(rt, typedjson.Equal(from, to), len(patch.Members) == 0)
		// A patch can be read back: it is a plain object whatever its keys.
		back, err := typedjson.Parse(patch.Append(nil), typedjson.Limits{})
		require.NoError(rt, err)
		require.True(rt, typedjson.Equal(patch, back))
	})
}

// TestNoNullIsLeft: whatever patches came, no key of a plain object is null, so that a patch can lead from any state to any
// other.
func TestNoNullIsLeft(t *testing.T) {
	var nulls func(v typedjson.Value) bool
	nulls = func(v typedjson.Value) bool {
		if v.Kind != typedjson.Object {
			return false
		}
		for _, m := range v.Members {
			if m.Value.Kind == typedjson.Null || nulls(m.Value) {
				return true
			}
		}
		return false
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := typedjson.Value{Kind: typedjson.Object}
		for range rapid.IntRange(1, 4).Draw(rt, "steps") {
			v = typedjson.Merge(v, genObject().Draw(rt, "patch"))
			require.False(rt, nulls(v))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0,1e9,"\ud800"],"$x":{"$date":null}}`, `{"$map":[[{"$set":[]},{"$bigint":"1"}]]}`, `{"$object":{"$object":{"$url":"x"}}}`,
		`{"$error":{"name":"a","message":"b","cause":null}}`, `{"$array":["Float64Array",[{"$number":"NaN"}]]}`, `{"$date":"+275760-09-13T00:00:00.000Z"}`,
	} {
		f.Add([]byte(seed))
	}
	lim := typedjson.Limits{Bytes: 4096, Depth: 16, Members: 256}
	f.Fuzz(func(t *testing.T, text []byte) {
		if plain, err := typedjson.FromPlain(text, lim); err == nil {
			again, err := typedjson.Parse(plain.Append(nil), lim)
			require.NoError(t, err)
			require.True(t, typedjson.Equal(plain, again))
		}
		v, err := typedjson.Parse(text, lim)
		if err != nil {
			return
		}
		printed := v.Append(nil)
		again, err := typedjson.Parse(printed, typedjson.Limits{Bytes: 8 * len(printed), Depth: 64, Members: 1024})
		require.NoError(t, err)
		require.Equal(t, string(printed), string(again.Append(nil)))
		require.True(t, json.Valid(v.AppendPlain(nil)))
	})
}
