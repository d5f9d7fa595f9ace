package superjson_test

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/edgeframes/superjson"
)

// An object behaves as a Go map with an order, whatever its size.
func TestObjectKeysAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(
			rapid.Map(rapid.IntRange(0, 60), strconv.Itoa),
			rapid.Map(rapid.IntRange(0, 60), func(i int) string { return fmt.Sprintf("k%d", i) }),
		)
		keys := rapid.SliceOfN(key, 0, 80).Draw(t, "keys")
		model := map[string]int{}
		var members []superjson.Member
		var named []string
		for i, k := range keys {
			if _, ok := model[k]; !ok && k[0] == 'k' {
				named = append(named, k)
			}
			model[k] = i
			members = append(members, superjson.Member{Key: k, Value: superjson.Int(int64(i))})
		}
		o := superjson.NewObject(members...)
		require.Equal(t, len(model), o.Len())
		for k, i := range model {
			v, ok := o.Get(k)
			require.True(t, ok)
			require.Equal(t, superjson.Int(int64(i)), v)
		}
		var order []string
		for k := range o.All() {
			order = append(order, k)
		}
		indices := slices.DeleteFunc(slices.Collect(maps.Keys(model)), func(k string) bool { return k[0] == 'k' })
		slices.SortFunc(indices, func(a, b string) int {
			i, _ := strconv.Atoi(a)
			j, _ := strconv.Atoi(b)
			return i - j
		})
		require.Equal(t, append(indices, named...), order)
	})
}

func TestANilObjectIsEmpty(t *testing.T) {
	var o *superjson.Object
	_, ok := o.Get("a")
	require.False(t, ok)
	require.Zero(t, o.Len())
	for range o.All() {
		require.Fail(t, "a member of nothing")
	}
}

func TestSetAndMapCompareAsJavaScriptDoes(t *testing.T) {
	nan, zero, negative := superjson.Float(math.NaN()), superjson.Int(0), superjson.Float(math.Copysign(0, -1))
	big1, again := superjson.NewBigInt(big.NewInt(1)), superjson.NewBigInt(big.NewInt(1))
	date := superjson.DateMillis(0)

	set := superjson.NewSet(nan, negative, zero, big1, again, nan, nil, superjson.Undefined{}, superjson.Null{}, date, date, superjson.String("1"), superjson.Int(1))
	require.Equal(t, `{"json":["NaN",0,"1",null,null,"1970-01-01T00:00:00.000Z","1970-01-01T00:00:00.000Z","1",1],`+
		`"meta":{"values":["set",{"0":["number"],"2":["bigint"],"3":["undefined"],"5":["Date"],"6":["Date"]}],"v":1}}`, printed(t, set))

	m := superjson.NewMap(
		superjson.Entry{Key: negative, Value: superjson.Int(1)},
		superjson.Entry{Key: superjson.String("a"), Value: superjson.Int(2)},
		superjson.Entry{Key: zero, Value: superjson.Int(3)},
	)
	require.Equal(t, `{"json":[[0,3],["a",2]],"meta":{"values":["map"],"v":1}}`, printed(t, m))
	got, ok := m.Get(negative)
	require.True(t, ok)
	require.Equal(t, superjson.Int(3), got)
	_, ok = m.Get(date)
	require.False(t, ok)
}
