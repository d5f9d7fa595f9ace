package wake

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRestoredServer: a server that was restored from a backup has its rooms at earlier turns than the sidecar knows. A
// room that waits then, and one that comes to wait later, are woken for; a mere repeat of an old delivery wakes nobody.
func TestRestoredServer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		settle(time.Second)
		w.server.ready("room_waits", 10)
		w.server.ready("room_later", 10)
		w.server.ready("room_same", 10)
		settle(time.Minute)
		require.Len(t, w.hook.calls(), 3)
		w.server.answer("room_waits")
		w.server.answer("room_later")
		w.server.answer("room_same")

		w.server.mu.Lock()
		w.server.inbox = nil
		w.server.rooms["room_waits"].turn, w.server.rooms["room_waits"].actor = 6, testAgent
		w.server.rooms["room_later"].turn = 7
		w.server.mu.Unlock()
		w.server.cut()
		settle(time.Minute)
		jobs := w.hook.calls()
		require.Len(t, jobs, 4)
		require.Equal(t, "room_waits", jobs[3].RoomID)
		require.Equal(t, int64(6), jobs[3].NextTurn)

		later := w.server.ready("room_later", 8)
		settle(time.Minute)
		require.True(t, w.server.acked(later))
		jobs = w.hook.calls()
		require.Len(t, jobs, 5)
		require.Equal(t, int64(8), jobs[4].NextTurn)

		stale := w.server.readyAs("dly_stale", "room_same", 4)
		w.server.mu.Lock()
		w.server.rooms["room_same"].turn, w.server.rooms["room_same"].actor = 11, "agt_peer"
		w.server.mu.Unlock()
		settle(time.Minute)
		require.True(t, w.server.acked(stale))
		require.Len(t, w.hook.calls(), 5)
		l.end()
	})
}
