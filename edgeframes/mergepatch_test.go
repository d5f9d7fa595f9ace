package edgeframes_test

import (
	"bufio"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func TestMergePatchVectors(t *testing.T) {
	file, err := os.Open("testdata/mergepatch.jsonl")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	lines, n := bufio.NewScanner(file), 0
	for ; lines.Scan(); n++ {
		row, err := superjson.ParseJSON(lines.Bytes(), superjson.Limits{})
		require.NoError(t, err)
		get := func(key string) superjson.Value {
			v, ok := row.(*superjson.Object).Get(key)
			require.True(t, ok, key)
			return v
		}
		t.Run(string(get("name").(superjson.String)), func(t *testing.T) {
			before := plain(get("target"))
			got := edgeframes.ApplyMergePatch(get("target"), get("patch"))
			require.Equal(t, plain(get("result")), plain(got))
			require.Equal(t, before, plain(get("target")))
		})
	}
	require.NoError(t, lines.Err())
	require.Equal(t, 32, n)
}

func plain(v superjson.Value) string { return string(superjson.AppendJSON(nil, v)) }

func TestMergePatchKeepsWhatJSONCannotSay(t *testing.T) {
	null, undefined, one := superjson.Null{}, superjson.Undefined{}, superjson.Int(1)
	date, other := superjson.DateMillis(0), superjson.DateMillis(1)
	a := func(v superjson.Value) superjson.Value { return object("a", v) }
	asMap := superjson.NewMap(superjson.Entry{Key: superjson.String("k"), Value: null})
	tests := map[string][3]superjson.Value{
		"undefined sets":              {a(one), a(undefined), a(undefined)},
		"undefined keeps no default":  {a(object("b", one)), a(undefined), a(undefined)},
		"null deletes":                {a(undefined), a(null), object()},
		"a Date is replaced whole":    {a(date), a(other), a(other)},
		"a Date replaces an object":   {a(object("b", one)), a(date), a(date)},
		"an object replaces a Date":   {a(date), a(object("b", one, "c", null)), a(object("b", one))},
		"a Map is replaced whole":     {a(superjson.NewMap()), a(asMap), a(asMap)},
		"an object replaces a Map":    {a(asMap), a(object("k", one)), a(object("k", one))},
		"an Error is replaced whole":  {a(object("name", one)), a(&superjson.Error{Name: "E"}), a(&superjson.Error{Name: "E"})},
		"no target":                   {nil, a(one), a(one)},
		"undefined patches the whole": {a(one), undefined, undefined},
		"keys keep their places":      {object("x", one, "y", one), object("z", one, "x", date), object("x", date, "y", one, "z", one)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want, err := superjson.Append(nil, tt[2])
			require.NoError(t, err)
			got, err := superjson.Append(nil, edgeframes.ApplyMergePatch(tt[0], tt[1]))
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// anyJSON draws small trees whose keys meet often.
func anyJSON(depth int) *rapid.Generator[superjson.Value] {
	scalars := rapid.SampledFrom([]superjson.Value{
		superjson.Null{}, superjson.Undefined{}, superjson.Int(1), superjson.String("x"), superjson.DateMillis(0), superjson.Array{superjson.Null{}},
	})
	if depth == 0 {
		return scalars
	}
	member := rapid.Custom(func(t *rapid.T) superjson.Member {
		return superjson.Member{Key: rapid.SampledFrom([]string{"a", "b", "c", "1"}).Draw(t, "key"), Value: anyJSON(depth-1).Draw(t, "value")}
	})
	return rapid.OneOf(scalars, rapid.Map(rapid.SliceOfN(member, 0, 4), func(m []superjson.Member) superjson.Value {
		return superjson.NewObject(m...)
	}))
}

func TestMergePatchLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target, patch := anyJSON(4).Draw(t, "target"), anyJSON(4).Draw(t, "patch")
		before, _ := superjson.Append(nil, target)
		once := edgeframes.ApplyMergePatch(target, patch)
		after, _ := superjson.Append(nil, target)
		require.Equal(t, string(before), string(after), "the target was changed")
		require.True(t, superjson.Equal(once, edgeframes.ApplyMergePatch(once, patch)), "a patch applied twice")
		if superjson.KindOf(target) == superjson.KindObject {
			require.True(t, superjson.Equal(target, edgeframes.ApplyMergePatch(target, superjson.NewObject())), "the empty patch")
		}
		if p, ok := patch.(*superjson.Object); ok {
			o := once.(*superjson.Object)
			for key, v := range p.All() {
				got, has := o.Get(key)
				switch superjson.KindOf(v) {
				case superjson.KindNull:
					require.False(t, has, key)
				case superjson.KindObject:
					require.Equal(t, superjson.KindObject, superjson.KindOf(got))
				default:
					require.True(t, has && superjson.Equal(v, got), key)
				}
			}
		}
	})
}

func FuzzApplyMergePatch(f *testing.F) {
	f.Add([]byte(`{"json":{"a":1,"b":{"c":2}}}`), []byte(`{"json":{"a":null,"b":{"c":null}},"meta":{"values":{"b.c":["undefined"]},"v":1}}`))
	f.Add([]byte(`{"json":[]}`), []byte(`{"json":{"1":{"b":null}}}`))
	f.Fuzz(func(t *testing.T, target, patch []byte) {
		from, err := superjson.Parse(target, superjson.Limits{})
		if err != nil {
			return
		}
		change, err := superjson.Parse(patch, superjson.Limits{})
		if err != nil {
			return
		}
		once := edgeframes.ApplyMergePatch(from, change)
		require.True(t, superjson.Equal(once, edgeframes.ApplyMergePatch(once, change)))
	})
}
