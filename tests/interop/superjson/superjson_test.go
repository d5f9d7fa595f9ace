package superjson_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
	interop "stele/tests/interop/superjson"
)

// count is how many values each side makes.
const count = 20_000

// codec has the settings of codec.mjs.
var codec = superjson.Codec{
	Types:      superjson.NewTypes().Class("Point").Symbol("my-tag", "tag").Custom("decimal"),
	ErrorProps: []string{"code"},
	Cycles:     true,
}

func TestValuesOfGoSurviveTheLibrary(t *testing.T) {
	made := make([]superjson.Value, count)
	var texts bytes.Buffer
	var want [][]byte
	for i := range made {
		m := &maker{Rand: rand.New(rand.NewPCG(1, uint64(i)))}
		made[i] = m.value(4)
		text, err := codec.Append(nil, made[i])
		require.NoError(t, err)
		want = append(want, text)
		texts.Write(append(text, '\n'))
	}
	back := interop.Driver(t, &texts, "reprint")
	require.Len(t, back, count)
	same := 0
	for i, text := range back {
		require.Equal(t, string(text), reprint(t, text), "value %d", i)
		if !bytes.Equal(want[i], text) {
			// The library lost that parts were shared, as it does when references
			// lead into a part that a later one replaces. Go reads the text alike.
			require.Equal(t, string(text), reprint(t, want[i]), "value %d", i)
			continue
		}
		same++
		got, err := codec.Parse(text)
		require.NoError(t, err, "%s", text)
		require.True(t, superjson.Equal(made[i], got), "value %d: %s", i, text)
	}
	require.Greater(t, same, count*95/100)
}

func reprint(t *testing.T, text []byte) string {
	v, err := codec.Parse(text)
	require.NoError(t, err, "%s", text)
	again, err := codec.Append(nil, v)
	require.NoError(t, err, "%s", text)
	return string(again)
}

// What Go prints must be what the library prints after reading its own text, which for
// nearly all values is that text.
func TestValuesOfTheLibrarySurviveGo(t *testing.T) {
	args := []string{"1", strconv.Itoa(count)}
	made := interop.Driver(t, nil, append([]string{"generate"}, args...)...)
	require.Len(t, made, count)
	var back bytes.Buffer
	same := 0
	for _, text := range made {
		again := reprint(t, text)
		if string(text) == again {
			same++
		}
		back.WriteString(again + "\n")
	}
	for i, fault := range interop.Driver(t, &back, append([]string{"verify"}, args...)...) {
		require.Less(t, i, 4, "and more")
		t.Errorf("%s", fault)
	}
	require.Greater(t, same, count*95/100)
}
