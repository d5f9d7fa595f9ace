package superjson

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Only objects that keep little alive may share their memory: a program that keeps one of
// them keeps its neighbours.
func TestWhichObjectsShareMemory(t *testing.T) {
	long := strings.Repeat("x", roomText)
	for _, c := range []struct {
		object, meta string
		shared       bool
	}{
		{`{"a":1,"b":"short","c":true,"d":null,"e":12345.5}`, ``, true},
		{`{"a":1,"b":"` + long + `"}`, ``, false},
		{`{"` + long + `":1}`, ``, false},
		{`{"a":1,` + strings.Repeat(" ", roomText) + `"b":2}`, ``, false},
		// What is short may hold anything by reference.
		{`{"a":1,"b":"short","c":true,"d":null,"e":12345.5}`, `,"meta":{"referentialEqualities":{"0":["1.d"]},"v":1}`, false},
	} {
		const items = 100
		v, err := Parse([]byte(`{"json":[`+strings.Repeat(c.object+",", items-1)+c.object+`]`+c.meta+`}`), Limits{})
		require.NoError(t, err)
		shared := 0
		for i := 1; i < items; i++ {
			// Objects of a room stand one after the other.
			at := func(i int) uintptr { return uintptr(unsafe.Pointer(v.(Array)[i].(*Object))) }
			if at(i)-at(i-1) == unsafe.Sizeof(Object{}) {
				shared++
			}
		}
		if c.shared {
			require.Greater(t, shared, items/2, c.object)
		} else {
			require.Zero(t, shared, c.object)
		}
	}
}

// An object of a room that grows must leave its neighbours as they are.
func TestObjectsOfARoomGrowAlone(t *testing.T) {
	text := []byte(`{"json":[` + strings.Repeat(`{"a":1},`, 40) + `{"a":1}]}`)
	v, err := Parse(text, Limits{})
	require.NoError(t, err)
	items := v.(Array)
	for i, item := range items {
		if i%2 == 0 {
			item.(*Object).Set("b", Null{})
			item.(*Object).Set("a", Undefined{})
		}
	}
	for i, item := range items {
		a, _ := item.(*Object).Get("a")
		_, grown := item.(*Object).Get("b")
		require.Equal(t, i%2 == 0, grown)
		require.Equal(t, i%2 == 0, a == Value(Undefined{}))
	}
}
