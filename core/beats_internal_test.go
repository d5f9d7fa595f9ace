package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const testTTL = 6 * time.Second

// beatTable is a table of heartbeats whose clock only the test moves.
type beatTable struct {
	*beats
	clock time.Time
	// still is how much longer real time has passed than the process was seen to run.
	still time.Duration
}

func newBeatTable() *beatTable {
	t := &beatTable{clock: time.UnixMilli(1_767_323_045_678)}
	began := time.Now()
	t.beats = newBeats(func() time.Time { return t.clock }, testTTL)
	t.pulse = func() time.Time { return began.Add(t.still) }
	return t
}

func (t *beatTable) open(id string) {
	t.opened("alice", &ConnectionOpenedEvent{ID: id, Generation: 1, Node: "here"}, "here")
	t.attach(beatKey{"alice", id}, 1)
}

// sweep returns the ids that have lapsed, sorted, and how many entries were looked at for that.
func (t *beatTable) sweep() (ids []string, looked int) {
	before := t.looked
	for _, b := range t.lapsed() {
		ids = append(ids, b.id)
		t.closed(b.beatKey, b.generation)
	}
	slices.Sort(ids)
	return ids, t.looked - before
}

// TestSweepLooksAtWhatHasLapsed, and at one entry more, whatever the number of connections.
func TestSweepLooksAtWhatHasLapsed(t *testing.T) {
	for _, connections := range []int{10, 1_000, 100_000} {
		table := newBeatTable()
		for i := range connections {
			table.open(fmt.Sprint(i))
		}
		table.clock = table.clock.Add(4 * time.Second)
		ids, looked := table.sweep()
		require.Empty(t, ids)
		require.Equal(t, 1, looked)
		for i := range connections {
			if i%(connections/10) != 0 || i >= 3*(connections/10) {
				result, _ := table.beat(beatKey{"alice", fmt.Sprint(i)}, 0, 0)
				require.Equal(t, beatOK, result)
			}
		}
		table.clock = table.clock.Add(2 * time.Second)
		ids, looked = table.sweep()
		require.Len(t, ids, 3, "three did not beat")
		require.Equal(t, 4, looked)
		_, looked = table.sweep()
		require.Equal(t, 1, looked)
	}
}

// TestSweepFindsExactlyWhatHasLapsed, in any order of opens, beats, reopens and ends.
func TestSweepFindsExactlyWhatHasLapsed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table, last := newBeatTable(), map[string]time.Time{}
		key := rapid.SampledFrom(strings.Split("abcdefgh", ""))
		rt.Repeat(map[string]func(*rapid.T){
			"open": func(rt *rapid.T) {
				id := key.Draw(rt, "id")
				table.open(id)
				last[id] = table.clock
			},
			"beat": func(rt *rapid.T) {
				id := key.Draw(rt, "id")
				result, _ := table.beat(beatKey{"alice", id}, 0, 0)
				at, known := last[id]
				if alive := known && table.clock.Sub(at) < testTTL; alive != (result == beatOK) {
					rt.Fatalf("beat of %s: %v, known %v, alive %v", id, result, known, alive)
				}
				if result == beatOK {
					last[id] = table.clock
				}
			},
			"close": func(rt *rapid.T) {
				id := key.Draw(rt, "id")
				table.closed(beatKey{"alice", id}, 1)
				delete(last, id)
			},
			"time passes": func(rt *rapid.T) {
				table.clock = table.clock.Add(time.Duration(rapid.IntRange(0, 4_000).Draw(rt, "ms")) * time.Millisecond)
			},
			"sweep": func(rt *rapid.T) {
				var want []string
				for id, at := range last {
					if table.clock.Sub(at) >= testTTL {
						want = append(want, id)
						delete(last, id)
					}
				}
				slices.Sort(want)
				got, looked := table.sweep()
				if !slices.Equal(want, got) || looked > len(want)+1 {
					rt.Fatalf("swept %v after looking at %d, want %v", got, looked, want)
				}
			},
		})
	})
}

// TestLeasesDoNotAgeWhileTheProcessStandsStill: nobody can be heard then. What a lease had used up before counts on, and
// nothing shorter than the protocol's stall is a standstill.
func TestLeasesDoNotAgeWhileTheProcessStandsStill(t *testing.T) {
	for name, tc := range map[string]struct {
		still time.Duration
		alive bool
	}{
		"no standstill": {stillAfter, false},
		"a standstill":  {stillAfter + time.Millisecond, true},
		"a long one":    {time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			table, key := newBeatTable(), beatKey{"alice", "c"}
			table.open("c")
			table.clock = table.clock.Add(4 * time.Second)
			table.clock, table.still = table.clock.Add(tc.still), table.still+tc.still
			require.Equal(t, tc.alive, table.alive(key))
			ids, _ := table.sweep()
			require.Equal(t, tc.alive, len(ids) == 0)
			if !tc.alive {
				return
			}
			require.Equal(t, 2*time.Second, table.left(key))
			result, _ := table.beat(key, 0, 0)
			require.Equal(t, beatOK, result)
			table.clock = table.clock.Add(testTTL - 1)
			require.True(t, table.alive(key))
			table.clock = table.clock.Add(1)
			require.False(t, table.alive(key), "only the standstill was given back")
			ids, _ = table.sweep()
			require.Equal(t, []string{"c"}, ids)
		})
	}
}

// BenchmarkSweepOfLeases ends one lease in a round while all other connections beat.
func BenchmarkSweepOfLeases(b *testing.B) {
	for _, connections := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			table := newBeatTable()
			for i := range connections {
				table.open(fmt.Sprint(i))
				table.clock = table.clock.Add(testTTL / time.Duration(connections))
			}
			b.ResetTimer()
			for i := range b.N {
				ids, _ := table.sweep()
				if len(ids) != 1 {
					b.Fatalf("round %d: %d leases lapsed", i, len(ids))
				}
				table.open(ids[0])
				table.clock = table.clock.Add(testTTL / time.Duration(connections))
			}
			b.ReportMetric(float64(table.looked)/float64(b.N), "looked-at/round")
		})
	}
}
