package superjson_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/edgeframes/superjson"
)

func marshaled(t testing.TB, v any) string {
	text, err := superjson.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

type (
	base struct {
		ID   string `json:"id"`
		Name string
	}
	// Tagged and Deep are embedded, which reflection wants exported.
	Tagged struct {
		Name string `json:"Name"`
		Kind string `json:"kind"`
	}
	Deep struct{ Kind, Only string }
	opts struct {
		Empty   []int     `json:"empty,omitempty"`
		Zero    time.Time `json:"zero,omitzero"`
		ZeroPtr *big.Int  `json:"zeroPtr,omitzero"`
		Struct  struct{}  `json:"struct,omitempty"`
		Num     int64     `json:"num,string"`
		Flag    *bool     `json:"flag,string"`
		Text    string    `json:",string"`
		//lint:ignore SA5008 this is how encoding/json names a key "-"
		Dash   int     `json:"-,"`
		Ten    int     `json:"10"`
		Nine   int     `json:"9"`
		Hidden int     `json:"-"`
		Ratio  float64 `json:"ratio,string"`
	}
	outer struct {
		base
		*Tagged
		Deep   `json:"deep"`
		Number json.Number
		Raw    json.RawMessage
		At     time.Time
		Addr   netip.Addr
		Any    any
		Level  level
		List   []role
		Pair   [2]float32
		Map    map[int8]string
		Ptr    **int
	}
)

func filled() outer {
	n := 7
	p := &n
	return outer{
		base: base{ID: "i", Name: "outer"}, Tagged: &Tagged{Name: "tagged", Kind: "k"}, Deep: Deep{Kind: "d"},
		Number: "12", Raw: json.RawMessage(`{"z":1,"a":[true]}`), At: time.UnixMilli(5).UTC(), Addr: netip.MustParseAddr("::1"),
		Any: []any{1.5, "x", nil}, Level: -3, List: []role{"a"}, Pair: [2]float32{0.5, 2}, Map: map[int8]string{10: "ten", -1: "less", 9: "nine"}, Ptr: &p,
	}
}

func TestMarshalStructs(t *testing.T) {
	require.Equal(t, `{"json":{"id":"i","Name":"outer","kind":"k","deep":{"Kind":"d","Only":""},"Number":12,"Raw":{"z":1,"a":[true]},`+
		`"At":"1970-01-01T00:00:00.005Z","Addr":"::1","Any":[1.5,"x",null],"Level":-3,"List":["a"],"Pair":[0.5,2],`+
		`"Map":{"9":"nine","10":"ten","-1":"less"},"Ptr":7},"meta":{"values":{"At":["Date"]},"v":1}}`, withoutTagged(t))
	yes := true
	require.Equal(t, `{"json":{"9":9,"10":10,"struct":{},"num":"5","flag":"true","Text":"\"q\\\"\"","-":1,"ratio":"0.5"}}`,
		marshaled(t, opts{Num: 5, Flag: &yes, Text: `q"`, Dash: 1, Ten: 10, Nine: 9, Hidden: 3, Ratio: 0.5}))
}

// withoutTagged is a filled outer whose embedded Name is not tagged, so that two of one
// depth and the tag decide.
func withoutTagged(t *testing.T) string {
	o := filled()
	text := marshaled(t, o)
	var back outer
	require.NoError(t, superjson.Unmarshal([]byte(text), &back))
	require.Equal(t, o.Tagged.Name, back.Tagged.Name)
	require.Empty(t, back.base.Name)
	o.Tagged.Name = "outer"
	return marshaled(t, o)
}

// Where SuperJSON adds nothing, the fields and their order are those of encoding/json.
func TestMarshalFollowsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z"\\é]{0,6}`)
		number := rapid.IntRange(-1000, 1000)
		v := struct {
			base
			Deep
			opts
			List  []float64          `json:"list,omitempty"`
			Map   map[string]Tagged  `json:"map,omitempty"`
			Loose any                `json:"loose"`
			Ptr   *Tagged            `json:"ptr,omitempty"`
			Table map[uint16][2]bool `json:"table,omitzero"`
		}{
			base: base{ID: text.Draw(t, "id")}, Deep: Deep{Only: text.Draw(t, "only")},
			List:  rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), 1, 4).Draw(t, "list"),
			Map:   map[string]Tagged{text.Draw(t, "key"): {Kind: text.Draw(t, "kind")}},
			Loose: rapid.SampledFrom([]any{nil, true, 1.5, "s", []any{1.0}, map[string]any{"a": nil}}).Draw(t, "loose"),
			Ptr:   rapid.SampledFrom([]*Tagged{nil, {Name: "n"}}).Draw(t, "ptr"),
			Table: rapid.SampledFrom([]map[uint16][2]bool{nil, {5: {true}}}).Draw(t, "table"),
		}
		v.Num, v.Text, v.Ten, v.Nine, v.Ratio = int64(number.Draw(t, "num")), text.Draw(t, "text"), 1, 2, 0.25
		want, err := json.Marshal(v)
		require.NoError(t, err)
		got, err := superjson.Parse([]byte(marshaledIn(t, v)), superjson.Limits{})
		require.NoError(t, err)
		// JavaScript orders keys that are indices first, so keys are compared without order.
		require.JSONEq(t, string(want), string(superjson.AppendJSON(nil, got)))
	})
}

func marshaledIn(t *rapid.T, v any) string {
	text, err := superjson.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

type (
	speaks struct{ word string }
	texts  int
	dated  struct{ at time.Time }
	broken struct{}
	opErr  struct{ Op string }
)

func (s speaks) MarshalJSON() ([]byte, error)              { return json.Marshal(map[string]string{"word": s.word}) }
func (s *texts) MarshalText() ([]byte, error)              { return []byte("text"), nil }
func (s dated) MarshalSuperJSON() (superjson.Value, error) { return superjson.DateOf(s.at), nil }
func (s *dated) UnmarshalSuperJSON(v superjson.Value) error {
	s.at = v.(superjson.Date).Time()
	return nil
}
func (broken) MarshalSuperJSON() (superjson.Value, error) { return nil, errBroken }
func (e *opErr) Error() string                            { return "op " + e.Op }
func (s *speaks) UnmarshalJSON(text []byte) error {
	var m map[string]string
	err := json.Unmarshal(text, &m)
	s.word = m["word"]
	return err
}

var errBroken = errors.New("broken")

func TestMarshalMethods(t *testing.T) {
	one := texts(1)
	tests := []struct {
		name string
		give any
		want string
	}{
		{"json.Marshaler", speaks{"w"}, `{"json":{"word":"w"}}`},
		{"json.Marshaler in an interface field", struct{ V any }{speaks{"w"}}, `{"json":{"V":{"word":"w"}}}`},
		{"a pointer's TextMarshaler", []texts{one}, `{"json":["text"]}`},
		{"a nil pointer with methods", struct{ V *speaks }{}, `{"json":{"V":null}}`},
		{"Marshaler", map[string]dated{"a": {time.UnixMilli(0)}}, `{"json":{"a":"1970-01-01T00:00:00.000Z"},"meta":{"values":{"a":["Date"]},"v":1}}`},
		{"an error by its pointer", &opErr{"read"}, `{"json":{"name":"Error","message":"op read"},"meta":{"values":["Error"],"v":1}}`},
		{"nil raw JSON", struct{ V json.RawMessage }{}, `{"json":{"V":null}}`},
		{"a tree in a struct", struct{ V superjson.Value }{superjson.NewSet(superjson.Int(1))}, `{"json":{"V":[1]},"meta":{"values":{"V":["set"]},"v":1}}`},
		{"no tree in a struct", struct{ V superjson.Value }{}, `{"json":{"V":null}}`},
		{"typed tree fields", struct {
			O *superjson.Object
			M *superjson.Map
			D superjson.Date
			N superjson.Number
			A superjson.Array
			U superjson.Undefined
			R superjson.RegExp
		}{}, `{"json":{"O":{},"M":[],"D":"1970-01-01T00:00:00.000Z","N":0,"A":[],"U":null,"R":"/(?:)/"},"meta":{"values":{"M":["map"],"D":["Date"],"U":["undefined"],"R":["regexp"]},"v":1}}`},
		{"URL by value", struct{ U url.URL }{url.URL{Scheme: "a", Opaque: "b"}}, `{"json":{"U":"a:b"},"meta":{"values":{"U":["URL"]},"v":1}}`},
		{"big.Int by value", map[string]big.Int{"b": *big.NewInt(3)}, `{"json":{"b":"3"},"meta":{"values":{"b":["bigint"]},"v":1}}`},
		{"a nested NaN", [][]float64{{math.NaN()}, {math.Copysign(0, -1)}}, `{"json":[["NaN"],["-0"]],"meta":{"values":{"0.0":["number"],"1.0":["number"]},"v":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, marshaled(t, tt.give)) })
	}
	_, err := superjson.Marshal([]any{broken{}})
	require.ErrorIs(t, err, errBroken)
	_, err = superjson.Marshal(struct {
		A int `json:"constructor"`
	}{})
	require.ErrorIs(t, err, superjson.ErrForbiddenKey)
	_, err = superjson.Marshal(map[string]int{"__proto__": 1})
	require.ErrorIs(t, err, superjson.ErrForbiddenKey)
	_, err = superjson.Marshal(json.RawMessage(`{]`))
	require.ErrorIs(t, err, superjson.ErrSyntax)
}

type linked struct {
	Name string  `json:"name"`
	Next *linked `json:"next"`
}

func TestMarshalKeepsIdentity(t *testing.T) {
	at, list, table := time.UnixMilli(0), []int{1}, map[string]int{"k": 1}
	require.Equal(t, `{"json":{"A":"1970-01-01T00:00:00.000Z","B":"1970-01-01T00:00:00.000Z","C":[1],"D":[1],"E":{"k":1},"F":{"k":1}},`+
		`"meta":{"values":{"A":["Date"],"B":["Date"]},"referentialEqualities":{"A":["B"],"C":["D"],"E":["F"]},"v":1}}`,
		marshaled(t, struct {
			A, B *time.Time
			C, D []int
			E, F map[string]int
		}{&at, &at, list, list, table, table}))
	ring := &linked{Name: "a", Next: &linked{Name: "b"}}
	ring.Next.Next = ring
	text := marshaled(t, ring)
	require.Equal(t, `{"json":{"name":"a","next":{"name":"b","next":null}},"meta":{"referentialEqualities":[["next.next"]],"v":1}}`, text)

	var back *linked
	require.ErrorIs(t, superjson.Unmarshal([]byte(text), &back), superjson.ErrCycle)
	require.NoError(t, superjson.Codec{Cycles: true}.Unmarshal([]byte(text), &back))
	require.Same(t, back, back.Next.Next)
	require.Equal(t, "b", back.Next.Name)
	require.Equal(t, text, marshaled(t, back))

	var loop any
	loop = &loop
	_, err := superjson.Marshal(loop)
	require.ErrorIs(t, err, superjson.ErrTooDeep)
	self := []any{nil}
	self[0] = self
	require.Equal(t, `{"json":[null],"meta":{"referentialEqualities":[["0"]],"v":1}}`, marshaled(t, self))
}

// A scalar costs no allocation, annotated or not: a thousand times the scalars cost what
// one does.
func TestAScalarCostsNoAllocation(t *testing.T) {
	type row struct {
		S string           `json:"s"`
		I int              `json:"i"`
		F float64          `json:"f"`
		N float64          `json:"n"`
		B bool             `json:"b"`
		T time.Time        `json:"t"`
		D superjson.Date   `json:"d"`
		L superjson.Number `json:"l"`
		A any              `json:"a"`
		P *time.Time       `json:"p"`
	}
	rows := make([]row, 1000)
	for i := range rows {
		rows[i] = row{"text", i, 1.25, math.Inf(1), true, time.UnixMilli(int64(i)), superjson.DateMillis(1), superjson.Int(7), "any", &rows[i].T}
	}
	var dst []byte
	measure := func(v any) float64 {
		return testing.AllocsPerRun(10, func() {
			var err error
			dst, err = superjson.AppendMarshal(dst[:0], v)
			require.NoError(t, err)
		})
	}
	few, many := rows[:1], rows
	// The lists may have to grow anew when the pool was emptied between two runs.
	allowed := measure(&few) + 100
	require.LessOrEqual(t, measure(&many), allowed)

	var tree superjson.Value = superjson.Array{}
	for range 1000 {
		tree = append(tree.(superjson.Array), object("t", superjson.DateMillis(5), "n", superjson.Float(math.NaN()), "b", superjson.NewBigInt(big.NewInt(9))))
	}
	allocs := testing.AllocsPerRun(10, func() { dst, _ = superjson.Append(dst[:0], tree) })
	require.Less(t, allocs, 150.0)
}
