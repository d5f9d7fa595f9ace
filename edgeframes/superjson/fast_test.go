package superjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/edgeframes/superjson"
)

// agree fails unless the fast way gives up or says what the slow one says, also when it
// knows the text already.
func agree(t require.TestingT, codec superjson.Codec, text []byte) (fast bool) {
	first := agreeOnce(t, codec, text)
	again := agreeOnce(t, codec, text)
	require.Equal(t, first, again, "%s", text)
	return first
}

func agreeOnce(t require.TestingT, codec superjson.Codec, text []byte) (fast bool) {
	want, wantErr := codec.ParseSlow(text)
	got, ok, err := codec.ParseFast(text)
	if !ok {
		return false
	}
	require.Equal(t, wantErr == nil, err == nil, "%s: slow %v, fast %v", text, wantErr, err)
	if err != nil {
		return true
	}
	require.True(t, superjson.Equal(want, got), "%s", text)
	wanted, wantErr := codec.Append(nil, want)
	printed, err := codec.Append(nil, got)
	require.Equal(t, wantErr == nil, err == nil, "%s", text)
	require.Equal(t, string(wanted), string(printed), "%s", text)
	return true
}

func TestFastAndSlowAgreeOnVectors(t *testing.T) {
	for _, v := range vectors(t, "superjson.jsonl") {
		require.True(t, agree(t, codecFor(v), []byte(v.Text)), "the fast way gave up on %s", v.Name)
	}
	for _, v := range vectors(t, "superjson_decode.jsonl") {
		agree(t, superjson.Codec{Cycles: true}, []byte(v.Text))
	}
}

func TestFastAndSlowAgreeOnAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := superjson.Append(nil, anyValue(4).Draw(t, "value"))
		require.NoError(t, err)
		require.True(t, agree(t, superjson.Codec{}, text), "the fast way gave up on %s", text)
	})
}

// Texts that are nearly what the library prints, where the ways could part.
func TestFastAndSlowAgreeOnOddities(t *testing.T) {
	long := `[` + joined(40, func(i int) string { return fmt.Sprintf(`{"k":%d}`, i) }) + `]`
	wide := `{` + joined(40, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) }) + `}`
	values := func(json, tree string) string {
		return `{"json":` + json + `,"meta":{"values":` + tree + `,"v":1}}`
	}
	for _, text := range []string{
		values(long, `{"30.k":["Date"],"2.k":["Date"],"39.k":["bigint"],"2.k":["Date"]}`),
		values(long, `{"40.k":["Date"]}`),
		values(long, `{"01.k":["Date"]}`),
		values(wide, `{"k30":["Date"],"k2":["Date"],"k39":["bigint"]}`),
		values(wide, `{"k40":["undefined"]}`),
		values(wide, `{"k4":["Date"],"k4":["undefined"]}`),
		values(`{"a":1,"a":2,"b":3}`, `{"a":["Date"]}`),
		values(`{"a":1,"\u0061":2}`, `{"a":["Date"]}`),
		values(`{"\u0061.b":1,"c\\d":2}`, `{"a\\.b":["Date"],"c\\\\d":["Date"]}`),
		values(`{"a":[[1,2,3]]}`, `{"a":["map"]}`),
		values(`{"a":[[1]]}`, `{"a":["map"]}`),
		values(`{"a":[1,1]}`, `{"a":["set"],"a.0":["Date"]}`),
		values(`{"a":[1,1]}`, `{"a.0":["Date"],"a":["set"]}`),
		values(`{"a":{"b":1}}`, `{"a":{"b":["Date"]}}`),
		values(`{"a":{"b":1}}`, `{"a":["Error",{"b":["Date"]}]}`),
		values(`"2026-02-30T00:00:00.000Z"`, `["Date"]`),
		values(`"2026-01-02T24:00:00.000Z"`, `["Date"]`),
		values(`"2026-01-02T03:04:60.000Z"`, `["Date"]`),
		values(`"2026-1x-02T03:04:05.678Z"`, `["Date"]`),
		values(`"0000-02-29T03:04:05.678Z"`, `["Date"]`),
		values(`-0`, `["bigint"]`),
		values(`{"a":"1","b":"2"}`, `{"a":["number"],"a":["Date"]}`),
		values(`{"a":"NaN","b":"2"}`, `{"a":["number"],"a":["Date"]}`),
		values(`{"a":"2026-01-02T03:04:05.678Z"}`, `{"a":["Date"],"a":["URL"]}`),
		values(`[{"a":"x"},{"a":"x"}]`, `{"1.a":["Date"],"0":["Error"],"0.a":["undefined"]}`),
		values(`{"":null,"01":null,"1":null}`, `{"":["undefined"],"01":["undefined"],"1":["undefined"]}`),
		values(`[{"a":"x"}]`, `{"0.a":["Date"],"\u0030":["class","Point"]}`),
		values(`[{"a":{"b":"x"}}]`, `{"0.a.b":["Date"],"0":["custom","decimal"]}`),
		values(`{"":"x","x":{"":1}}`, `{"":["URL"],"x.":["bigint"]}`),
		values(`{"a":{"b":1,"c":2}}`, `{"a":{"b":["Date"]},"a":{"c":["Date"]}}`),
		values(`{"a\"b":1,"a":"\"","b":"\\"}`, `{"a":["undefined"]}`),
		values(`[-0,1e400,-1e400,1E5,1.50,`+strings.Repeat("9", 400)+`]`, `{"3":["Date"]}`),
		`{"json":{"a":1},"meta":{"values":{"a\\b":["Date"]},"v":0}}`,
		`{"json":{"a\\b":1},"meta":{"values":{"a\\b":["Date"]}}}`,
		`{"json":{"a":[1]},"meta":{"referentialEqualities":{"a":["b"]},"v":1}}`,
		`{"json":{"a":[1],"b":0},"meta":{"referentialEqualities":{"a":["b"]},"values":{"a.0":["Date"]},"v":1}}`,
		`{ "json" : {"a":[ 1 , 2 ]} }`,
		`{"json":{"a" : [ 1 , {"b":
			2} ]},"meta":{"values":{"a.1.b" : ["Date"]},"v":1}}`,
		"{\"json\":[1,\v2]}",
		"{\"json\":[\"\\ud83d\\ude00\\ud83d\",\"\\q\"]}",
		`{"json":"\ud83d\ude00\ud83d"}`,
		`{"json":[1,2`, `{"json":tru}`, `{"json":1}}`, `{"json":1}x`, `{"json":"a`, `{"json":"a\`, `{"json":-}`, `{"json":01}`,
		`{"json":{"constructor":1},"meta":{"values":{"constructor":["Date"]},"v":1}}`,
	} {
		agree(t, superjson.Codec{Cycles: true}, []byte(text))
	}
}

// Paths that go along a row of items and then not as the ones before.
func TestFastAndSlowAgreeOnRows(t *testing.T) {
	const iso = `"2026-01-02T03:04:05.678Z"`
	items := `[` + joined(12, func(int) string {
		return `{"a":` + iso + `,"b":{"c":` + iso + `},"a.b":` + iso + `,"__proto_":1,"d":[{"a":` + iso + `}]}`
	}) + `]`
	doc := `{"r":` + items + `,"p":{"r":` + items + `},"0":` + items + `}`
	date, fast := `["Date"]`, 0
	for _, tree := range []string{
		`"r.0.a":` + date + `,"r.1.a":` + date + `,"r.2.b.c":` + date + `,"r.3.a":` + date,
		`"r.0.a":` + date + `,"r":["set"],"r.1.a":` + date,
		`"r.0.a":` + date + `,"r.1":["Error"],"r.1.a":` + date + `,"r.2.a":` + date,
		`"p.r.0.a":` + date + `,"p":["Error"],"p.r.1.a":` + date,
		`"p.r.0.a":` + date + `,"p":["Error",{"r.1.a":` + date + `}],"r.1.a":` + date,
		`"r":["set",{"0.a":` + date + `,"1.a":` + date + `}],"r.2.a":` + date + `,"0.1.a":` + date,
		`"r.0.a":` + date + `,"r.01.a":` + date + `,"r.1.a":` + date,
		`"r.0.a":` + date + `,"r.12.a":` + date,
		`"r.0.a":` + date + `,"r.1.nothing":` + date,
		`"r.0.a":` + date + `,"r.1.":` + date,
		`"r.0.a":` + date + `,"r.":` + date,
		`"r.0.a":` + date + `,"r.1.a.x":` + date,
		`"r.0.a":` + date + `,"r.1.a\.b":` + date + `,"r.1.a":` + date,
		`"r.0.a":` + date + `,"r.1.a\\.b":` + date,
		`"r.0.a":` + date + `,"r.1.__proto_":["bigint"],"r.1.__proto__":` + date,
		`"r.0.d.0.a":` + date + `,"r.1.d.0.a":` + date + `,"r.1.a":` + date,
		`"r.0.a":` + date + `,"r.0.a":` + date,
		`"r.0.a":` + date + `,"r.1":` + date + `,"r.2.a":["URL"],"r.2.a":` + date,
	} {
		if agree(t, superjson.Codec{}, []byte(`{"json":`+doc+`,"meta":{"values":{`+tree+`},"v":1}}`)) {
			fast++
		}
	}
	require.Equal(t, 4, fast)
	long := strings.Repeat("k", 100)
	rows := `{"` + long + `":[{"a":` + iso + `},{"a":` + iso + `}]}`
	text := `{"json":` + rows + `,"meta":{"values":{"` + long + `.0.a":` + date + `,"` + long + `.1.a":` + date + `},"v":1}}`
	for most := 100; most < 110; most++ {
		agree(t, superjson.Codec{Limits: superjson.Limits{MaxPath: most}}, []byte(text))
	}
}

// What a text has taught must not be taken for what the next one says.
func TestOneTextTeachesNothingWrongAboutTheNext(t *testing.T) {
	const iso = "2026-01-02T03:04:05.678Z"
	dated := `{"json":{"at":"` + iso + `","kind":"a"},"meta":{"values":{"at":["Date"]},"v":1}}`
	texts := []string{
		dated, dated,
		`{"json":{"at":"` + iso + `","kind":"a","n":null},"meta":{"values":{"n":["undefined"]},"v":1}}`,
		dated,
		`{"json":{"at":"` + iso + `","kind":"ab"}}`,
		`{"json":{"at":["` + iso + `","` + iso + `"]},"meta":{"values":{"at":["set"]},"v":1}}`,
		`{"json":{"at":["` + iso + `","` + iso + `"]},"meta":{"values":{"at":["set",{"0":["Date"],"1":["Date"]}]},"v":1}}`,
		`{"json":{"at":"` + iso + `"},"meta":{"values":{"at":["undefined"]},"v":1}}`,
		`{"json":{"at":"2026-02-30T00:00:00.000Z"},"meta":{"values":{"at":["Date"]},"v":1}}`,
		`{"json":{"kind":"a\"","at":"a\\"}}`,
		`{"json":{"kind":"a","at\"":1}}`,
		`{"json":{"kin":"a","kind":"a","kind2":"a"}}`,
		`{"json":{"kind":"a","kind":"b"}}`,
	}
	for range 3 {
		for _, text := range texts {
			agree(t, superjson.Codec{}, []byte(text))
		}
	}
}

// Texts in a random order meet what the ones before have taught.
func TestFastAndSlowAgreeOnMessagesOfAKind(t *testing.T) {
	keys := rapid.SampledFrom([]string{"v", "kind", "at", "id", "a\"", "0", "12", "content", strings.Repeat("k", 70)})
	scalar := rapid.SampledFrom([]superjson.Value{
		superjson.String("event"), superjson.String("call"), superjson.String(""), superjson.String("a\\"),
		superjson.String("2026-01-02T03:04:05.678Z"), superjson.DateMillis(1767323045678), superjson.Int(7),
		superjson.Int(12345),
		superjson.Undefined{},
		superjson.Null{},
		superjson.Float(-0.5), superjson.InvalidDate(),
	})
	rapid.Check(t, func(t *rapid.T) {
		for range 4 {
			members := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) superjson.Member {
				return superjson.Member{Key: keys.Draw(t, "key"), Value: scalar.Draw(t, "value")}
			}), 0, 8).Draw(t, "members")
			text, err := superjson.Append(nil, superjson.NewObject(members...))
			require.NoError(t, err)
			require.True(t, agree(t, superjson.Codec{}, text), "the fast way gave up on %s", text)
		}
	})
}

func TestParseObjectReadsWhatParseReads(t *testing.T) {
	o := superjson.NewObject(superjson.Member{Key: "old", Value: superjson.Null{}})
	check := func(name, text string, codec superjson.Codec) {
		want, wantErr := codec.Parse([]byte(text))
		ok, err := codec.ParseObject([]byte(text), o)
		require.Equal(t, wantErr, err, name)
		object, isObject := want.(*superjson.Object)
		require.Equal(t, isObject && err == nil, ok, name)
		if ok {
			require.True(t, superjson.Equal(object, o), name)
		} else {
			require.Zero(t, o.Len(), name)
		}
	}
	for _, v := range vectors(t, "superjson.jsonl") {
		check(v.Name, v.Text, codecFor(v))
	}
	for _, v := range vectors(t, "superjson_decode.jsonl") {
		check(v.Name, v.Text, superjson.Codec{})
	}
	wide := `{"json":{` + joined(40, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) }) + `}}`
	check("wide", wide, superjson.Codec{})
	check("narrow after wide", `{"json":{"a":1, "b":{"c":[]}}}`, superjson.Codec{})
}

func FuzzFastAndSlowAgree(f *testing.F) {
	for _, v := range vectors(f, "superjson_decode.jsonl") {
		f.Add([]byte(v.Text))
	}
	for _, v := range vectors(f, "superjson.jsonl") {
		f.Add([]byte(v.Text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		agree(t, superjson.Codec{Cycles: true}, text)
	})
}

// A hostile order of paths must not cost more than a friendly one: what leads back is
// found by an index.
func BenchmarkPathsLeadBack(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("items=%d", n), func(b *testing.B) {
			text := []byte(`{"json":[` + joined(n, func(int) string { return "0" }) + `],"meta":{"values":{` +
				joined(n, func(i int) string {
					if i%2 == 0 {
						i = n - 1 - i
					}
					return fmt.Sprintf(`"%d":["Date"]`, i)
				}) + `},"v":1}}`)
			for b.Loop() {
				if _, err := superjson.Parse(text, roomy); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
