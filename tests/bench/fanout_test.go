package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// fanOut posts b.N messages and waits until every reader has encoded bytes for each of them.
func fanOut(b *testing.B, readers int) {
	log := memlog.New()
	n, err := core.Open(b.Context(), log, core.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, n.Close(context.Background())) }()
	alice, rooms := roomsOf(b, n, 1)
	slot := n.NewSlot()
	var encodings, deliveries atomic.Int64
	encode := func(e *core.Entry) []byte {
		encodings.Add(1)
		return append([]byte(nil), e.Payload.(*core.MessagePostedEvent).Text...)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	b.ResetTimer()
	for range readers {
		r := n.NewRoomReader(rooms[0], n.Applied())
		wg.Go(func() {
			defer r.Close()
			left := b.N
			var entries []*core.Entry
			for left > 0 {
				var err error
				if entries, err = r.Read(ctx, 256, entries[:0]); err != nil {
					b.Error(err)
					return
				}
				for _, e := range entries {
					e.Encoded(slot, encode)
				}
				deliveries.Add(int64(len(entries)))
				if left -= len(entries); left > 0 && len(entries) == 0 {
					<-r.Wake()
				}
			}
		})
	}
	for range b.N {
		_, _, err := n.PostMessage(ctx, rooms[0], core.PostMessage{Sender: alice.ID, Text: body}, nil)
		require.NoError(b, err)
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(deliveries.Load())/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(float64(encodings.Load())/float64(b.N), "encodings/event")
	// A reader that fell out of the ring encodes for itself; one that keeps up never does.
	if readers == 1 && encodings.Load() != int64(b.N) {
		b.Errorf("%d encodings for %d events", encodings.Load(), b.N)
	}
}
