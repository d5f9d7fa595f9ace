package transport_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// TestPaceFollowsTheStreamsAtWork: the more streams have something to do, the longer each lets events gather, up to a
// bound. Streams at rest do not count.
func TestPaceFollowsTheStreamsAtWork(t *testing.T) {
	const count = 20
	streams, release := make(chan *attendant, count), make(chan struct{})
	recycler, addr := serveRecycling(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		a := &attendant{es: es, ended: make(chan struct{})}
		a.turn = func(ctx context.Context, turns int64) (time.Time, bool) {
			if turns == 2 {
				<-release
			}
			return never(), ctx.Err() == nil
		}
		streams <- a
		es.Attend(a)
	}))
	recycler.SetShare(2 * time.Millisecond)
	var all []*attendant
	for range count {
		get(t, addr, "HTTP/1.1", "")
		all = append(all, receive(t, streams, "no stream"))
	}
	atWork := func(want int) {
		t.Helper()
		require.Eventually(t, func() bool { return recycler.Working() == want }, patience, time.Millisecond)
	}
	atWork(0)
	require.Equal(t, transport.DefaultGather, all[0].es.Gather())
	for i, a := range all {
		a.es.Wake()
		atWork(i + 1)
		require.Equal(t, max(2, 2*time.Duration(i+1))*time.Millisecond, all[0].es.Gather())
	}
	recycler.SetShare(time.Second)
	require.Equal(t, 100*time.Millisecond, all[0].es.Gather(), "a bound")
	close(release)
	atWork(0)
	require.Equal(t, transport.DefaultGather, all[0].es.Gather())
}
