package switchfront_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
)

// TestEachFormIsEncodedOnce, whatever the number of streams.
func TestEachFormIsEncodedOnce(t *testing.T) {
	const streams, messages = 50, 20
	g := newGateway(t, setup{})
	var encodes atomic.Int64
	g.front.WatchEncodes(func() { encodes.Add(1) })
	sender := g.register("sender")
	members := []*agent{sender}
	for i := range streams / 2 {
		members = append(members, g.register(fmt.Sprintf("reader-%d", i)))
	}
	room := sender.room("", members...)
	var taps []*tap
	for _, m := range members[1:] {
		taps = append(taps, m.open(m.name+"-1", "&scope=all").hello(), m.open(m.name+"-2", "&scope=all").hello())
	}
	require.Len(t, taps, streams)
	for i := range messages {
		text := fmt.Sprintf("@reader-7 %d", i)
		sender.post(room, text)
		for _, s := range taps {
			require.Equal(t, text, s.body())
		}
	}
	require.EqualValues(t, 2*messages, encodes.Load(), "one form for whom it addresses, one for the others")
}

// TestReaderThatNeverReads does not delay the others, and loses its stream in the end.
func TestReaderThatNeverReads(t *testing.T) {
	const messages = 400
	g := newGateway(t, setup{front: switchfront.Options{ProgressTimeout: 500 * time.Millisecond}})
	a, b, sender := g.register("alice"), g.register("bob"), g.register("sender")
	room := sender.room("", a, b, sender)
	conn, err := net.DialTCP("tcp", nil, tcpAddr(t, g))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetReadBuffer(4<<10))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n\r\n",
		a.path("/events?connection_id=stuck&rooms="+room), a.key)
	require.NoError(t, err)
	eventually(t, "the stream is open", func() bool { return a.beat("stuck", 0).status == 200 })

	good := b.open("good", "&rooms="+room).hello()
	text := strings.Repeat("x", 64<<10)
	for i := range messages {
		sender.post(room, fmt.Sprintf("%d %s", i, text))
		require.True(t, strings.HasPrefix(good.body(), fmt.Sprintf("%d ", i)))
	}
	eventually(t, "the stream of the reader that never reads ends", func() bool { return a.beat("stuck", 0).status == 409 })
}

func tcpAddr(t *testing.T, g *gateway) *net.TCPAddr {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(t, err)
	return addr
}

// TestTurnIsBoundedByBytes: what one turn holds for a client does not grow with the size of messages.
func TestTurnIsBoundedByBytes(t *testing.T) {
	require.Equal(t, []int{256, 64, 8, 8, 256},
		switchfront.BatchLimits([2]int{64, 64 * 300}, [2]int{64, 1 << 20}, [2]int{4, 4 << 20}, [2]int{0, 0}, [2]int{8, 0}))
}

// TestConnectsLeaveNothing: a thousand connects and disconnects leave goroutines and the guard's memory as they were.
func TestConnectsLeaveNothing(t *testing.T) {
	const agents, each = 8, 125
	g := newGateway(t, setup{})
	var all []*agent
	for i := range agents {
		all = append(all, g.register(fmt.Sprintf("agent-%d", i)))
	}
	all[0].open("warm-up", "").hello().close()
	g.http.CloseIdleConnections()
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for _, a := range all {
		wg.Go(func() {
			for i := range each {
				s, err := a.tryOpen(fmt.Sprintf("%s-%d", a.name, i%16), "")
				if err != nil || s.status != 200 {
					t.Errorf("open: %v %+v", err, s)
					return
				}
				if f := <-s.frames; !strings.Contains(f, "event: connection_state\n") {
					t.Errorf("first frame %q", f)
				}
				s.close()
			}
		})
	}
	wg.Wait()
	g.http.CloseIdleConnections()
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before+2 })
	eventually(t, "no stream is remembered", func() bool { return g.front.StormEntries() <= agents*16 })
}
