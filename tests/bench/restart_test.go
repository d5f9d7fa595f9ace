package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// filled makes a log with about count messages in 1,000 rooms, and its snapshots, once per test binary run.
func filled(b *testing.B, count int) (dir string) {
	b.Helper()
	const rooms = 1_000
	dir = b.TempDir()
	log, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.NoError(b, err)
	snaps, err := sqlitelog.OpenSnapshots(dir)
	require.NoError(b, err)
	n, err := core.Open(b.Context(), log, core.Options{Snapshots: snaps, SnapshotEvery: 1 << 40})
	require.NoError(b, err)
	alice, ids := roomsOf(b, n, rooms)
	var wg sync.WaitGroup
	for w := range 64 {
		wg.Go(func() {
			for i := w; i < count; i += 64 {
				_, _, err := n.PostMessage(context.Background(), ids[i%rooms], core.PostMessage{Sender: alice.ID, Text: body}, nil)
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	require.NoError(b, n.Close(context.Background()))
	require.NoError(b, snaps.Close())
	require.NoError(b, log.Close())
	return dir
}

// BenchmarkRestart opens a node on a log of 1,000,000 events, with and without snapshots. With must take at most a tenth
// of without: the benchmark fails otherwise.
func BenchmarkRestart(b *testing.B) {
	const events = 1_000_000
	dir := filled(b, events)
	start := func(b *testing.B, withSnapshots bool) time.Duration {
		log, err := sqlitelog.Open(dir, sqlitelog.Options{})
		require.NoError(b, err)
		defer func() { require.NoError(b, log.Close()) }()
		opts := core.Options{}
		if withSnapshots {
			snaps, err := sqlitelog.OpenSnapshots(dir)
			require.NoError(b, err)
			defer func() { require.NoError(b, snaps.Close()) }()
			opts.Snapshots = snaps
		}
		began := time.Now()
		n, err := core.Open(context.Background(), log, opts)
		took := time.Since(began)
		require.NoError(b, err)
		require.GreaterOrEqual(b, n.Applied(), core.Position(events))
		require.NoError(b, n.Close(context.Background()))
		return took
	}
	var took [2]time.Duration
	for i, name := range []string{"without", "with"} {
		b.Run("snapshots="+name, func(b *testing.B) {
			var sum time.Duration
			for range b.N {
				sum += start(b, i == 1)
			}
			took[i] = sum / time.Duration(b.N)
			b.ReportMetric(float64(took[i].Microseconds())/1000, "ms/start")
		})
	}
	if took[0] > 0 && took[1] > 0 {
		b.ReportMetric(float64(took[1])/float64(took[0]), "with/without")
		if took[1] > took[0]/10 {
			b.Errorf("a start with snapshots takes %v, without %v: more than a tenth", took[1], took[0])
		}
	}
}

// BenchmarkReplay reads 100,000 events of one room to one reader that starts at the beginning.
func BenchmarkReplay(b *testing.B) {
	const events = 100_000
	dir := filepath.Join(b.TempDir(), "log")
	log, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, log.Close()) }()
	n, err := core.Open(b.Context(), log, core.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, n.Close(context.Background())) }()
	alice, rooms := roomsOf(b, n, 1)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range events / 64 {
				_, _, err := n.PostMessage(context.Background(), rooms[0], core.PostMessage{Sender: alice.ID, Text: body}, nil)
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	peak := before.HeapAlloc
	total := 0
	b.ResetTimer()
	for range b.N {
		r := n.NewRoomReader(rooms[0], 0)
		var entries []*core.Entry
		for {
			entries, err = r.Read(context.Background(), 256, entries[:0])
			require.NoError(b, err)
			if len(entries) == 0 {
				break
			}
			total += len(entries)
			if total%25_600 == 0 {
				runtime.ReadMemStats(&after)
				peak = max(peak, after.HeapAlloc)
			}
		}
		r.Close()
	}
	b.StopTimer()
	perSecond, held := float64(total)/b.Elapsed().Seconds(), float64(peak-before.HeapAlloc)/(1<<20)
	b.ReportMetric(perSecond, "events/s")
	b.ReportMetric(held, "MiB-peak")
	if perSecond < minReplay || held > maxReplayMiB {
		b.Errorf("%.0f events/s with %.0f MiB held: at least %d and at most %d are due", perSecond, held, minReplay, maxReplayMiB)
	}
}

// minReplay is a budget in events per second. maxReplayMiB is the shared cache of blocks with room to spare: what is
// held does not grow with what is read.
const (
	minReplay    = 100_000
	maxReplayMiB = 96
)

// BenchmarkFanOut delivers what is posted in one room to a number of readers in memory, each of which asks for the same
// encoding.
func BenchmarkFanOut(b *testing.B) {
	for _, readers := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) { fanOut(b, readers) })
	}
}
