package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const typingStarted = "room_id string, actor_id string, state string, ttl_ms int, expires_at string"

func (r *room) types(t *testing.T, who *agent, body any) answer {
	t.Helper()
	return who.post(t, r.path("/typing"), body)
}

// viewerEvents opens the stream of a new viewer.
func (r *room) viewerEvents(t *testing.T) *stream {
	t.Helper()
	return r.s.opens(t, r.path("/viewer-events"), r.watches(t))
}

// typing is the next frame of a viewer's stream, about an agent.
func (st *stream) typing(t *testing.T, who *agent, state string) object {
	t.Helper()
	f := st.hears(t, "agent.typing")
	require.Empty(t, f.id)
	fields := "type string, room_id string, actor_id string, state string, created_at string, expires_at string"
	if state == "start" {
		fields += ", ttl_ms int"
	}
	o := shape(t, f.body, fields)
	require.Equal(t, who.id, o["actor_id"])
	require.Equal(t, state, o["state"])
	instant(t, o["created_at"])
	return o
}

func TestTyping(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("start and stop", func(t *testing.T) {
		shows(t, "3.11-start", "3.11-stop", "3.11-refresh", "3.11-ends", "3.11-unlogged", "8.1-frame-viewer", "8.4-frame", "8.4-start", "13-12", "3.0-16", "3.0-22")
		r := s.room(t)
		before := r.opens(t, r.a, "?since=4")
		st := r.viewerEvents(t)
		o := shape(t, r.types(t, r.a, object{"state": " start ", "ttl_ms": 30000}).is(200).object(), typingStarted)
		require.Equal(t, object{"room_id": r.id, "actor_id": r.a.id, "state": "start", "ttl_ms": 30000.0, "expires_at": o["expires_at"]}, o)
		f := st.typing(t, r.a, "start")
		require.Equal(t, 30000.0, f["ttl_ms"])
		require.Equal(t, r.id, f["room_id"])
		require.Equal(t, 30*time.Second, instant(t, f["expires_at"]).Sub(instant(t, f["created_at"])).Round(time.Second))
		require.Equal(t, 30000.0, r.viewerEvents(t).typing(t, r.a, "start")["ttl_ms"], "a later viewer is told first")
		shape(t, r.types(t, r.a, object{"state": "start", "ttl_ms": 20000}).is(200).object(), typingStarted)
		require.Equal(t, 20000.0, st.typing(t, r.a, "start")["ttl_ms"])
		for _, cleared := range []bool{true, false} {
			require.Equal(t, object{"room_id": r.id, "actor_id": r.a.id, "state": "stop", "cleared": cleared},
				r.types(t, r.a, object{"state": "stop"}).is(200).object())
		}
		st.typing(t, r.a, "stop")
		r.types(t, r.b, object{"state": "stop", "ttl_ms": -1}).is(200)
		require.Len(t, r.history(t, r.a, 0), 4)
		r.say(t, "after it")
		before.hears(t, "message.created")
	})
	t.Run("refusals", func(t *testing.T) {
		shows(t, "3.11-400", "3.11-order", "3.11-stop", "10-ttl_ms")
		r, open, closed, stranger := s.room(t), s.agent(t).lists(t, nil), s.room(t), s.agent(t)
		closed.close(t, closed.a)
		for _, body := range []any{"", "[", "[]", object{}, object{"state": "dance"}, object{"state": 1}, object{"state": "start", "ttl_ms": "7"}} {
			stranger.post(t, "/v1/rooms/room_none/typing", body).refused("invalid_request")
		}
		require.NotEmpty(t, r.types(t, r.a, object{"state": "dance"}).refused("invalid_request")["hint"])
		bad := object{"state": "start", "ttl_ms": 0}
		stranger.post(t, "/v1/rooms/room_none/typing", bad).refused("room_not_found")
		r.types(t, stranger, bad).refused("forbidden")
		for _, ended := range []*room{open, closed} {
			ended.types(t, ended.a, bad).refused("room_not_active")
			ended.types(t, ended.a, object{"state": "stop"}).is(200)
		}
		r.types(t, r.b, bad).refused("turn_mismatch")
		for _, ttl := range []int{0, -1} {
			require.NotEmpty(t, r.types(t, r.a, object{"state": "start", "ttl_ms": ttl}).refused("invalid_request")["hint"])
		}
	})
	t.Run("ttl", func(t *testing.T) {
		shows(t, "3.11-ttl", "10-ttl_ms")
		r := s.room(t)
		for given, want := range map[any]float64{nil: 7000, 1: 1000, 999: 1000, 1001: 1001, 29999: 29999, 30001: 30000, 1 << 60: 30000} {
			body := object{"state": "start"}
			if given != nil {
				body["ttl_ms"] = given
			}
			asked := time.Now()
			o := r.types(t, r.a, body).is(200).object()
			require.Equal(t, want, o["ttl_ms"])
			left := instant(t, o["expires_at"]).Sub(asked)
			require.InDelta(t, want/1000, left.Seconds(), patience.Seconds(), fmt.Sprint(given))
		}
	})
	t.Run("ends", func(t *testing.T) {
		shows(t, "3.11-ends", "8.4-expiry", "6-typing", "8.1-ends-viewer", "14-9")
		r := s.roomWith(t, object{"max_turns": 2})
		st := r.viewerEvents(t)
		r.types(t, r.a, object{"state": "start", "ttl_ms": 1000}).is(200)
		st.typing(t, r.a, "start")
		st.typing(t, r.a, "stop")
		require.Equal(t, false, r.types(t, r.a, object{"state": "stop"}).is(200).object()["cleared"])
		long := object{"state": "start", "ttl_ms": 30000}
		r.types(t, r.a, long).is(200)
		began := st.typing(t, r.a, "start")
		r.say(t, "said")
		ended := st.typing(t, r.a, "stop")
		require.True(t, instant(t, ended["created_at"]).Before(instant(t, began["expires_at"])), "the message ends it, and not its time")
		require.Equal(t, false, r.types(t, r.a, object{"state": "stop"}).is(200).object()["cleared"])
		r.types(t, r.b, long).is(200)
		began = st.typing(t, r.b, "start")
		r.say(t, "the last")
		ended = st.typing(t, r.b, "stop")
		require.True(t, instant(t, ended["created_at"]).Before(instant(t, began["expires_at"])), "the end of the room ends it")
		st.over(t)
		require.Equal(t, false, r.types(t, r.b, object{"state": "stop"}).is(200).object()["cleared"])
		_, refusal := s.tries(t, r.path("/viewer-events"), r.watches(t))
		refusal.refused("gone")
	})
}
