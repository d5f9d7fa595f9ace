package areyouaifront

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestWindowCountsExactly compares the window with a list of everything that was counted.
func TestWindowCountsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		w := newWindow(limit, time.Minute)
		now := time.UnixMilli(0)
		model := map[string][]int64{}
		inSpan := func(key string) (n int) {
			for _, at := range model[key] {
				if at > now.Add(-time.Minute).UnixMilli() {
					n++
				}
			}
			return n
		}
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "ms")) * time.Millisecond)
			},
			"take": func(t *rapid.T) {
				key := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
				want := inSpan(key) < limit
				wait := w.wait(key, now)
				require.Equal(t, want, wait == 0)
				if !want {
					// What it names is the very moment from which the next one is let in.
					later := now
					now = later.Add(wait - time.Millisecond)
					require.GreaterOrEqual(t, inSpan(key), limit)
					now = later.Add(wait)
					require.Less(t, inSpan(key), limit)
					now = later
				}
				require.Equal(t, want, w.take(key, now))
				if want {
					model[key] = append(model[key], now.UnixMilli())
				}
			},
			"give back": func(t *rapid.T) {
				key := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
				if n := len(model[key]); n > 0 {
					w.giveBack(key, model[key][n-1])
					model[key] = model[key][:n-1]
				}
			},
		})
	})
}

// TestWindowIsBounded: keys without end take no memory without end, and those that are silent go first.
func TestWindowIsBounded(t *testing.T) {
	w := newWindow(1, time.Minute)
	now := time.UnixMilli(0)
	for i := range 3 * maxWindowKeys {
		require.True(t, w.take(fmt.Sprint(i), now))
	}
	require.Len(t, w.keys, maxWindowKeys)
	require.Equal(t, maxWindowKeys, w.recent.Len())
	require.False(t, w.take(fmt.Sprint(3*maxWindowKeys-1), now))
	require.True(t, w.take("0", now))
	require.True(t, w.take("fresh", now.Add(time.Minute)))
	require.Len(t, w.keys, 1, "a key with nothing in the span is dropped")
}

// TestBatchFitsTheLength: a stream of long messages takes few of them at a time.
func TestBatchFitsTheLength(t *testing.T) {
	s := &stream{}
	for _, tc := range []struct{ entries, bytes, want int }{
		{32, 32 * 8192, 32}, {10, 10 * 300, maxBatch}, {4, 4 << 20, minBatch}, {8, 0, maxBatch}, {1, 64 << 10, minBatch},
	} {
		s.resize(tc.entries, tc.bytes)
		require.Equal(t, tc.want, s.batch, "%+v", tc)
	}
}

func TestBlocksAreBounded(t *testing.T) {
	s := newStrikes(Policy{Violations: 1})
	now := time.UnixMilli(0)
	for i := range 2*maxWindowKeys + 10 {
		s.add(fmt.Sprint(i), now)
	}
	require.LessOrEqual(t, len(s.until), maxWindowKeys)
	for i := range minSweep {
		s.add(fmt.Sprint("later ", i), now.Add(15*time.Minute))
	}
	require.LessOrEqual(t, len(s.until), maxWindowKeys)
	require.Contains(t, s.until, fmt.Sprint("later ", minSweep-1))
}
