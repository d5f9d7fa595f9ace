package memlog_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func message(version int) core.Event {
	body := bytes.Repeat([]byte("m"), 256)
	return core.Event{Kind: core.MessagePosted, Version: uint64(version), At: time.UnixMilli(1), Body: body}
}

// BenchmarkAppend measures appends of one event by so many writers, each to its own stream.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			l := memlog.New()
			ctx := context.Background()
			b.ReportAllocs()
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					stream := core.RoomStream(fmt.Sprintf("room_%032d", w))
					var last core.Position
					for i := w; i < b.N; i += writers {
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
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkReplay measures one tail over 100,000 events.
func BenchmarkReplay(b *testing.B) {
	const total = 100_000
	l := memlog.New()
	ctx := context.Background()
	var last core.Position
	for i := range total {
		positions, err := l.Append(ctx, "s", last, []core.Event{message(i + 1)})
		require.NoError(b, err)
		last = positions[0]
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for batch, err := range l.Tail(ctx, 0) {
			require.NoError(b, err)
			if batch[len(batch)-1].Position == last {
				break
			}
		}
	}
	b.ReportMetric(float64(total)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
