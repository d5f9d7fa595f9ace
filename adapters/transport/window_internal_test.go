package transport

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
		w := NewWindow(limit, time.Minute)
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
				wait := w.Wait(key, now)
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
				require.Equal(t, want, w.Take(key, now))
				if want {
					model[key] = append(model[key], now.UnixMilli())
				}
			},
			"give back": func(t *rapid.T) {
				key := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
				if n := len(model[key]); n > 0 {
					w.GiveBack(key, model[key][n-1])
					model[key] = model[key][:n-1]
				}
			},
		})
	})
}

// TestWindowIsBounded: keys without end take no memory without end, and those that are silent go first.
func TestWindowIsBounded(t *testing.T) {
	w := NewWindow(1, time.Minute)
	now := time.UnixMilli(0)
	for i := range 3 * MaxWindowKeys {
		require.True(t, w.Take(fmt.Sprint(i), now))
	}
	require.Len(t, w.keys, MaxWindowKeys)
	require.Equal(t, MaxWindowKeys, w.recent.Len())
	require.False(t, w.Take(fmt.Sprint(3*MaxWindowKeys-1), now))
	require.True(t, w.Take("0", now))
	require.True(t, w.Take("fresh", now.Add(time.Minute)))
	require.Len(t, w.keys, 1, "a key with nothing in the span is dropped")
}
