package wake

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

func TestUnusableCursorRecoversByActionableRooms(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(_ context.Context, job Job) int {
			if job.RoomID == "room_seen" {
				w.server.answer(job.RoomID)
			}
			return http.StatusOK
		})
		l := w.start(nil)
		w.server.ready("room_seen", 0)
		w.server.ready("room_over", 0)
		w.server.ready("room_still", 0)
		settle(time.Second)
		l.end()
		require.Len(t, w.hook.calls(), 3)

		// Forty minutes offline: two rooms come to wait, one ends, and no delivery of that can be had any more.
		w.server.ready("room_seen", 2)
		w.server.ready("room_new", 0)
		w.server.end("room_over", areyouai.FrameRoomClosed)
		w.server.expire()
		w.server.requests()
		settle(5 * time.Minute)
		l = w.start(nil)
		settle(5 * time.Second)
		require.Subset(t, w.server.requests(), []string{
			"GET /agent/stream?last_delivery_id=dly_room_still_0", "GET /agent/actionable-rooms", "GET /agent/stream",
		})
		woken := map[string]int{}
		for _, job := range w.hook.calls()[3:] {
			woken[job.DeliveryID]++
		}
		require.Equal(t, map[string]int{"recovery-room_seen-2": 1, "recovery-room_new-0": 1}, woken,
			"each waiting room once; room_still is in the agent's hands")
		require.Empty(t, w.readState().LastAcknowledgedDeliveryID)
		for _, room := range []string{"room_seen", "room_new", "room_still"} {
			require.Equal(t, w.server.token(room), w.fileToken(room), room)
		}
		require.False(t, w.hasToken("room_over"))
		require.NoFileExists(t, filepath.Join(w.dir, fileOf(wakesDir, "room_over")))

		// The stream goes on from there.
		id := w.server.ready("room_new", 2)
		settle(time.Second)
		require.True(t, w.server.acked(id))
		require.Len(t, w.hook.calls(), 6)
		l.end()
	})
}

// TestLongSilenceWithoutACursorRecovers: a server that is given no cursor cannot tell that deliveries have expired.
func TestLongSilenceWithoutACursorRecovers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		settle(time.Second)
		require.Empty(t, w.readState().LastAcknowledgedDeliveryID)
		w.server.requests()
		w.server.cut()
		settle(5 * time.Second)
		require.NotContains(t, w.server.requests(), "GET /agent/actionable-rooms", "a short cut needs none: it would revoke tokens at work")

		w.server.mu.Lock()
		w.server.refuse = func(*http.Request) int { return http.StatusBadGateway }
		w.server.mu.Unlock()
		w.server.cut()
		w.server.ready("room_1", 0)
		settle(40 * time.Minute)
		w.server.expire()
		w.server.mu.Lock()
		w.server.refuse = func(*http.Request) int { return 0 }
		w.server.mu.Unlock()
		settle(time.Minute)
		require.Len(t, w.hook.calls(), 1)

		l.end()
		w.server.ready("room_2", 0)
		w.server.expire()
		settle(40 * time.Minute)
		before := len(w.hook.calls())
		l = w.start(nil)
		settle(time.Minute)
		woken := map[string]bool{}
		for _, call := range w.hook.calls()[before:] {
			woken[call.RoomID] = true
		}
		// The other room waits for its answer still, and may be woken again before or after it.
		require.True(t, woken["room_2"])
		l.end()
	})
}

func TestServerThatAlwaysAsksForARecoveryIsNotAskedAllTheTime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.server.always = true
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(55 * time.Minute)
		require.Len(t, w.hook.calls(), 6, "the wake itself, and one more for every ten minutes without an answer")
		opened := strings.Count(strings.Join(w.server.requests(), "\n"), "/agent/stream")
		require.Greater(t, opened, 5)
		require.Less(t, opened, 30)
		l.end()
	})
}

// TestUnreadableFrameHidesNoRoom: a stream ends at a frame that cannot be read, and so would every later one.
func TestUnreadableFrameHidesNoRoom(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.server.poison = "event: room.turn_ready\ndata: {\"type\":\"room.turn_ready\",\"delivery_id\":7}\n\n"
		l := w.start(nil)
		settle(time.Second)
		w.server.requests()
		w.server.ready("room_1", 0)
		settle(9 * time.Minute)
		require.Len(t, w.hook.calls(), 1)
		require.Less(t, len(w.server.requests()), 40)
		l.end()
	})
}

func TestDamagedFilesCostNoWake(t *testing.T) {
	for _, name := range []string{stateFile, sessionFile, fileOf(wakesDir, "room_1"), fileOf(tokensDir, "room_1")} {
		for kind, content := range map[string]string{
			"empty": "", "half": `{"room_id":"room_1","next_turn":`, "other type": `{"room_id":7,"token":[],"recovered":"x","session_token":{}}`,
			"garbage": "\x00\xff\x00",
		} {
			// Whether the server still offers the delivery must not matter: it was acknowledged.
			expired := kind == "half"
			t.Run(name+" "+kind, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.hook.set(func(context.Context, Job) int { return http.StatusServiceUnavailable })
					l := w.start(nil)
					w.server.ready("room_1", 0)
					settle(time.Second)
					l.end()
					require.NoError(t, os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600))
					if expired {
						w.server.expire()
					}
					failed := len(w.hook.calls())
					w.hook.set(nil)
					l = w.start(nil)
					settle(time.Minute)
					require.Len(t, w.hook.calls(), failed+1)
					require.Equal(t, w.server.token("room_1"), w.fileToken("room_1"))
					require.Equal(t, StageAccepted, w.readWake("room_1").Stage)
					l.end()
				})
			})
		}
	}
}

func TestAnotherServerOrAgentStartsOver(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		w.server.ready("room_1", 0)
		settle(time.Second)
		l.end()
		other := newFakeServer()
		other.agent = "agt_other"
		w.net.serve(t, "other.test", other)
		other.ready("room_2", 0)
		l = w.start(func(o *Options) { o.Server = "http://other.test" })
		settle(time.Second)
		for _, r := range other.requests() {
			require.NotContains(t, r, "room_1")
			require.NotContains(t, r, "last_delivery_id")
		}
		require.Len(t, w.hook.calls(), 2)
		require.Equal(t, "agt_other", w.hook.calls()[1].AgentID)
		require.False(t, w.hasToken("room_1"))
		l.end()

		// The same server, another agent by another key.
		other.mu.Lock()
		other.agent, other.key = "agt_third", "ak_third"
		other.rooms["room_2"].actor = "agt_other"
		other.mu.Unlock()
		other.ready("room_3", 0)
		l = w.start(func(o *Options) { o.Server, o.APIKey = "http://other.test", "ak_third" })
		settle(time.Minute)
		require.Len(t, w.hook.calls(), 3)
		require.Equal(t, "room_3", w.hook.calls()[2].RoomID)
		require.False(t, w.hasToken("room_2"))
		require.Equal(t, "agt_third", w.readState().AgentID)
		require.Equal(t, 2, other.logins, "the session of another key is not used")
		l.end()
	})
}
