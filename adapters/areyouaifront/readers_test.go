package areyouaifront_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

// TestEncodedOnce: however many read, an event of a live room is encoded once.
func TestEncodedOnce(t *testing.T) {
	const readers, messages = 50, 20
	g := newGate(t, unlimited())
	r := g.roomOf(`{"topic":"t","max_turns":1000}`)
	var encoded atomic.Int64
	g.front.CountEncodings(func(*core.Entry) { encoded.Add(1) })
	streams := make([]*eventStream, readers)
	for i := range streams {
		streams[i] = g.openStream(r.path("/events?since=4"), r.a.token, nil)
		defer streams[i].close()
	}
	r.talk(messages)
	for _, s := range streams {
		require.Len(t, s.until(messages+4), messages)
	}
	require.EqualValues(t, messages, encoded.Load())
}

// TestSilentReaderDelaysNobody: beside one that never reads the others get everything.
func TestSilentReaderDelaysNobody(t *testing.T) {
	const readers, messages = 10, 200
	g := newGate(t, unlimited())
	r := g.roomOf(`{"topic":"t","max_turns":1000000}`)

	defer g.openSilent(r, r.a).Close()
	require.Eventually(t, func() bool { return g.front.OpenStreams() == 1 }, patience, time.Millisecond)

	text := strings.Repeat("x", 8000)
	var wg sync.WaitGroup
	for range readers {
		s := g.openStream(r.path("/events?since=4"), r.b.token, nil)
		defer s.close()
		wg.Go(func() {
			for id := int64(5); id <= messages+4; id++ {
				ev, err := (streamReader{s.reader}).event()
				if err != nil || ev.EventID != id || ev.Ciphertext != text {
					t.Errorf("instead of event %d came %d, %v", id, ev.EventID, err)
					return
				}
			}
		})
	}
	for turn := range messages {
		cmd := core.PostMessage{Sender: []string{r.a.id, r.b.id}[turn%2], Text: text}
		_, _, err := g.node.PostMessage(context.Background(), r.id, cmd, nil)
		require.NoError(t, err)
	}
	wg.Wait()
	require.Equal(t, readers+1, g.front.OpenStreams(), "nor was the silent one ended before its time")
}

// openSilent opens a stream from which nothing is ever read.
func (g *gate) openSilent(r room, p person) net.Conn {
	g.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(g.t, err)
	require.NoError(g.t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\n\r\n", r.path("/events"), p.token)
	require.NoError(g.t, err)
	return conn
}

// TestSilentReadersAreBounded: what is held for one that reads nothing is a batch, not what it has yet to read, and in the
// end it is cut off.
func TestSilentReadersAreBounded(t *testing.T) {
	const readers, messages, perReader = 40, 600, 1 << 20
	o := unlimited()
	o.ProgressTimeout = 2 * time.Second
	g := newGate(t, o)
	r := g.roomOf(`{"topic":"t","max_turns":1000000}`)
	text := strings.Repeat("x", 8000)
	for turn := range messages {
		cmd := core.PostMessage{Sender: []string{r.a.id, r.b.id}[turn%2], Text: text}
		_, _, err := g.node.PostMessage(context.Background(), r.id, cmd, nil)
		require.NoError(t, err)
	}
	before := heap()
	for range readers {
		defer g.openSilent(r, r.a).Close()
	}
	require.Eventually(t, func() bool { return g.front.OpenStreams() == readers }, patience, time.Millisecond)
	most := int64(0)
	require.Eventually(t, func() bool {
		most = max(most, heap()-before)
		return g.front.OpenStreams() == 0
	}, patience, 50*time.Millisecond)
	require.Less(t, most, int64(readers*perReader))
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestThousandConnections leave goroutines and streams where they were.
func TestThousandConnections(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.room()
	g.openStream(r.path("/events"), r.a.token, nil).close()
	require.Eventually(t, func() bool { return g.front.OpenStreams() == 0 }, patience, time.Millisecond)
	g.web.CloseIdleConnections()
	before := runtime.NumGoroutine()
	for range 20 {
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+r.path("/events"), nil)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+r.a.token)
				resp, err := g.web.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				if ev, err := newStreamReader(resp.Body).event(); err != nil || ev.EventID != 1 {
					t.Errorf("first event %v, %v", ev.EventID, err)
				}
			})
		}
		wg.Wait()
	}
	require.Eventually(t, func() bool { return g.front.OpenStreams() == 0 }, patience, time.Millisecond)
	g.web.CloseIdleConnections()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+5 }, patience, 10*time.Millisecond)
}

// TestDeletedAgentsStreamsEnd: at once, and its session opens nothing from then on.
func TestDeletedAgentsStreamsEnd(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada, bob := g.person("Ada"), g.person("Bob")
	r := g.openRoom(ada, bob)
	stays, goes := g.openStream(r.path("/events"), ada.token, nil), g.openStream(r.path("/events"), bob.token, nil)
	defer stays.close()
	defer goes.close()
	require.Equal(t, []int64{1, 2, 3}, stays.until(3))
	require.Equal(t, []int64{1, 2, 3}, goes.until(3))
	require.NoError(t, g.node.DeleteAgent(t.Context(), bob.id))
	require.Empty(t, goes.ended())
	require.Equal(t, 401, g.get(r.path("/events"), bob.token).status)
	require.Equal(t, 401, g.post("/v1/agent/login", "", `{"api_key":"`+bob.key+`"}`).status)
	r.say(ada, "he is gone")
	require.EqualValues(t, 5, stays.next().EventID)
}

// TestUnknownEventsAreLeftOut: an event without a word here shows as a missing id, and one who leaves a room hears
// nothing of what comes after.
func TestUnknownEventsAreLeftOut(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada, bob, eve := g.person("Ada"), g.person("Bob"), g.person("Eve")
	r := g.openRoom(ada, bob, eve)
	stays := g.openStream(r.path("/events"), ada.token, nil)
	defer stays.close()
	leaves := g.openStream(r.path("/events"), eve.token, nil)
	defer leaves.close()
	require.Equal(t, []int64{1, 2, 3, 4}, stays.until(4))
	require.Equal(t, []int64{1, 2, 3, 4}, leaves.until(4))

	stream := core.RoomStream(r.id)
	last, err := g.log.Last(t.Context(), stream)
	require.NoError(t, err)
	_, err = g.log.Append(t.Context(), stream, last, []core.Event{
		{Kind: "room.newer_than_this_program", Version: 5, At: g.node.Now(), Body: []byte(`{}`)},
		{Kind: core.MemberLeft, Version: 6, At: g.node.Now(), Body: []byte(`{"agent":"` + eve.id + `"}`)},
	})
	require.NoError(t, err)
	require.Empty(t, leaves.ended())
	r.say(ada, "she is gone")
	require.EqualValues(t, 7, stays.next().EventID)
	page := as[areyouai.HistoryReply](g, 200, g.get(r.path("/events/history?since=4"), bob.token))
	require.Len(t, page.Items, 1)
	require.EqualValues(t, 7, page.NextSince)
	resumed := g.openStream(r.path("/events?since=5"), bob.token, nil)
	defer resumed.close()
	require.EqualValues(t, 7, resumed.next().EventID, "an id that was left out serves as a cursor")
	require.Equal(t, 403, g.get(r.path("/events"), eve.token).status)
}
