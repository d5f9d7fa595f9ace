package superjson_test

import (
	"fmt"
	"testing"

	"stele/edgeframes/superjson"
)

// messages is a snapshot of n items, each with one Date.
func messages(n int) superjson.Value {
	items := make(superjson.Array, n)
	for i := range items {
		items[i] = object("role", superjson.String("user"), "content", superjson.String("hello there, how are you?"),
			"seq", superjson.Int(int64(i)), "at", superjson.DateMillis(int64(i)*1000))
	}
	return object("v", superjson.Int(1), "kind", superjson.String("messages"), "snapshot", items)
}

// Ten times the input costs about ten times the time: compare the ns/op.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			v := messages(n)
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = superjson.Append(dst[:0], v)
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			text, err := superjson.Append(nil, messages(n))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := superjson.Parse(text, roomy); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
