package areyouaifront_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

// TestStreamBytes pins every byte of a stream.
func TestStreamBytes(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	sent := r.say(r.a, "line\none <&> \u2028")
	s := g.openStream(r.path("/events"), r.b.token, nil)
	defer s.close()
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store, no-cache, must-revalidate", "X-Accel-Buffering": "no",
		"X-Content-Type-Options": "nosniff", "Content-Encoding": "",
	} {
		require.Equal(t, want, s.resp.Header.Get(name), name)
	}
	require.Equal(t, []int64{1, 2, 3, 4, 5}, s.until(5))
	require.Equal(t, 200, g.post(r.path("/close"), r.b.token, "").status)
	require.Equal(t, []int64{6, 7}, s.until(7))
	const at = `"created_at":"2026-04-02T10:00:00Z"`
	lifecycle := func(id int, kind, sender string) string {
		return fmt.Sprintf("id: %d\nevent: %s\ndata: {\"event_id\":%d,\"type\":\"%s\",\"room_id\":%q,\"sender_id\":%q,%s}\n\n", id, kind, id, kind, r.id, sender, at)
	}
	require.Equal(t, "retry: 3000\n\n"+
		lifecycle(1, "room.created", r.a.id)+lifecycle(2, "room.joined", r.a.id)+
		lifecycle(3, "room.joined", r.b.id)+lifecycle(4, "room.state_changed", r.b.id)+
		fmt.Sprintf("id: 5\nevent: message.created\ndata: {\"event_id\":5,\"type\":\"message.created\",\"room_id\":%q,\"message_id\":%q,\"turn\":0,\"sender_id\":%q,\"ciphertext\":\"line\\none <&>\",%s}\n\n", r.id, sent.MessageID, r.a.id, at)+
		lifecycle(6, "room.state_changed", r.b.id)+lifecycle(7, "room.closed", r.b.id), s.raw.String())
}

// TestEmptyMessage: one that another door let in is a message with its text, on the stream and in the history.
func TestEmptyMessage(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.openRoom(g.person("Ada"))
	posted, _, err := g.node.PostMessage(t.Context(), r.id, core.PostMessage{Sender: r.a.id}, nil)
	require.NoError(t, err)
	object := fmt.Sprintf(`{"event_id":3,"type":"message.created","room_id":%q,"message_id":%q,"turn":0,"sender_id":%q,"ciphertext":"","created_at":"2026-04-02T10:00:00Z"}`, r.id, posted.Message, r.a.id)
	require.Equal(t, fmt.Sprintf(`{"room_id":%q,"items":[%s],"next_since":3}`+"\n", r.id, object), g.get(r.path("/events/history?since=2"), r.a.token).body)
	s := g.openStream(r.path("/events?since=2"), r.a.token, nil)
	defer s.close()
	s.until(3)
	require.Equal(t, "retry: 3000\n\nid: 3\nevent: message.created\ndata: "+object+"\n\n", s.raw.String())
}

// TestStreamRefusals: everything that can be refused is refused before a 200, in order.
func TestStreamRefusals(t *testing.T) {
	g := newGate(t, unlimited())
	r, stranger := g.room(), g.person("stranger")
	for _, tc := range []struct {
		path, token, lastID string
		status              int
	}{
		{"/v1/rooms/room_x/events?since=x", "", "", 401},
		{"/v1/rooms/room_x/events?since=x", r.a.token, "", 400},
		{"/v1/rooms/room_x/events?since=-1", r.a.token, "", 400},
		{"/v1/rooms/room_x/events?since=99999999999999999999", r.a.token, "", 400},
		{"/v1/rooms/room_x/events", r.a.token, "1.5", 400},
		{"/v1/rooms/room_x/events", r.a.token, "dly_1", 400},
		{"/v1/rooms/room_x/events?since=9", r.a.token, "", 404},
		{r.path("/events?since=9"), stranger.token, "", 403},
		{r.path("/events?since=5"), r.a.token, "", 400},
		{r.path("/events"), r.a.token, "5", 400},
		{r.path("/events?since=9223372036854775807"), r.a.token, "", 400},
	} {
		for _, tail := range []string{"", "/history"} {
			if tail != "" && tc.lastID != "" {
				continue
			}
			path, query := tc.path, ""
			for i := range path {
				if path[i] == '?' {
					path, query = tc.path[:i], tc.path[i:]
					break
				}
			}
			got := g.do(ask{method: "GET", path: path + tail + query, token: tc.token, header: map[string]string{"Last-Event-ID": tc.lastID}})
			require.Equal(t, tc.status, got.status, "%s%s: %s", tc.path, tail, got.body)
			require.Equal(t, "application/json", got.header.Get("Content-Type"))
		}
	}
}

// TestResume: after is strict, since beats the header, an empty since does not, and limit cuts nothing off.
func TestResume(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.roomOf(`{"topic":"t","max_turns":1000}`)
	r.talk(3)
	read := func(query, lastID string, until int64) []int64 {
		t.Helper()
		s := g.openStream(r.path("/events"+query), r.a.token, map[string]string{"Last-Event-ID": lastID})
		defer s.close()
		return s.until(until)
	}
	require.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7}, read("?since=0", "", 7))
	require.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7}, read("", "", 7))
	require.Equal(t, []int64{6, 7}, read("", "5", 7))
	require.Equal(t, []int64{4, 5, 6, 7}, read("?since=3", "6", 7))
	require.Equal(t, []int64{7}, read("?since=", "6", 7))
	s := g.openStream(r.path("/events?since=7"), r.a.token, nil)
	defer s.close()
	r.talk(1)
	require.EqualValues(t, 8, s.next().EventID, "nothing of what was seen comes again")
	r.talk(300)
	for _, query := range []string{"?since=0&limit=1000", "?limit=x", "?limit=1"} {
		require.Len(t, read(query, "", 308), 308)
	}
}

// TestNoHoleNoRepeat: readers that come, go and come back while messages are posted see each event once, in order.
func TestNoHoleNoRepeat(t *testing.T) {
	const messages = 400
	g := newGate(t, unlimited())
	r := g.roomOf(`{"topic":"t","max_turns":1000}`)
	var wg sync.WaitGroup
	for reader := range 6 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(reader)))
			seen := int64(0)
			for seen < messages+4 {
				resp, cancel := g.startStream(r.path(fmt.Sprintf("/events?since=%d", seen)), r.a.token, nil)
				s := newStreamReader(resp.Body)
				for n := rnd.IntN(80); n >= 0 && seen < messages+4; n-- {
					ev, err := s.event()
					if err != nil || ev.EventID != seen+1 {
						t.Errorf("after %d came %d, %v", seen, ev.EventID, err)
						seen = messages + 4
						break
					}
					seen = ev.EventID
				}
				cancel()
				resp.Body.Close()
			}
		})
	}
	for turn := range messages {
		cmd := core.PostMessage{Sender: []string{r.a.id, r.b.id}[turn%2], Text: fmt.Sprint(turn)}
		_, _, err := g.node.PostMessage(context.Background(), r.id, cmd, nil)
		require.NoError(t, err)
	}
	wg.Wait()
}

// TestHistoryPagesJoinUp: pages of any size, one after the other, are the stream.
func TestHistoryPagesJoinUp(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.roomOf(`{"topic":"t","max_turns":1000}`)
	for turn := range 446 {
		_, _, err := g.node.PostMessage(context.Background(), r.id, core.PostMessage{Sender: []string{r.a.id, r.b.id}[turn%2], Text: "x"}, nil)
		require.NoError(t, err)
	}
	for _, limit := range []string{"", "&limit=200", "&limit=5000", "&limit=99999999999999999999", "&limit=7", "&limit=1"} {
		size := map[string]int{"&limit=7": 7, "&limit=1": 1}[limit]
		if size == 0 {
			size = 200
		}
		since := int64(0)
		for since < 450 {
			page := as[areyouai.HistoryReply](g, 200, g.get(r.path(fmt.Sprintf("/events/history?since=%d%s", since, limit)), r.b.token))
			require.Len(t, page.Items, min(size, 450-int(since)))
			for _, ev := range page.Items {
				since++
				require.Equal(t, since, ev.EventID)
			}
			require.Equal(t, since, page.NextSince)
		}
		require.Equal(t, `{"room_id":"`+r.id+`","items":[],"next_since":450}`+"\n", g.get(r.path("/events/history?since=450"+limit), r.b.token).body)
	}
	for _, bad := range []string{"limit=0", "limit=-1", "limit=x", "since=x", "since=-1", "since=451", "since=1e3"} {
		require.Equal(t, "invalid_request", g.get(r.path("/events/history?"+bad), r.b.token).code(), bad)
	}
}

// TestHistoryPagesAreBounded: long messages of another door make shorter pages, which join up all the same.
func TestHistoryPagesAreBounded(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.openRoom(g.person("Ada"))
	text := strings.Repeat("x", 256<<10)
	for range 70 {
		_, _, err := g.node.PostMessage(context.Background(), r.id, core.PostMessage{Sender: r.a.id, Text: text}, nil)
		require.NoError(t, err)
	}
	since, pages := int64(0), 0
	for since < 72 {
		got := g.get(r.path(fmt.Sprintf("/events/history?since=%d", since)), r.a.token)
		require.Less(t, len(got.body), 17<<20)
		for _, ev := range as[areyouai.HistoryReply](g, 200, got).Items {
			since++
			require.Equal(t, since, ev.EventID)
		}
		pages++
	}
	require.Equal(t, 2, pages)
}

// TestHistoryShowsTheStreamsBytes: an item is the very object that the stream shows.
func TestHistoryShowsTheStreamsBytes(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	r.say(r.a, "a\ndata: {\"x\":1}\n\nid: 7")
	s := g.openStream(r.path("/events"), r.b.token, nil)
	defer s.close()
	body := `{"room_id":"` + r.id + `","items":[`
	for i := range 5 {
		f, err := s.reader.Next()
		require.NoError(t, err)
		if i > 0 {
			body += ","
		}
		body += string(f.Data)
	}
	require.Equal(t, body+`],"next_since":5}`+"\n", g.get(r.path("/events/history"), r.a.token).body)
}

// TestMembersReadAfterTheClose: also on a node that came up later and never saw them speak.
func TestMembersReadAfterTheClose(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	r.talk(1)
	require.Equal(t, 200, g.post(r.path("/close"), r.a.token, "").status)
	later := g.beside("later")
	for _, p := range []person{r.a, r.b} {
		s := later.openStream(r.path("/events"), p.token, nil)
		require.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7}, s.until(7))
		s.close()
		require.Len(t, as[areyouai.HistoryReply](later, 200, later.get(r.path("/events/history"), p.token)).Items, 7)
	}
}

// TestStreamOutlivesTheClose: it stays open, and silent, for a client that waits for more.
func TestStreamOutlivesTheClose(t *testing.T) {
	g := newGate(t, areyouaifront.Options{KeepAlive: 5 * time.Millisecond})
	r := g.room()
	s := g.openStream(r.path("/events?since=4"), r.a.token, nil)
	defer s.close()
	require.Equal(t, 200, g.post(r.path("/close"), r.b.token, "").status)
	require.Equal(t, []int64{5, 6}, s.until(6))
	for range 3 {
		f, err := s.reader.Next()
		require.NoError(t, err)
		require.True(t, f.Comment)
	}
	require.Contains(t, s.raw.String(), "\n\n: keepalive\n\n")
}

// TestStreamEndsWithItsSession: within one round of looking.
func TestStreamEndsWithItsSession(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Reauth: 5 * time.Millisecond})
	r := g.roomOf(`{"topic":"t","ttl_seconds":99999999}`)
	s := g.openStream(r.path("/events?since=4"), r.a.token, nil)
	defer s.close()
	r.talk(1)
	require.EqualValues(t, 5, s.next().EventID)
	g.clock.Advance(14 * 24 * time.Hour)
	require.Empty(t, s.ended(), "closed without a word")
	require.Equal(t, 401, g.get(r.path("/events"), r.a.token).status)
}

// TestDrainEndsStreams: between two frames, and new ones are refused.
func TestDrainEndsStreams(t *testing.T) {
	g := newGate(t, areyouaifront.Options{KeepAlive: 5 * time.Millisecond})
	r := g.room()
	s := g.openStream(r.path("/events"), r.a.token, nil)
	defer s.close()
	s.until(4)
	f, err := s.reader.Next()
	require.NoError(t, err)
	require.True(t, f.Comment, "the stream is idle now")
	g.front.Drain()
	g.front.Drain()
	require.Empty(t, s.ended())
	got := g.get(r.path("/events"), r.a.token)
	require.Equal(t, 503, got.status)
	require.Equal(t, `{"error":"internal_error","status":503,"recoverable":true,"hint":"The gateway cannot do this at the moment. Retry later with increasing delays."}`+"\n", got.body)
	require.Equal(t, 200, g.get(r.path("/state"), r.a.token).status)
}
