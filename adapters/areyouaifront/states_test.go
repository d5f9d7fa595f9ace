package areyouaifront_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

// TestWhatWorksPerState is the protocol's table of that name, with what this package wants where the reference errs.
func TestWhatWorksPerState(t *testing.T) {
	const gone, notActive = "gone", "room_not_active"
	type want struct {
		status int
		code   string
	}
	ok, created := want{200, ""}, want{201, ""}
	g410, g409 := want{410, gone}, want{409, notActive}
	steps := []struct {
		name string
		ask  func(w watched, viewer string) answer
		// by state: open, active, closed, purged.
		want [4]want
	}{
		{"state", func(w watched, _ string) answer { return w.g.get(w.path("/state"), w.a.token) }, [4]want{ok, ok, ok, ok}},
		{"context", func(w watched, _ string) answer { return w.g.get(w.path("/context"), w.a.token) }, [4]want{ok, ok, ok, ok}},
		{"ack", func(w watched, _ string) answer {
			return w.g.post(w.path("/context/ack"), w.a.token, `{"turn_index":0}`)
		}, [4]want{ok, ok, ok, g410}},
		{"messages", func(w watched, _ string) answer { return w.post(w.a, w.message(w.a, "hi")) }, [4]want{g409, created, g410, g410}},
		{"typing start", func(w watched, _ string) answer { return w.type_(w.b, `{"state":"start"}`) }, [4]want{{403, "forbidden"}, ok, g409, g409}},
		{"typing start of the owner", func(w watched, _ string) answer { return w.type_(w.a, `{"state":"start"}`) }, [4]want{g409, {409, "turn_mismatch"}, g409, g409}},
		{"typing stop", func(w watched, _ string) answer { return w.type_(w.a, `{"state":"stop"}`) }, [4]want{ok, ok, ok, ok}},
		{"join", func(w watched, _ string) answer { return w.g.post(w.path("/join"), w.a.token, "") }, [4]want{ok, ok, g410, g410}},
		{"access-token", func(w watched, _ string) answer { return w.g.post(w.path("/access-token"), w.a.token, "") }, [4]want{created, created, g410, g410}},
		{"history", func(w watched, _ string) answer { return w.g.get(w.path("/events/history"), w.a.token) }, [4]want{ok, ok, ok, g410}},
		{"events", func(w watched, _ string) answer { return w.opening("/events", w.a.token) }, [4]want{ok, ok, ok, g410}},
		{"transcript", func(w watched, _ string) answer { return w.transcript(w.code) }, [4]want{ok, ok, {403, "forbidden"}, g410}},
		{"viewer join", func(w watched, _ string) answer { return w.viewers("join", w.code, "") }, [4]want{created, created, {403, "forbidden"}, g410}},
		{"viewer heartbeat", func(w watched, v string) answer { return w.viewers("heartbeat", "", v) }, [4]want{ok, ok, ok, {404, "viewer_not_found"}}},
		{"viewer-events", func(w watched, v string) answer { return w.opening("/viewer-events", v) }, [4]want{ok, ok, g410, {404, "viewer_not_found"}}},
		{"viewer leave", func(w watched, v string) answer { return w.viewers("leave", "", v) }, [4]want{ok, ok, ok, {404, "viewer_not_found"}}},
		{"connect", func(w watched, _ string) answer {
			return w.g.post("/v1/listings/"+w.listing+"/connect", w.g.person("Eve").token, "")
		}, [4]want{created, {409, "listing_already_connected"}, {409, "listing_already_connected"}, {409, "listing_already_connected"}}},
	}
	// Its code ends before a room that is watched is purged; while it lasts a closed room is open to people.
	inTime := map[string]want{"transcript": ok, "viewer join": created}
	for i, state := range []string{"OPEN", "ACTIVE", "CLOSED", "PURGED"} {
		t.Run(state, func(t *testing.T) {
			g := newGate(t, areyouaifront.Options{})
			w := g.watchedListing(`{"topic":"tea","ttl_seconds":1000000}`)
			viewer := w.viewer()
			if state != "OPEN" {
				w.connect()
			}
			if state == "CLOSED" || state == "PURGED" {
				w.close()
			}
			if state == "PURGED" {
				w.purge()
			}
			for _, s := range steps {
				want := s.want[i]
				if better, found := inTime[s.name]; found && state == "CLOSED" {
					want = better
				}
				got := s.ask(w, viewer)
				require.Equal(t, want.status, got.status, "%s: %s", s.name, got.body)
				require.Equal(t, want.code, got.code(), s.name)
			}
			items := as[areyouai.SearchReply](g, 200, g.get("/v1/listings/search", "")).Items
			require.Empty(t, items, "what is connected or over is not on offer")
			require.Equal(t, closeStatus(state), g.post(w.path("/close"), w.a.token, "").status)
		})
	}
}

func closeStatus(state string) int {
	if state == "PURGED" {
		return 410
	}
	return 200
}

// opening is the answer to opening a stream, without what comes on it.
func (w watched) opening(tail, token string) answer {
	w.g.t.Helper()
	resp, cancel := w.g.startStream(w.path(tail), token, nil)
	defer cancel()
	defer resp.Body.Close()
	if resp.StatusCode == 200 {
		return answer{status: 200}
	}
	body, err := io.ReadAll(resp.Body)
	require.NoError(w.g.t, err)
	return answer{status: resp.StatusCode, header: resp.Header, body: string(body)}
}

// TestDeadListingCannotBeTaken: neither one whose room was closed, nor one that was purged, comes back to life.
func TestDeadListingCannotBeTaken(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedListing(`{"topic":"tea"}`)
	w.close()
	connect := func() answer { return g.post("/v1/listings/"+w.listing+"/connect", w.b.token, "") }
	require.Equal(t, "gone", connect().code())
	w.purge()
	require.Equal(t, "gone", connect().code())
	require.Empty(t, as[areyouai.SearchReply](g, 200, g.get("/v1/listings/search", "")).Items)
}

// TestPurgeShowsOnOpenStreams: members that follow a room are told of its end, without a sender, and not of more.
func TestPurgeShowsOnOpenStreams(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedRoom()
	w.talk(2)
	s := g.openStream(w.path("/events"), w.b.token, nil)
	defer s.close()
	require.Len(t, s.until(6), 6)
	w.close()
	w.purge()
	require.Len(t, s.until(9), 3)
	last := s.next()
	require.Equal(t, areyouai.NewRoomEvent(10, areyouai.EventRoomPurged, w.id, "", areyouai.NewTime(g.node.Now())), last)
	c := w.context(w.a)
	require.Empty(t, c.NextActorID)
	require.NotContains(t, c.PromptBundleText, "message 0")
	require.Contains(t, c.PromptBundleText, "state=PURGED\n")
	require.EqualValues(t, 2, c.TurnIndex)
}
