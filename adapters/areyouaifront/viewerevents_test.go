package areyouaifront_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func TestTypingChecks(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedRoom()
	open := g.watchedListing(`{"topic":"t"}`)
	eve := g.person("Eve")
	for _, tc := range []struct {
		name   string
		w      watched
		who    person
		body   string
		status int
		code   string
	}{
		{"no JSON", w, eve, `{`, 400, "invalid_request"},
		{"unknown state", w, eve, `{"state":"pause"}`, 400, "invalid_request"},
		{"stranger", w, eve, `{"state":"start","ttl_ms":0}`, 403, "forbidden"},
		{"stranger stops", w, eve, `{"state":"stop"}`, 403, "forbidden"},
		{"too early", open, open.a, `{"state":"start","ttl_ms":0}`, 409, "room_not_active"},
		{"not its turn", w, w.b, `{"state":"start","ttl_ms":0}`, 409, "turn_mismatch"},
		{"no life", w, w.a, `{"state":"start","ttl_ms":0}`, 400, "invalid_request"},
		{"negative life", w, w.a, `{"state":"start","ttl_ms":-5}`, 400, "invalid_request"},
	} {
		got := tc.w.type_(tc.who, tc.body)
		require.Equal(t, tc.status, got.status, "%s: %s", tc.name, got.body)
		require.Equal(t, tc.code, got.code(), tc.name)
	}
	require.Equal(t, "unauthorized", g.post(w.path("/typing"), "", `{"state":"start"}`).code())
	require.Equal(t, "room_not_found", g.post("/v1/rooms/room_x/typing", w.a.token, `{"state":"start"}`).code())
	require.Equal(t, "room_not_found", g.post("/v1/rooms/room_x/typing", w.a.token, `{"state":"stop"}`).code())

	before := g.node.Applied()
	for body, ttl := range map[string]time.Duration{
		`{"state":" start "}`:              7 * time.Second,
		`{"state":"start","ttl_ms":1}`:     time.Second,
		`{"state":"start","ttl_ms":5000}`:  5 * time.Second,
		`{"state":"start","ttl_ms":99999}`: 30 * time.Second,
	} {
		require.Equal(t, areyouai.NewTypingStartReply(w.id, w.a.id, g.clock.Now(), ttl),
			as[areyouai.TypingStartReply](g, 200, w.type_(w.a, body)), body)
	}
	for _, cleared := range []bool{true, false} {
		require.Equal(t, areyouai.NewTypingStopReply(w.id, w.a.id, cleared),
			as[areyouai.TypingStopReply](g, 200, w.type_(w.a, `{"state":"stop","ttl_ms":-1}`)))
	}
	require.Equal(t, before, g.node.Applied(), "nothing is logged")

	token := as[areyouai.AccessTokenReply](g, 201, g.post(w.path("/access-token"), w.a.token, "")).Token
	require.Equal(t, 200, g.post(w.path("/typing"), token, `{"state":"start"}`).status)
	require.Equal(t, "forbidden", g.post(open.path("/typing"), token, `{"state":"start"}`).code())
}

// TestViewerEventsChecks: the order of the refusals.
func TestViewerEventsChecks(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w, other := g.watchedRoom(), g.watchedRoom()
	viewer, gone, lapsed := w.viewer(), w.viewer(), w.viewer()
	require.Equal(t, 200, w.viewers("leave", "", gone).status)
	g.clock.Advance(core.ViewerLife + time.Millisecond)
	require.Equal(t, 200, w.viewers("heartbeat", "", viewer).status)
	for _, tc := range []struct {
		name, path, token string
		status            int
		code              string
	}{
		{"no bearer", w.path("/viewer-events"), "", 401, "unauthorized"},
		{"unknown", w.path("/viewer-events"), "hv_unknown", 404, "viewer_not_found"},
		{"a session", w.path("/viewer-events"), w.a.token, 404, "viewer_not_found"},
		{"of another room", other.path("/viewer-events"), viewer, 404, "viewer_not_found"},
		{"of no room", "/v1/rooms/room_x/viewer-events", viewer, 404, "viewer_not_found"},
		{"left", w.path("/viewer-events"), gone, 410, "gone"},
		{"lapsed", w.path("/viewer-events"), lapsed, 404, "viewer_not_found"},
	} {
		got := g.get(tc.path, tc.token)
		require.Equal(t, tc.status, got.status, "%s: %s", tc.name, got.body)
		require.Equal(t, tc.code, got.code(), tc.name)
	}
	w.close()
	require.Equal(t, "gone", g.get(w.path("/viewer-events"), viewer).code())
}

// TestViewerSeesWhoTypes: those who write when the stream opens, and every beginning and end from then on.
func TestViewerSeesWhoTypes(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Reauth: 10 * time.Millisecond})
	w := g.watchedListing(`{"topic":"tea"}`)
	viewer := w.viewer()
	s := g.openStream(w.path("/viewer-events"), viewer, nil)
	defer s.close()
	require.Equal(t, "text/event-stream", s.resp.Header.Get("Content-Type"))
	w.connect()
	started := w.start(w.a, 7*time.Second)
	require.Equal(t, 200, w.type_(w.a, `{"state":"start"}`).status)
	sameFrame(t, started, s.typingFrame())
	late := g.openStream(w.path("/viewer-events"), w.viewer(), nil)
	sameFrame(t, started, late.typingFrame())
	late.close()

	g.clock.Advance(time.Second)
	require.Equal(t, 200, w.type_(w.a, `{"state":"start","ttl_ms":30000}`).status)
	sameFrame(t, w.start(w.a, 30*time.Second), s.typingFrame())
	w.say(w.a, "said")
	sameFrame(t, w.stop(w.a), s.typingFrame())

	require.Equal(t, 200, w.type_(w.b, `{"state":"start"}`).status)
	sameFrame(t, w.start(w.b, 7*time.Second), s.typingFrame())
	require.Equal(t, 200, w.type_(w.b, `{"state":"stop"}`).status)
	sameFrame(t, w.stop(w.b), s.typingFrame())

	require.Equal(t, 200, w.type_(w.b, `{"state":"start"}`).status)
	sameFrame(t, w.start(w.b, 7*time.Second), s.typingFrame())
	g.clock.Advance(7 * time.Second)
	sameFrame(t, w.stop(w.b), s.typingFrame())

	require.Equal(t, 200, w.type_(w.b, `{"state":"start"}`).status)
	sameFrame(t, w.start(w.b, 7*time.Second), s.typingFrame())
	w.close()
	sameFrame(t, w.stop(w.b), s.typingFrame())
	s.over()
	require.NotContains(t, s.raw.String(), "\r")
}

// TestViewerStreamEnds: with its viewer, its room's time, and the front.
func TestViewerStreamEnds(t *testing.T) {
	for name, end := range map[string]func(w watched, viewer string){
		"leave":  func(w watched, viewer string) { w.viewers("leave", "", viewer) },
		"lapse":  func(w watched, _ string) { w.g.clock.Advance(core.ViewerLife + time.Millisecond) },
		"close":  func(w watched, _ string) { w.close() },
		"expiry": func(w watched, viewer string) { w.g.clock.Advance(11 * time.Second) },
		"drain":  func(w watched, _ string) { w.g.front.Drain() },
	} {
		t.Run(name, func(t *testing.T) {
			reauth := 10 * time.Millisecond
			if name == "leave" || name == "close" || name == "drain" {
				reauth = time.Hour
			}
			g := newGate(t, areyouaifront.Options{Reauth: reauth})
			w := g.watchedListing(`{"topic":"tea","ttl_seconds":10}`)
			viewer := w.viewer()
			s := g.openStream(w.path("/viewer-events"), viewer, nil)
			defer s.close()
			end(w, viewer)
			s.over()
			if name == "drain" {
				require.Equal(t, 503, g.get(w.path("/viewer-events"), viewer).status)
			}
		})
	}
}

// TestViewerStreamsAreBounded: per room and per address.
func TestViewerStreamsAreBounded(t *testing.T) {
	for name, limits := range map[string]areyouaifront.Limits{"room": {OpenViewerStreams: 1}, "address": {OpenPerIP: 1}} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, areyouaifront.Options{Limits: &limits})
			w := g.watchedRoom()
			viewer := w.viewer()
			s := g.openStream(w.path("/viewer-events"), viewer, nil)
			require.Equal(t, "rate_limited", g.get(w.path("/viewer-events"), viewer).code())
			s.close()
			require.Eventually(t, func() bool { return w.opening("/viewer-events", viewer).status == 200 }, patience, time.Millisecond)
		})
	}
}

// TestJoin: what old clients ask for changes nothing and tells how things are.
func TestJoin(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedListing(`{"topic":"tea"}`)
	join := func(p person) answer { return g.post(w.path("/join"), p.token, "nonsense") }
	require.Equal(t, "forbidden", join(w.b).code())
	require.Equal(t, "room_not_found", g.post("/v1/rooms/room_x/join", w.a.token, "").code())
	require.Equal(t, "unauthorized", g.post(w.path("/join"), "", "").code())
	open := as[areyouai.JoinReply](g, 200, join(w.a))
	require.Equal(t, map[string]bool{w.a.id: true}, open.Joined)
	require.Equal(t, areyouai.StateOpen, open.State)
	w.connect()
	before := g.node.Applied()
	for _, p := range []person{w.a, w.b, w.a} {
		c, got := w.context(p), as[areyouai.JoinReply](g, 200, join(p))
		require.Equal(t, areyouai.JoinReply{
			RoomID: w.id, State: areyouai.StateActive, Joined: map[string]bool{w.a.id: true, w.b.id: true},
			InitialBundle: c.BundleHash, LayerHashes: c.LayerHashes, OrderedStack: c.OrderedStack,
		}, got)
	}
	require.Equal(t, before, g.node.Applied(), "no events")
}
