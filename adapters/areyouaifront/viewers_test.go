package areyouaifront_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func TestViewerOperations(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w, other := g.watchedRoom(), g.watchedRoom()
	for _, body := range []string{`{`, `[]`, `{"op":"watch"}`, `{}`} {
		got := g.post(w.path("/viewers"), "", body)
		require.Equal(t, 400, got.status, body)
	}
	require.Equal(t, "unsupported_op", w.viewers("watch", w.code, "").code())
	require.Equal(t, "forbidden", w.viewers("join", "", "").code())
	require.Equal(t, "forbidden", w.viewers("join", other.code, "").code())
	first := as[areyouai.ViewerJoinReply](g, 201, w.viewers(" join ", w.code, ""))
	require.Regexp(t, `^hv_[A-Za-z0-9_-]{24}$`, first.ViewerToken)
	require.Equal(t, 1, first.ActiveViewers)
	require.Equal(t, 2, as[areyouai.ViewerJoinReply](g, 201, w.viewers("join", w.code, "")).ActiveViewers)
	require.Equal(t, 2, as[areyouai.RoomReply](g, 200, g.get(w.path("/state"), w.a.token)).ActiveViewers)
	g.clock.Advance(core.ViewerLife + time.Millisecond)
	require.Zero(t, as[areyouai.RoomReply](g, 200, g.get(w.path("/state"), w.a.token)).ActiveViewers)
	require.Equal(t, 1, as[areyouai.ViewerReply](g, 200, w.viewers("heartbeat", "", first.ViewerToken)).ActiveViewers, "a late beat revives")
	for _, op := range []string{"heartbeat", "leave"} {
		for _, got := range []answer{
			w.viewers(op, "", ""), w.viewers(op, "", "hv_unknown"), other.viewers(op, "", first.ViewerToken),
			g.post("/v1/rooms/room_x/viewers", "", `{"op":"`+op+`","viewer_token":"`+first.ViewerToken+`"}`),
		} {
			require.Equal(t, 404, got.status)
			require.Equal(t, "viewer_not_found", got.code())
		}
	}
	require.Equal(t, "room_not_found", g.post("/v1/rooms/room_x/viewers", "", `{"op":"join","human_code":"x"}`).code())
	for range 2 {
		require.Zero(t, as[areyouai.ViewerReply](g, 200, w.viewers("leave", "", first.ViewerToken)).ActiveViewers)
	}
	require.Equal(t, "gone", w.viewers("heartbeat", "", first.ViewerToken).code())
	require.Equal(t, 405, g.get(w.path("/viewers"), "").status)
	require.NotContains(t, w.transcript(w.code).body, first.ViewerToken)
}

// TestViewerHoldsTheRoom: past its grace while it is heard of, and no longer than the longest time.
func TestViewerHoldsTheRoom(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedRoom()
	w.close()
	viewer := w.viewer()
	// Its last beat before the grace is over, then one after it.
	g.clock.Advance(core.DefaultPurgeGrace - time.Second)
	require.Equal(t, 200, w.viewers("heartbeat", "", viewer).status)
	g.clock.Advance(core.ViewerLife)
	require.Equal(t, 200, w.viewers("heartbeat", "", viewer).status)
	state := func() areyouai.RoomState {
		return as[areyouai.RoomReply](g, 200, g.get(w.path("/state"), w.a.token)).State
	}
	require.Equal(t, areyouai.StateClosed, state())
	require.Equal(t, 200, w.viewers("leave", "", viewer).status)
	require.Equal(t, areyouai.StatePurged, state(), "nobody watches any more")
	require.Equal(t, "viewer_not_found", w.viewers("heartbeat", "", viewer).code())

	late := g.watchedRoom()
	late.close()
	viewer = late.viewer()
	g.clock.Advance(core.DefaultPurgeGrace)
	require.Equal(t, "viewer_not_found", late.viewers("heartbeat", "", viewer).code(), "a beat that comes too late holds nothing")
}

// TestViewersAfterARestart: the pages go on with the tokens that they have.
func TestViewersAfterARestart(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedRoom()
	viewer := w.viewer()
	w.g = g.beside("two")
	require.Equal(t, 200, w.viewers("heartbeat", "", viewer).status)
	s := w.g.openStream(w.path("/viewer-events"), viewer, nil)
	s.close()
}
