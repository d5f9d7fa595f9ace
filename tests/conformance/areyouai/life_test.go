package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

// TestLives is about credentials that end by themselves.
func TestLives(t *testing.T) {
	t.Parallel()
	s, c := inside(t, core.PurgePolicy{}, areyouaifront.Options{})
	const long = 100 * 24 * 3600
	t.Run("session", func(t *testing.T) {
		shows(t, "2-session-life", "2-api-key-life", "10-session")
		a := s.agent(t)
		a.get(t, "/v1/agent/actionable-rooms").is(200)
		c.Advance(14*24*time.Hour - time.Second)
		a.get(t, "/v1/agent/actionable-rooms").is(200)
		later := a.login(t)
		c.Advance(time.Second)
		a.get(t, "/v1/agent/actionable-rooms").refused("unauthorized")
		s.do(t, "GET", "/v1/agent/actionable-rooms", later, nil).is(200)
		c.Advance(400 * 24 * time.Hour)
		s.do(t, "GET", "/v1/agent/actionable-rooms", later, nil).refused("unauthorized")
		a.session = a.login(t)
		a.get(t, "/v1/agent/actionable-rooms").is(200)
	})
	t.Run("room token", func(t *testing.T) {
		shows(t, "2-room-token-life", "2.2-slide", "10-room-token", "13-5", "2.2-unknown")
		r := s.roomWith(t, object{"ttl_seconds": long})
		minted := r.a.post(t, r.path("/access-token"), nil).is(201).object()
		token := minted["token"].(string)
		require.Equal(t, c.Now().Add(5*time.Minute), instant(t, minted["expires_at"]))
		works := func(yes bool) {
			t.Helper()
			if a := s.do(t, "GET", r.path("/state"), token, nil); yes {
				a.is(200)
			} else {
				a.refused("unauthorized")
			}
		}
		works(true)
		c.Advance(4*time.Minute - time.Second) // 61 s are left: nothing changes.
		works(true)
		c.Advance(time.Second) // 60 s are left: it lives for 5 minutes again.
		works(true)
		c.Advance(5*time.Minute - time.Second)
		works(true)
		c.Advance(5 * time.Minute)
		works(false)
		token = r.token(t, r.a)
		c.Advance(4*time.Minute - time.Second)
		works(true)
		c.Advance(61 * time.Second)
		works(false)
	})
	t.Run("human code", func(t *testing.T) {
		shows(t, "2-human-code-life", "10-human-code", "3.14-order", "3.15-join")
		r := s.roomWith(t, object{"ttl_seconds": long})
		c.Advance(24*time.Hour - time.Second)
		r.transcript(t).is(200)
		r.watches(t)
		c.Advance(time.Second)
		r.transcript(t).refused("forbidden")
		r.viewer(t, object{"op": "join", "human_code": r.code}).refused("forbidden")
	})
	t.Run("viewer", func(t *testing.T) {
		shows(t, "2-viewer-token-life", "10-viewer", "3.15-active", "8.4-heartbeat", "8.4-order", "8.1-reauth-viewer")
		r := s.roomWith(t, object{"ttl_seconds": long})
		token := r.watches(t)
		active := func() any {
			t.Helper()
			return r.state(t)["active_viewers"]
		}
		c.Advance(44 * time.Second)
		require.Equal(t, 1.0, active())
		r.viewer(t, object{"op": "heartbeat", "viewer_token": token}).is(200)
		c.Advance(44 * time.Second)
		st := s.opens(t, r.path("/viewer-events"), token)
		require.Equal(t, 1.0, active())
		c.Advance(2 * time.Second)
		require.Equal(t, 0.0, active(), "to open the stream was no heartbeat")
		st.over(t)
		_, refusal := s.tries(t, r.path("/viewer-events"), token)
		refusal.refused("viewer_not_found")
		require.Equal(t, object{"active_viewers": 1.0}, r.viewer(t, object{"op": "heartbeat", "viewer_token": token}).is(200).object())
		s.opens(t, r.path("/viewer-events"), token)
	})
	t.Run("streams", func(t *testing.T) {
		shows(t, "8.1-reauth-agent", "8.1-reauth-events", "8.3-relogin-frame", "16-10", "13-25")
		require.Equal(t, 30*time.Second, areyouai.ReauthInterval, "what is a tenth of a second here")
		r := s.roomWith(t, object{"ttl_seconds": long})
		agents, _ := r.a.stream(t, "")
		agents.hears(t, "room.turn_ready")
		events := r.opens(t, r.a, "?since=4")
		c.Advance(14*24*time.Hour - time.Minute)
		agents.silent(t)
		events.silent(t)
		c.Advance(time.Minute)
		require.Equal(t, object{"type": "auth.relogin_required", "agent_id": r.a.id}, agents.hears(t, "auth.relogin_required").body)
		agents.over(t)
		events.over(t)
	})
}
