package superjson_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

// fromNeutral builds the value that a vector describes in JSON without SuperJSON.
func fromNeutral(t testing.TB, v superjson.Value) superjson.Value {
	switch v := v.(type) {
	case superjson.Array:
		return superjson.Array(neutralItems(t, v))
	case *superjson.Object:
		if kind, ok := v.Get("$"); ok {
			return special(t, string(kind.(superjson.String)), v)
		}
		var members []superjson.Member
		for key, value := range v.All() {
			if key == "self" && isCycle(value) {
				return selfHolding()
			}
			members = append(members, superjson.Member{Key: key, Value: fromNeutral(t, value)})
		}
		return superjson.NewObject(members...)
	}
	return v
}

func isCycle(v superjson.Value) bool {
	o, ok := v.(*superjson.Object)
	if !ok {
		return false
	}
	kind, _ := o.Get("$")
	return kind == superjson.String("cycle")
}

// selfHolding is the one object of the vectors that holds itself.
func selfHolding() superjson.Value {
	o := superjson.NewObject()
	o.Set("self", o)
	return o
}

func neutralItems(t testing.TB, list superjson.Value) []superjson.Value {
	items := []superjson.Value{}
	for _, item := range list.(superjson.Array) {
		items = append(items, fromNeutral(t, item))
	}
	return items
}

func special(t testing.TB, kind string, o *superjson.Object) superjson.Value {
	text := func(key string) string {
		v, _ := o.Get(key)
		s, ok := v.(superjson.String)
		require.True(t, ok, "%s of %s", key, kind)
		return string(s)
	}
	switch kind {
	case "undefined":
		return superjson.Undefined{}
	case "date":
		if iso, _ := o.Get("iso"); superjson.KindOf(iso) == superjson.KindNull {
			return superjson.InvalidDate()
		}
		return superjson.DateMillis(isoMillis(t, text("iso")))
	case "bigint":
		i, ok := new(big.Int).SetString(text("v"), 10)
		require.True(t, ok)
		return superjson.NewBigInt(i)
	case "number":
		return superjson.Float(map[string]float64{
			"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "-0": math.Copysign(0, -1),
		}[text("v")])
	case "regexp":
		return superjson.RegExp{Source: text("source"), Flags: text("flags")}
	case "url":
		return superjson.URL{Href: text("href")}
	case "set":
		items, _ := o.Get("items")
		return superjson.NewSet(neutralItems(t, items)...)
	case "map":
		list, _ := o.Get("entries")
		var entries []superjson.Entry
		for _, pair := range list.(superjson.Array) {
			p := neutralItems(t, pair)
			entries = append(entries, superjson.Entry{Key: p[0], Value: p[1]})
		}
		return superjson.NewMap(entries...)
	case "error":
		e := &superjson.Error{Name: text("name"), Message: text("message")}
		if cause, ok := o.Get("cause"); ok {
			e.Cause = fromNeutral(t, cause)
		}
		return e
	case "typed-array":
		items, _ := o.Get("items")
		return neutralTypedArray(t, superjson.ArrayType(text("type")), neutralItems(t, items))
	}
	require.Fail(t, "unknown neutral kind "+kind)
	return nil
}

func neutralTypedArray(t testing.TB, typ superjson.ArrayType, items []superjson.Value) superjson.Value {
	if typ == superjson.BigInt64Array || typ == superjson.BigUint64Array {
		var bits []uint64
		for _, item := range items {
			i, ok := new(big.Int).SetString(string(item.(superjson.String)), 10)
			require.True(t, ok)
			bits = append(bits, new(big.Int).And(i, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
		}
		a, err := superjson.NewBigTypedArray(typ, bits)
		require.NoError(t, err)
		return a
	}
	var nums []float64
	for _, item := range items {
		nums = append(nums, item.(superjson.Number).Float64())
	}
	a, err := superjson.NewTypedArray(typ, nums)
	require.NoError(t, err)
	return a
}

// isoMillis reads the ISO form without this package's own parser. Go's time knows
// years of four digits only.
func isoMillis(t testing.TB, iso string) int64 {
	layout := "-01-02T15:04:05.000Z"
	cut := len(iso) - len(layout)
	var year int
	_, err := fmt.Sscanf(iso[:cut], "%d", &year)
	require.NoError(t, err)
	rest, err := time.Parse("2006"+layout, "2000"+iso[cut:])
	require.NoError(t, err)
	return time.Date(year, rest.Month(), rest.Day(), rest.Hour(), rest.Minute(), rest.Second(), rest.Nanosecond(), time.UTC).UnixMilli()
}
