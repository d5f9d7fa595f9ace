package areyouaifront_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/core"
)

// TestLivesShowAtTheWire: each life that was chosen is the one that holds, to the moment.
func TestLivesShowAtTheWire(t *testing.T) {
	const instant = time.Millisecond
	state := func(r room, token string) int { return r.g.get(r.path("/state"), token).status }
	mint := func(r room) areyouai.AccessTokenReply {
		return as[areyouai.AccessTokenReply](r.g, 201, r.g.post(r.path("/access-token"), r.a.token, ""))
	}
	const listing = `{"topic":"t","ttl_seconds":1000000}`
	for name, tc := range map[string]struct {
		lives core.Lives
		check func(t *testing.T, g *gate)
	}{
		"session": {core.Lives{Session: time.Hour}, func(t *testing.T, g *gate) {
			r := g.roomOf(listing)
			g.clock.Advance(time.Hour - instant)
			require.Equal(t, 200, state(r, r.a.token))
			g.clock.Advance(instant)
			require.Equal(t, 401, state(r, r.a.token), "use does not prolong it")
		}},
		"longer session": {core.Lives{Session: 30 * 24 * time.Hour}, func(t *testing.T, g *gate) {
			r := g.roomOf(listing)
			g.clock.Advance(30*24*time.Hour - instant)
			require.Equal(t, 200, state(r, r.a.token))
		}},
		"room token": {core.Lives{RoomToken: 2 * time.Minute}, func(t *testing.T, g *gate) {
			r := g.roomOf(listing)
			made := mint(r)
			require.Equal(t, g.clock.Now().Add(2*time.Minute), made.ExpiresAt.Time)
			g.clock.Advance(2*time.Minute - instant)
			require.Equal(t, 200, state(r, made.Token))
			g.clock.Advance(2*time.Minute - instant)
			require.Equal(t, 200, state(r, made.Token), "its use began a whole life")
			g.clock.Advance(2 * time.Minute)
			require.Equal(t, 401, state(r, made.Token))
		}},
		"room token's slide": {core.Lives{RoomTokenSlide: 10 * time.Second}, func(t *testing.T, g *gate) {
			r := g.roomOf(listing)
			early, late := mint(r), room{}
			g.clock.Advance(core.RoomTokenLife - 10*time.Second - instant)
			require.Equal(t, 200, state(r, early.Token))
			g.clock.Advance(10*time.Second + instant)
			require.Equal(t, 401, state(r, early.Token), "its use was too early to prolong it")
			late = g.roomOf(listing)
			token := mint(late).Token
			g.clock.Advance(core.RoomTokenLife - 10*time.Second)
			require.Equal(t, 200, state(late, token))
			g.clock.Advance(core.RoomTokenLife - instant)
			require.Equal(t, 200, state(late, token))
		}},
		"human code": {core.Lives{HumanCode: time.Hour}, func(t *testing.T, g *gate) {
			w := g.watchedListing(listing)
			w.connect()
			g.clock.Advance(time.Hour - instant)
			require.Equal(t, 200, w.transcript(w.code).status)
			viewer := w.viewer()
			g.clock.Advance(instant)
			require.Equal(t, 403, w.transcript(w.code).status)
			require.Equal(t, 403, w.viewers("join", w.code, "").status)
			require.Equal(t, 200, w.viewers("heartbeat", "", viewer).status, "who is in stays")
		}},
		"grace follows the human code": {core.Lives{HumanCode: 72 * time.Hour}, func(t *testing.T, g *gate) {
			w := g.watchedListing(listing)
			w.connect()
			w.close()
			g.clock.Advance(72*time.Hour - instant)
			require.Equal(t, 200, w.transcript(w.code).status)
			g.clock.Advance(instant)
			require.Equal(t, areyouai.StatePurged, as[areyouai.RoomReply](g, 200, g.get(w.path("/state"), w.a.token)).State)
		}},
		"viewer": {core.Lives{Viewer: 5 * time.Second}, func(t *testing.T, g *gate) {
			w := g.watchedRoom()
			viewer := w.viewer()
			watch := func() int {
				return as[areyouai.RoomReply](g, 200, g.get(w.path("/state"), w.a.token)).ActiveViewers
			}
			g.clock.Advance(5 * time.Second)
			require.Equal(t, 1, watch())
			g.clock.Advance(instant)
			require.Zero(t, watch())
			require.Equal(t, 404, g.get(w.path("/viewer-events"), viewer).status)
		}},
		"delivery": {core.Lives{Delivery: time.Minute}, func(t *testing.T, g *gate) {
			r := g.roomOf(listing)
			s, _ := g.openAgentStream(r.a, "")
			turn := s.turn()
			require.Equal(t, time.Minute, turn.ExpiresAt.Sub(turn.OccurredAt.Time))
			s.close()
			g.clock.Advance(time.Minute - instant)
			require.Equal(t, []string{turn.DeliveryID}, g.waiting(r.a))
			g.ackDelivery(r.a, turn.DeliveryID)
			_, hello := g.openAgentStream(r.a, turn.DeliveryID)
			require.Equal(t, areyouai.ResumeOK, hello.ResumeStatus)
			g.clock.Advance(instant)
			_, hello = g.openAgentStream(r.a, turn.DeliveryID)
			require.Equal(t, areyouai.ResumeReplayRequired, hello.ResumeStatus)
		}},
	} {
		t.Run(name, func(t *testing.T) { tc.check(t, newGateOf(t, unlimited(), tc.lives)) })
	}
}

// TestPlaybookNamesTheLives: those that hold, in words.
func TestPlaybookNamesTheLives(t *testing.T) {
	for _, tc := range []struct {
		lives core.Lives
		want  []string
	}{
		{core.Lives{}, []string{"valid for 14 days", "lives for 5 minutes,", "read along for 24 hours:", "for 30 minutes:"}},
		{
			core.Lives{Session: 90 * time.Minute, RoomToken: 45 * time.Second, HumanCode: 48 * time.Hour, Delivery: 10 * time.Minute},
			[]string{"valid for 90 minutes", "lives for 45 seconds,", "read along for 2 days:", "for 10 minutes:"},
		},
		{core.Lives{Session: 1500 * time.Millisecond}, []string{"valid for 1.5s"}},
	} {
		text := newGateOf(t, unlimited(), tc.lives).get("/skill.md", "").body
		for _, want := range tc.want {
			require.Contains(t, text, want)
		}
	}
}
