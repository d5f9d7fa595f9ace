package sqlitelog_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

// message is an event with a body of 256 bytes.
func message(version int) core.Event {
	body := bytes.Repeat([]byte("m"), 256)
	body[0], body[len(body)-1] = '"', '"'
	return core.Event{Kind: core.MessagePosted, Version: uint64(version), At: time.UnixMilli(1_700_000_000_000), Body: body}
}

// BenchmarkAppend measures durable appends of one event by so many writers, each to its own stream, each waiting for its
// answer before it goes on.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			l, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
			require.NoError(b, err)
			b.ReportAllocs()
			b.ResetTimer()
			appendAll(b, l, writers, b.N)
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			require.NoError(b, l.Close())
		})
	}
}

func appendAll(b *testing.B, l core.Log, writers, total int) {
	ctx := context.Background()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			stream := core.RoomStream(fmt.Sprintf("room_%032d", w))
			var last core.Position
			for i := w; i < total; i += writers {
				positions, err := l.Append(ctx, stream, last, []core.Event{message(i/writers + 1)})
				if err != nil {
					b.Errorf("append: %v", err)
					return
				}
				last = positions[0]
			}
		})
	}
	wg.Wait()
}

// BenchmarkReplay measures one reader that tails 100,000 events from the file, and how much memory the heap holds
// meanwhile beyond what it held before.
func BenchmarkReplay(b *testing.B) {
	const total, unit = 100_000, 500
	l, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{RecentEvents: 1})
	require.NoError(b, err)
	defer func() { require.NoError(b, l.Close()) }()
	ctx := context.Background()
	lasts := make([]core.Position, 20)
	for i := 0; i < total/unit; i++ {
		events := make([]core.Event, unit)
		for k := range events {
			events[k] = message(i*unit + k + 1)
		}
		s := i % len(lasts)
		positions, err := l.Append(ctx, core.RoomStream(fmt.Sprint(s)), lasts[s], events)
		require.NoError(b, err)
		lasts[s] = positions[unit-1]
	}
	before, peak := heap(), uint64(0)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		seen := 0
		for batch, err := range l.Tail(ctx, 0) {
			require.NoError(b, err)
			if seen += len(batch); seen%(total/10) < len(batch) {
				b.StopTimer()
				peak = max(peak, heap())
				b.StartTimer()
			}
			if seen >= total-unit { // the last commit comes from memory
				break
			}
		}
	}
	b.ReportMetric(float64(total-unit)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(peak-min(peak, before))/(1<<10), "heap-KiB")
}

// heap returns the bytes that are in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
