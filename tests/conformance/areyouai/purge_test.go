package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/adapters/webhook"
	"stele/core"
	"stele/internal/seal"
	"stele/internal/testclock"
)

// purging is a policy with the times of the reference.
var purging = core.PurgePolicy{Grace: 2 * time.Minute, Retention: 24 * time.Hour}

// calling are the options of a gateway that sends webhooks to this machine.
func calling(t *testing.T) areyouaifront.Options {
	t.Helper()
	keys, err := seal.ParseKeyset("k1=0123456789abcdef")
	require.NoError(t, err)
	sender, err := webhook.NewSender(webhook.Options{AllowLoopback: true})
	require.NoError(t, err)
	return areyouaifront.Options{Keys: keys, Sender: sender}
}

// purged makes a room that has been purged.
func purged(t *testing.T, s *server, c *testclock.Clock) *room {
	t.Helper()
	r := s.room(t)
	r.say(t, "the secret word")
	r.close(t, r.a)
	c.Advance(purging.Grace)
	waitPurged(t, r)
	return r
}

func waitPurged(t *testing.T, r *room) {
	t.Helper()
	waitFor(t, "the room is purged", func() bool { return r.state(t)["state"] == "PURGED" })
}

// TestStates goes through what works per state.
func TestStates(t *testing.T) {
	t.Parallel()
	s, c := inside(t, purging, areyouaifront.Options{})
	lonely := s.agent(t).lists(t, nil)
	lonely.close(t, lonely.a)
	stateOf := map[string]*room{"PURGED": purged(t, s, c)}
	waitPurged(t, lonely)
	stateOf["OPEN"], stateOf["ACTIVE"], stateOf["CLOSED"] = s.agent(t).lists(t, nil), s.room(t), s.room(t)
	stateOf["CLOSED"].close(t, stateOf["CLOSED"].a)
	watcher := map[string]string{}
	for _, state := range []string{"OPEN", "ACTIVE", "CLOSED"} {
		watcher[state] = stateOf[state].watches(t)
	}
	watcher["PURGED"] = "hv_none"
	for state, want := range map[string]map[string]string{
		"OPEN": {
			"state": "200", "context": "200", "messages": "room_not_active", "typing": "room_not_active", "join": "200",
			"access-token": "201", "events": "200", "transcript": "200", "viewer-events": "200", "close": "200",
		},
		"ACTIVE": {
			"state": "200", "context": "200", "messages": "201", "typing": "200", "join": "200", "access-token": "201", "events": "200",
			"transcript": "200", "viewer-events": "200", "close": "200",
		},
		"CLOSED": {
			"state": "200", "context": "200", "messages": "gone", "typing": "room_not_active", "join": "gone", "access-token": "gone",
			"events": "200", "transcript": "200", "viewer-events": "gone", "close": "200",
		},
		"PURGED": {
			"state": "200", "context": "200", "messages": "gone", "typing": "room_not_active", "join": "gone", "access-token": "gone",
			"events": "gone", "transcript": "gone", "viewer-events": "viewer_not_found", "close": "gone",
		},
	} {
		t.Run(state, func(t *testing.T) {
			r := stateOf[state]
			expect := func(a answer, want string) {
				t.Helper()
				if want >= "a" {
					a.refused(want)
					return
				}
				require.Equal(t, want, number(a.status), "%s: %s", a.what, a.body)
			}
			stream := func(path, token, want string) {
				t.Helper()
				st, a := s.tries(t, path, token)
				if want == "200" {
					require.NotNil(t, st, "%s: %s", a.what, a.body)
					st.close()
					return
				}
				require.Nil(t, st)
				a.refused(want)
			}
			shows(t, "5-"+state+"-state", "5-"+state+"-context", "5-"+state+"-messages", "5-"+state+"-typing", "5-"+state+"-close", "5-"+state+"-join",
				"5-"+state+"-access-token", "5-"+state+"-events", "5-"+state+"-transcript", "5-"+state+"-viewer-events")
			switch state {
			case "CLOSED":
				shows(t, "3.5-errors", "3.12-errors", "1.3-gone")
			case "PURGED":
				shows(t, "3.5-errors", "3.12-errors", "3.10-purged", "3.6-ended", "3.7-states", "5-forbidden", "16-15", "3.15-heartbeat", "3.14-order", "3.13-order", "14-19", "2.2-purge-revokes")
				r.a.post(t, r.path("/context/ack"), object{"turn_index": 0}).refused("gone")
				shows(t, "14-7")
				r.b.post(t, "/v1/listings/"+r.listing+"/connect", nil).refused("listing_already_connected")
				r.b.post(t, "/v1/listings/"+lonely.listing+"/connect", nil).refused("gone")
				require.Equal(t, "PURGED", lonely.state(t)["state"])
				s.agent(t).get(t, r.path("/events/history?since=999")).refused("gone")
				s.do(t, "POST", r.path("/transcript"), "", object{"human_code": "hc_none"}).refused("gone")
			}
			expect(r.a.get(t, r.path("/state")), want["state"])
			expect(r.a.get(t, r.path("/context")), want["context"])
			expect(r.a.post(t, r.path("/join"), nil), want["join"])
			expect(r.a.post(t, r.path("/access-token"), nil), want["access-token"])
			expect(r.a.get(t, r.path("/events/history")), want["events"])
			stream(r.path("/events"), r.a.session, want["events"])
			expect(r.transcript(t), want["transcript"])
			joined := r.viewer(t, object{"op": "join", "human_code": r.code})
			if want["transcript"] == "200" {
				joined.is(201)
			} else {
				joined.refused("gone")
				r.viewer(t, object{"op": "heartbeat", "viewer_token": watcher[state]}).refused("viewer_not_found")
			}
			stream(r.path("/viewer-events"), watcher[state], want["viewer-events"])
			if state == "ACTIVE" {
				expect(r.a.get(t, r.path("/events/history")), "200")
				expect(r.b.get(t, r.path("/events/history")), "200")
				r.types(t, r.b, object{"state": "start"}).refused("turn_mismatch")
			}
			expect(r.types(t, r.a, object{"state": "start"}), want["typing"])
			expect(r.a.post(t, r.path("/messages"), r.speech(t, r.a, "words")), want["messages"])
			expect(r.a.post(t, r.path("/close"), nil), want["close"])
			if want["close"] == "200" {
				require.Equal(t, "CLOSED", r.state(t)["state"])
			}
		})
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	s, c := inside(t, purging, areyouaifront.Options{AdminToken: adminToken})
	t.Run("grace", func(t *testing.T) {
		shows(t, "8.2-types", "8.2-lifecycle", "8.1-ends-events", "5-purge", "5-purge-grace", "5-purge-destroys", "5-purge-events", "8.3-ended", "8.3-reasons", "1.1-null-times", "3.18-terminal", "3.6-ended", "5-purge-deliveries", "13-10", "2.2-purge-revokes", "3.19-events")
		r := s.room(t)
		r.say(t, "the secret word")
		st, _ := r.a.stream(t, "")
		viewer := r.watches(t)
		r.viewer(t, object{"op": "leave", "viewer_token": viewer}).is(200)
		events, token := r.opens(t, r.b, "?since=5"), r.token(t, r.a)
		r.close(t, r.b)
		st.hears(t, "room.closed")
		events.hearsAll(t, "room.state_changed", "room.closed")
		c.Advance(purging.Grace - time.Second)
		require.Len(t, r.history(t, r.a, 0), 7)
		before := r.state(t)
		c.Advance(time.Second)
		waitPurged(t, r)
		o := shape(t, st.hears(t, "room.purged").body, endedFields+", closed_at string, purged_at string")
		require.Equal(t, []any{"grace_elapsed", "PURGED"}, []any{o["reason"], o["room_state"]})
		for _, f := range events.hearsAll(t, "room.state_changed", "room.purged") {
			shape(t, f.body, lifecycle)
		}
		s.do(t, "GET", r.path("/state"), token, nil).refused("unauthorized")
		after := r.state(t)
		instant(t, after["purged_at"])
		for _, same := range []string{"id", "agent_a_id", "agent_b_id", "max_turns", "ttl_at", "created_at", "closed_at", "turn_index"} {
			require.Equal(t, before[same], after[same], same)
		}
		require.Equal(t, []any{"", 0.0}, []any{after["next_actor_id"], after["active_viewers"]})
		keys, task := r.task(t, r.b)
		require.Contains(t, keys, "closed_at")
		require.Equal(t, []string{r.topic, "PURGED"}, []string{task["room_topic"], task["state"]})
		require.NotContains(t, text(t, r.context(t, r.b), "prompt_bundle_text"), "secret word")
		r.viewer(t, object{"op": "heartbeat", "viewer_token": viewer}).refused("viewer_not_found")
		// What waits stays until it expires: also the news of the close.
		late, _ := r.b.stream(t, "")
		late.hearsAll(t, "room.closed", "room.purged")
		require.Equal(t, "PURGED", at(t, r.a.get(t, "/v1/agent/actionable-rooms").is(200).object(), "terminal", 0, "room_state"))
		found := false
		for _, e := range list(t, s.do(t, "GET", "/v1/admin/audit", adminToken, nil).is(200).object(), "items") {
			found = found || at(t, e, "event") == "room_purged" && at(t, e, "room_id") == r.id
		}
		require.True(t, found)
	})
	t.Run("viewer", func(t *testing.T) {
		shows(t, "5-purge-viewer", "16-15", "14-10", "3.15-active")
		r := s.room(t)
		viewer := r.watches(t)
		r.close(t, r.a)
		for range 8 {
			c.Advance(40 * time.Second)
			r.viewer(t, object{"op": "heartbeat", "viewer_token": viewer}).is(200)
			require.Equal(t, "CLOSED", r.state(t)["state"])
		}
		r.transcript(t).is(200)
		r.viewer(t, object{"op": "leave", "viewer_token": viewer}).is(200)
		waitPurged(t, r)
		r.transcript(t).refused("gone")
	})
	t.Run("cap", func(t *testing.T) {
		shows(t, "5-purge-cap", "5-purge-viewer", "8.3-reasons")
		r := s.room(t)
		viewer := r.watches(t)
		r.close(t, r.a)
		c.Advance(30 * time.Second)
		r.viewer(t, object{"op": "heartbeat", "viewer_token": viewer}).is(200)
		// Between the beats the clock stands still, so that the viewer is there when the retention ends.
		for c.Now().Before(instant(t, r.state(t)["closed_at"]).Add(purging.Retention)) {
			c.Advance(44 * time.Second)
			r.viewer(t, object{"op": "heartbeat", "viewer_token": viewer})
		}
		waitPurged(t, r)
		st, _ := r.a.stream(t, "")
		require.Equal(t, "retention_cap_reached", st.hears(t, "room.purged").body["reason"])
	})
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		shows(t, "13-16", "14-10")
		s, c := inside(t, core.PurgePolicy{}, areyouaifront.Options{})
		r := s.room(t)
		r.close(t, r.a)
		c.Advance(24*time.Hour - time.Second)
		r.transcript(t).is(200)
		c.Advance(time.Second)
		waitPurged(t, r)
	})
	t.Run("callbacks", func(t *testing.T) {
		t.Parallel()
		shows(t, "14-11", "9-events", "5-purge", "9-ordered")
		s, c := inside(t, purging, calling(t))
		a, b := receives(t), receives(t, 500)
		r := s.room(t)
		r.a.hook(t, a.url, hookSecret, nil)
		r.b.hook(t, b.url, hookSecret, nil)
		r.close(t, r.a)
		first := b.next(t)
		require.Equal(t, "room.closed", first.payload(t)["type"])
		c.Advance(purging.Grace)
		waitPurged(t, r)
		require.Equal(t, first.body, b.after(t, s, c).body)
		o := b.hears(t, "room.purged")
		require.Equal(t, "PURGED", o["room_state"])
		require.NotContains(t, o, "next_actor_id")
		a.hears(t, "room.purged")
	})
	t.Run("dead letters", func(t *testing.T) {
		t.Parallel()
		shows(t, "9-attempts", "9-backoff", "16-17", "9-ordered")
		s, c := inside(t, core.PurgePolicy{}, calling(t))
		b := receives(t, 500, 500, 500, 500, 500, 500, 500, 500)
		r := s.roomWith(t, object{"ttl_seconds": 864000})
		r.b.hook(t, b.url, hookSecret, nil)
		r.say(t, "x")
		first := b.next(t)
		r.close(t, r.a)
		for range 7 {
			require.Equal(t, first.body, b.after(t, s, c).body)
		}
		b.hears(t, "room.closed")
		b.silent(t)
	})
}

// TestPurgeFlags: the operator's times, on the program itself.
func TestPurgeFlags(t *testing.T) {
	t.Parallel()
	shows(t, "14-10", "13-16", "5-purge-grace", "5-purge-destroys", "5-sweep", "8.3-reasons", "8.2-types", "5-purge")
	s := own(t, append(unlimited(), "--purge-grace", "2s", "--purge-retention", "1h")...)
	r := s.room(t)
	const marker = "a-marker-that-must-not-remain"
	r.say(t, marker)
	viewer := r.watches(t)
	events := r.opens(t, r.a, "?since=5")
	r.close(t, r.a)
	events.hearsAll(t, "room.state_changed", "room.closed")
	watched := r.s.opens(t, "/v1/agent/stream", r.b.session)
	hello(t, watched, r.b)
	watched.hears(t, "room.closed")
	// The viewer holds the room for longer than the grace.
	until := time.Now().Add(3 * time.Second)
	waitFor(t, "the grace has passed", func() bool {
		r.viewer(t, object{"op": "heartbeat", "viewer_token": viewer}).is(200)
		return time.Now().After(until)
	})
	r.transcript(t).is(200)
	r.viewer(t, object{"op": "leave", "viewer_token": viewer}).is(200)
	events.hearsAll(t, "room.state_changed", "room.purged")
	require.Equal(t, "grace_elapsed", watched.hears(t, "room.purged").body["reason"])
	r.transcript(t).refused("gone")
	r.a.get(t, r.path("/events/history")).refused("gone")
	require.Equal(t, "PURGED", r.state(t)["state"])
	proc := s.proc
	s.proc = nil
	require.NoError(t, proc.Stop())
	nowhere(t, s.dir, marker)
}
