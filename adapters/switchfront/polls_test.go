package switchfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// poll asks for events and returns the bodies of the messages in the answer; nothing for a 204.
func (a *agent) poll(path string) (bodies []string) {
	a.g.t.Helper()
	r := a.g.do("GET", a.path(path), a.key, "")
	return a.polled(r)
}

func (a *agent) polled(r reply) (bodies []string) {
	a.g.t.Helper()
	if r.status == 204 {
		require.Empty(a.g.t, r.body)
		require.NotContains(a.g.t, r.header, "Content-Type")
		return nil
	}
	require.Equal(a.g.t, 200, r.status, r.body)
	require.Equal(a.g.t, "application/json", r.header.Get("Content-Type"))
	var out struct {
		Events []struct {
			Type    string
			Payload struct{ Body string }
		}
	}
	require.NoError(a.g.t, json.Unmarshal([]byte(r.body), &out))
	require.NotEmpty(a.g.t, out.Events)
	for _, e := range out.Events {
		require.Equal(a.g.t, "message", e.Type)
		bodies = append(bodies, e.Payload.Body)
	}
	return bodies
}

// TestPollersSeeTheSameEvents: each kind of poller has a place of its own, begins at the oldest event that is kept, and
// is handed each event once.
func TestPollersSeeTheSameEvents(t *testing.T) {
	log := memlog.New()
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	g := newGateway(t, setup{log: log, node: core.Options{NodeID: "one"}})
	a, b := g.register("alice"), g.register("bob")
	room, other := a.room("", b, a), a.room("", b, a)
	b.post(room, "one")
	a.post(room, "own")
	b.post(other, "@alice two")
	s := a.open("c-1", "&scope=all&start_from=0").hello()
	require.Equal(t, "one", s.body())
	require.Equal(t, "@alice two", s.body())

	first := g.do("GET", a.path("/events?timeout=0"), a.key, "")
	require.Equal(t, 200, first.status)
	require.NotContains(t, first.body, "sequence")
	require.True(t, strings.HasPrefix(first.body, `{"events":[{"type":"message","room_id":"`+room+`","bridge_id":null,"channel_type":"channel_public",`+
		`"payload":{"addressed":false,"sender":"`+b.id+`"`), first.body)
	require.Equal(t, []string{"one", "@alice two"}, a.polled(first))
	require.Equal(t, []string{"@alice two"}, a.poll("/notifications?timeout=0"))
	require.Equal(t, []string{"one"}, a.poll("/rooms/"+room+"/events?timeout=0"))
	require.Equal(t, []string{"@alice two"}, a.poll("/rooms/"+other+"/events?timeout=0"))
	for _, path := range []string{"/events", "/notifications", "/rooms/" + room + "/events", "/rooms/" + other + "/events"} {
		require.Empty(t, a.poll(path+"?timeout=0"), path)
	}

	// The places are in the log: another gateway goes on from them.
	b.post(room, "three")
	two := newGateway(t, setup{log: log, node: core.Options{NodeID: "two"}})
	eventually(t, "the other node knows the message", func() bool { return two.node.Applied() >= g.node.Applied() })
	require.Equal(t, []string{"three"}, a.on(two).poll("/events?timeout=0"))
	eventually(t, "the first node knows that it was handed out", func() bool { return g.node.Applied() >= two.node.Applied() })
	require.Empty(t, a.poll("/events?timeout=0"))
	require.Equal(t, []string{"three"}, a.poll("/rooms/"+room+"/events?timeout=0"))
}

// TestPollWaits until something comes that is for its poller.
func TestPollWaits(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, other := a.room("", b, a), a.room("", b, a)
	for path, want := range map[string]string{
		"/events": "quiet", "/notifications": "@alice loud", "/rooms/" + room + "/events": "@alice loud",
	} {
		a.poll(path + "?timeout=0")
		answered := make(chan []string, 1)
		go func() { answered <- a.poll(path + "?timeout=59.5") }()
		eventually(t, "the poll waits", func() bool { return g.front.WaitingPolls(a.id) == 1 })
		b.post(other, "quiet")
		b.post(room, "@alice loud")
		select {
		case got := <-answered:
			require.Equal(t, want, got[0], path)
		case <-time.After(patience):
			t.Fatal("the poll was not answered")
		}
	}
	eventually(t, "no poll is counted any more", func() bool { return g.front.WaitingPolls(a.id) == 0 })
	a.poll("/notifications?timeout=0")
	before := g.node.Applied()
	start := time.Now()
	require.Empty(t, a.poll("/notifications?timeout=0.05"))
	require.GreaterOrEqual(t, time.Since(start), 50*time.Millisecond)
	require.Equal(t, before, g.node.Applied(), "a poll without events leaves no trace")
}

// TestPollsShareTheirEvents: of several polls of one kind each event goes to one, and none to nobody.
func TestPollsShareTheirEvents(t *testing.T) {
	const polls, messages = 8, 20
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", b, a)
	a.poll("/events?timeout=0")
	var mu sync.Mutex
	heard := map[string]int{}
	total := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(heard)
	}
	var wg sync.WaitGroup
	for range polls {
		wg.Go(func() {
			for total() < messages {
				for _, body := range a.poll("/events?timeout=60") {
					mu.Lock()
					heard[body]++
					mu.Unlock()
				}
			}
		})
	}
	for i := range messages {
		eventually(t, "all polls wait", func() bool { return g.front.WaitingPolls(a.id) == polls })
		b.post(room, fmt.Sprint(i))
		eventually(t, "one of them hears it", func() bool { return total() == i+1 })
	}
	g.front.Drain()
	wg.Wait()
	for i := range messages {
		require.Equal(t, 1, heard[fmt.Sprint(i)], "message %d", i)
	}
}

// TestPollAnswersAreBounded: what does not fit is for the next poll, in order and without loss.
func TestPollAnswersAreBounded(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", b, a)
	var want []string
	for i := range 450 {
		text := fmt.Sprint(i)
		if i >= 440 {
			text += strings.Repeat("x", 250<<10)
		}
		b.post(room, text)
		want = append(want, text)
	}
	var got []string
	for {
		bodies := a.poll("/events?timeout=0")
		if bodies == nil {
			break
		}
		require.LessOrEqual(t, len(bodies), 200)
		size := 0
		for _, text := range bodies {
			size += len(text)
		}
		require.LessOrEqual(t, size, 3<<19)
		got = append(got, bodies...)
	}
	require.Equal(t, want, got)
}

// TestPollEndsWithItsClient, and with the front.
func TestPollEndsWithItsClient(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", g.url+a.path("/events?timeout=60"), nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+a.key)
	gone := make(chan error, 1)
	go func() {
		res, err := g.http.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		gone <- err
	}()
	eventually(t, "the poll waits", func() bool { return g.front.WaitingPolls(a.id) == 1 })
	cancel()
	require.ErrorIs(t, <-gone, context.Canceled)
	eventually(t, "the poll ends", func() bool { return g.front.WaitingPolls(a.id) == 0 })

	answered := make(chan reply, 1)
	go func() { answered <- g.do("GET", a.path("/notifications?timeout=60"), a.key, "") }()
	eventually(t, "the poll waits", func() bool { return g.front.WaitingPolls(a.id) == 1 })
	g.front.Drain()
	select {
	case r := <-answered:
		require.Equal(t, 204, r.status)
	case <-time.After(patience):
		t.Fatal("the poll went on")
	}
	require.Equal(t, 503, g.do("GET", a.path("/notifications?timeout=60"), a.key, "").status)
}

// TestPollsAreLimited per agent.
func TestPollsAreLimited(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	const limit = 32
	done := make(chan reply, limit)
	for range limit {
		go func() { done <- g.do("GET", a.path("/events?timeout=60"), a.key, "") }()
	}
	eventually(t, "all polls wait", func() bool { return g.front.WaitingPolls(a.id) == limit })
	r := g.do("GET", a.path("/notifications?timeout=60"), a.key, "")
	require.Equal(t, 409, r.status)
	requireDetail(t, r)
	require.NotContains(t, r.body, "is not open")
	require.Empty(t, b.poll("/events?timeout=0"))
	g.front.Drain()
	for range limit {
		require.Equal(t, 204, (<-done).status)
	}
}

// TestPollsForgetTheExpired: a poller that stands behind what is kept begins at the oldest event that is.
func TestPollsForgetTheExpired(t *testing.T) {
	now := newClock()
	g := newGateway(t, setup{node: core.Options{Now: now.Now, RetainAge: time.Hour}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", b, a)
	b.post(room, "old")
	now.Advance(2 * time.Hour)
	b.post(room, "new")
	require.Equal(t, []string{"new"}, a.poll("/events?timeout=0"))
	b.post(room, "missed")
	now.Advance(2 * time.Hour)
	b.post(room, "newer")
	require.Equal(t, []string{"newer"}, a.poll("/events?timeout=0"))
}

// TestPollRemembersWhatItPassedOver, so that a poller for which there is nothing does not read all of it again and again.
func TestPollRemembersWhatItPassedOver(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", b, a)
	for range 1100 {
		b.post(room, "quiet")
	}
	before := g.node.Applied()
	require.Empty(t, a.poll("/notifications?timeout=0"))
	require.GreaterOrEqual(t, g.node.PollerAt(a.id, "notifications"), before)
	b.post(room, "@alice loud")
	require.Equal(t, []string{"@alice loud"}, a.poll("/notifications?timeout=0"))
}

func TestPollRefusals(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	foreign := b.room("", b)
	for path, want := range map[string]int{
		"/events?timeout=soon": 422, "/events?timeout=nan": 422, "/notifications?timeout=": 422,
		"/rooms/room_x/events?timeout=0": 404, "/rooms/" + foreign + "/events?timeout=0": 403,
	} {
		before := g.node.Applied()
		r := g.do("GET", a.path(path), a.key, "", "Accept: application/json")
		require.Equal(t, want, r.status, path)
		requireDetail(t, r)
		require.Equal(t, before, g.node.Applied())
	}
	require.Equal(t, 403, g.do("GET", b.path("/notifications"), a.key, "").status)
	require.Equal(t, 403, g.do("GET", b.path("/rooms/"+foreign+"/events"), a.key, "").status)
	require.Equal(t, 403, g.do("GET", b.path("/events"), a.key, "").status)
	require.Empty(t, a.poll("/events?timeout=-5"), "a negative time is none")
}
