package superjson_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

// sharedVectors builds the vectors in which one object stands in several places, or that
// need settings, in Go.
func sharedVectors() map[string]superjson.Value {
	one := func() *superjson.Object { return object("k", superjson.Int(1)) }
	all := map[string]superjson.Value{}

	x := one()
	all["refs/same-object-twice"] = object("a", x, "b", x)
	all["dedupe/second-becomes-null"] = object("a", x, "b", x)
	all["dedupe/order-kept"] = object("deep", object("er", x), "y", x)
	all["refs/inside-map-value"] = superjson.NewMap(
		superjson.Entry{Key: superjson.String("p"), Value: x}, superjson.Entry{Key: superjson.String("q"), Value: x},
	)
	all["refs/inside-set"] = object("s", superjson.NewSet(x), "x", x)

	none := superjson.NewObject()
	all["refs/same-object-three-depths"] = object("deep", object("er", object("x", none)), "y", none, "arr", superjson.Array{none})
	all["refs/escaped-path"] = object("a.b", none, `c\d`, none)

	date := superjson.Shared(superjson.DateMillis(0))
	all["refs/same-date"] = superjson.Array{date, date}
	dated := object("d", superjson.DateMillis(0))
	all["refs/shared-with-annotations"] = object("a", dated, "b", dated)

	root := object("n", superjson.Int(1))
	root.Set("self", root)
	all["refs/self-root"] = root
	inner := superjson.NewObject()
	nested := object("n", inner)
	inner.Set("up", nested)
	all["refs/self-nested"] = object("root", nested)
	both, s := superjson.NewObject(), one()
	both.Set("self", both)
	both.Set("a", s)
	both.Set("b", s)
	all["refs/root-and-others"] = both

	all["class/registered"] = &superjson.Instance{Class: "P", Props: object("x", superjson.Int(1))}
	all["class/registered-with-date"] = object("p", &superjson.Instance{Class: "Point", Props: object("x", superjson.DateMillis(0))})
	all["symbol/registered"] = object("s", superjson.Symbol{ID: "my-tag", Description: "tag"})
	all["custom/decimal"] = object("d", &superjson.Custom{Name: "decimal", Value: superjson.String("1.10")})
	all["error/allowed-props"] = &superjson.Error{Name: "Error", Message: "m", Props: []superjson.Member{
		{Key: "code", Value: superjson.String("E1")}, {Key: "when", Value: superjson.DateMillis(0)},
	}}
	all["error/allowed-prop-missing"] = &superjson.Error{Name: "Error", Message: "m"}
	return all
}

func TestSharedVectorsArePrinted(t *testing.T) {
	built := sharedVectors()
	for _, v := range vectors(t, "superjson.jsonl") {
		value, ok := built[v.Name]
		if !ok {
			continue
		}
		delete(built, v.Name)
		got, err := codecFor(v).Append(nil, value)
		require.NoError(t, err, v.Name)
		require.Equal(t, v.Text, string(got), v.Name)
	}
	require.Empty(t, built, "no such vectors")
}

func TestDedupePrintsEachObjectOnce(t *testing.T) {
	big := superjson.Array{superjson.DateMillis(0), superjson.NewSet()}
	date := superjson.Shared(superjson.DateMillis(0))
	text, err := superjson.Codec{Dedupe: true}.Append(nil, superjson.Array{big, date, object("deep", big), date, superjson.Bytes(nil)})
	require.NoError(t, err)
	require.Equal(t, `{"json":[["1970-01-01T00:00:00.000Z",[]],"1970-01-01T00:00:00.000Z",{"deep":null},null,[]],`+
		`"meta":{"values":{"1":["Date"],"4":[["typed-array","Uint8Array"]],"0.0":["Date"],"0.1":["set"]},"referentialEqualities":{"0":["2.deep"],"1":["3"]},"v":1}}`, string(text))
	v, err := superjson.Parse(text, superjson.Limits{})
	require.NoError(t, err)
	again, err := superjson.Codec{Dedupe: true}.Append(nil, v)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
}

func TestSharedGivesIdentityToLeaves(t *testing.T) {
	for _, v := range []superjson.Value{
		superjson.DateMillis(5), superjson.InvalidDate(), superjson.RegExp{Source: "x"}, superjson.URL{Href: "a:b"}, superjson.Array{},
	} {
		s := superjson.Shared(v)
		require.True(t, superjson.Equal(v, s))
		require.Contains(t, printed(t, superjson.Array{s, s}), `"referentialEqualities":{"0":["1"]}`)
		require.NotContains(t, printed(t, superjson.Array{v, v}), `referentialEqualities`)
		require.Equal(t, 1, superjson.NewSet(s, s).Len())
		require.Equal(t, 2, superjson.NewSet(v, v).Len())
	}
	require.Equal(t, superjson.Int(1), superjson.Shared(superjson.Int(1)))
}

// Sixty objects of which each holds the next twice stand for 2^60.
func TestDoublingPartsAreRefused(t *testing.T) {
	v := superjson.NewObject()
	for range 60 {
		v = object("a", v, "b", v)
	}
	require.ErrorIs(t, superjson.Check(v), superjson.ErrTooLarge)
	text, err := superjson.Codec{Dedupe: true}.Append(nil, v)
	require.NoError(t, err)
	_, err = superjson.Parse(text, superjson.Limits{})
	require.ErrorIs(t, err, superjson.ErrTooLarge)
}

func TestARepeatObeysTheDepth(t *testing.T) {
	deep := superjson.Array{}
	for range superjson.DefaultMaxDepth - 2 {
		deep = superjson.Array{deep}
	}
	require.NoError(t, superjson.Check(superjson.Array{deep, deep}))
	require.ErrorIs(t, superjson.Check(superjson.Array{deep, superjson.Array{deep}}), superjson.ErrTooDeep)
}
