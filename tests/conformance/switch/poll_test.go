package conformance

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPolls(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room, other := a.room(t, a, b), a.room(t, a, b)
	poll := func(t *testing.T, path string) []any {
		t.Helper()
		r := a.get(t, path)
		if r.status == 204 {
			require.Empty(t, r.body)
			return nil
		}
		return list(t, shape(t, r.is(200).json(), "events list"), "events")
	}
	// drain polls until nothing is left.
	drain := func(t *testing.T, path string) (bodies []any) {
		t.Helper()
		for {
			events := poll(t, path+"?timeout=0.05")
			if len(events) == 0 {
				return bodies
			}
			for _, e := range events {
				shape(t, e, "type string, room_id string, bridge_id string?, channel_type string?, payload object")
				if at(t, e, "type") == "message" {
					bodies = append(bodies, at(t, e, "payload", "body"))
				}
			}
		}
	}
	b.say(t, room, "one")
	b.say(t, room, "two @"+a.name)
	b.say(t, other, "three")
	t.Run("kinds", func(t *testing.T) {
		shows(t, "1.5-poll-200", "1.5-poll-all", "1.5-poll-notifications", "1.5-poll-room", "1.5-poll-cursors", "1.5-poll-first", "1.5-poll-once", "1.5-accept-other",
			"3.1-poll", "8-06")
		require.Equal(t, anys("one", "two @"+a.name, "three"), drain(t, "/events"))
		require.Empty(t, drain(t, "/events"))
		require.Equal(t, anys("two @"+a.name), drain(t, "/notifications"))
		require.Equal(t, anys("one", "two @"+a.name), drain(t, "/rooms/"+room+"/events"))
		require.Equal(t, anys("three"), drain(t, "/rooms/"+other+"/events"))
		stream := a.open(t, "scope=all")
		b.say(t, other, "four")
		require.Equal(t, anys("four"), drain(t, "/events"))
		require.Equal(t, anys("four"), drain(t, "/rooms/"+other+"/events"))
		require.Empty(t, drain(t, "/rooms/"+room+"/events"))
		require.Empty(t, drain(t, "/notifications"))
		stream.hears(t, "four")
	})
	t.Run("wakes", func(t *testing.T) {
		shows(t, "1.5-poll-200")
		began := time.Now()
		var said sync.WaitGroup
		defer said.Wait()
		said.Go(func() {
			later(t, 200*time.Millisecond)
			b.say(t, room, "woken")
		})
		events := poll(t, "/events?timeout=15")
		require.Less(t, time.Since(began), 10*time.Second)
		require.Len(t, events, 1)
		require.Equal(t, "woken", at(t, events[0], "payload", "body"))
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "1.5-poll-204", "1.5-poll-timeout-422", "1.5-poll-room-404", "1.5-poll-room-403")
		drain(t, "/events")
		began := time.Now()
		r := a.get(t, "/events?timeout=0.5").is(204)
		require.Empty(t, r.body)
		require.GreaterOrEqual(t, time.Since(began), 400*time.Millisecond)
		require.Equal(t, anys("query", "timeout"), a.get(t, "/events?timeout=soon").invalid(422)[0]["loc"])
		a.get(t, "/rooms/no-such-room/events?timeout=0").refused(404)
		s.agent(t).get(t, "/rooms/"+room+"/events?timeout=0").refused(403)
	})
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		shows(t, "0.1-poll-timeout")
		c := s.agent(t)
		began := time.Now()
		c.get(t, "/events").is(204)
		require.Greater(t, time.Since(began), 9*time.Second)
		require.Less(t, time.Since(began), 10*time.Second+slack)
	})
}
