package superjson_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

// BenchmarkGrowth measures what ten times the input costs: "growth" is at most 12 where
// the cost is in proportion to the input.
func BenchmarkGrowth(b *testing.B) {
	// The collector works less often for a small heap than for a large one.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	small, large := messages(1000), messages(10_000)
	smallText, err := superjson.Append(nil, small)
	require.NoError(b, err)
	largeText, err := superjson.Append(nil, large)
	require.NoError(b, err)
	var buf []byte
	encode := func(v superjson.Value) func() {
		return func() { buf, _ = superjson.Append(buf[:0], v) }
	}
	decode := func(text []byte) func() {
		return func() {
			if _, err := superjson.Parse(text, roomy); err != nil {
				b.Fatal(err)
			}
		}
	}
	growth(b, "encode", encode(small), encode(large))
	growth(b, "decode", decode(smallText), decode(largeText))
	shared := func(n int) superjson.Value {
		v := superjson.Array{}
		for i := range n {
			part := object("k", superjson.Int(int64(i)))
			v = append(v, part, part)
		}
		return v
	}
	few, many := shared(1000), shared(10_000)
	fewText, _ := superjson.Append(nil, few)
	manyText, _ := superjson.Append(nil, many)
	growth(b, "encode-shared", encode(few), encode(many))
	growth(b, "decode-shared", decode(fewText), decode(manyText))
}

// growth compares the best of several rounds of each.
func growth(b *testing.B, name string, small, large func()) {
	b.Run(name, func(b *testing.B) {
		best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
		for range 40 {
			for i, run := range []func(){small, large} {
				start := time.Now()
				run()
				best[i] = min(best[i], time.Since(start))
			}
		}
		for b.Loop() {
			// The measure is taken above, as the two must take turns.
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(best[1])/float64(best[0]), "growth")
	})
}
