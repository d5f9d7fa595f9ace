package wake

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMootDeliveriesAreDropped: the protocol's own sidecar asks for such a token about once a second for ever, and hears
// nothing of what comes after it.
func TestMootDeliveriesAreDropped(t *testing.T) {
	for _, status := range []int{http.StatusGone, http.StatusForbidden, http.StatusNotFound} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				l := w.start(nil)
				settle(time.Second)
				w.server.mu.Lock()
				w.server.refuse = func(r *http.Request) int {
					if strings.Contains(r.URL.Path, "room_gone/access-token") {
						return status
					}
					return 0
				}
				w.server.mu.Unlock()
				w.server.requests()
				gone := w.server.ready("room_gone", 0)
				next := w.server.ready("room_next", 0)
				settle(time.Hour)
				require.True(t, w.server.acked(gone))
				require.True(t, w.server.acked(next), "what comes behind it is reached")
				for _, job := range w.hook.calls() {
					require.Equal(t, "room_next", job.RoomID)
				}
				require.Equal(t, 1, strings.Count(strings.Join(w.server.requests(), "\n"), "room_gone/access-token"))
				l.end()
			})
		})
	}
}

// TestTokenThatCannotBeHadNowIsNoLoop: the delivery is acknowledged, the wake waits on the disk.
func TestTokenThatCannotBeHadNowIsNoLoop(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusBadGateway} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				l := w.start(nil)
				settle(time.Second)
				until := time.Now().Add(3 * time.Minute)
				w.server.mu.Lock()
				w.server.retryAfter = "60"
				w.server.refuse = func(r *http.Request) int {
					if strings.HasSuffix(r.URL.Path, "/access-token") && time.Now().Before(until) {
						return status
					}
					return 0
				}
				w.server.mu.Unlock()
				w.server.requests()
				id := w.server.ready("room_1", 0)
				settle(time.Minute)
				require.True(t, w.server.acked(id))
				require.Empty(t, w.hook.calls())
				settle(5 * time.Minute)
				require.Len(t, w.hook.calls(), 1)
				require.Equal(t, w.server.token("room_1"), w.fileToken("room_1"))
				asked := strings.Count(strings.Join(w.server.requests(), "\n"), "/access-token")
				require.LessOrEqual(t, asked, 6, "Retry-After is kept to")
				l.end()
			})
		})
	}
}

func TestAckThatFailsIsRepeatedWithoutASecondWake(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		settle(time.Second)
		refusals := 3
		w.server.mu.Lock()
		w.server.refuse = func(r *http.Request) int {
			if strings.HasSuffix(r.URL.Path, "/stream/ack") && refusals > 0 {
				refusals--
				return http.StatusInternalServerError
			}
			return 0
		}
		w.server.mu.Unlock()
		w.server.requests()
		id := w.server.ready("room_1", 0)
		settle(5 * time.Minute)
		require.True(t, w.server.acked(id))
		require.Len(t, w.hook.calls(), 1, "the wake was safe on the disk, so it did not wait for the ack")
		require.Equal(t, 1, w.server.minted, "nor is a token minted per try")
		l.end()
	})
}

func TestAckThatIsRefusedForGoodIsGivenUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		settle(time.Second)
		w.server.mu.Lock()
		w.server.refuse = func(r *http.Request) int {
			if strings.HasSuffix(r.URL.Path, "/stream/ack") {
				return http.StatusNotFound
			}
			return 0
		}
		w.server.mu.Unlock()
		w.server.requests()
		w.server.ready("room_1", 0)
		w.server.ready("room_2", 0)
		settle(time.Hour)
		require.Equal(t, 2, strings.Count(strings.Join(w.server.requests(), "\n"), "/stream/ack"))
		require.Empty(t, w.readState().LastAcknowledgedDeliveryID)
		l.end()
	})
}

func TestEndedSessionLogsInOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		settle(time.Second)
		w.server.requests()
		w.server.revoke()
		settle(10 * time.Second)
		w.server.ready("room_1", 0)
		settle(time.Second)
		require.Len(t, w.hook.calls(), 1)
		require.Equal(t, 2, w.server.logins)
		var kept Session
		require.NoError(t, newFolder(w.dir).read(sessionFile, &kept))
		require.Equal(t, "as_secret-session-2", kept.SessionToken)
		require.Equal(t, testAgent, kept.AgentID)
		require.Empty(t, kept.APIKey, "a key that is given to every run is not kept")
		l.end()

		// The kept session is used by the next life.
		l = w.start(nil)
		settle(time.Second)
		require.Equal(t, 2, w.server.logins)
		l.end()
	})
}

func TestRefusedKeyEndsTheSidecar(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		settle(time.Second)
		w.server.mu.Lock()
		w.server.key = "ak_another"
		w.server.mu.Unlock()
		w.server.revoke()
		<-l.done
		require.ErrorIs(t, l.err, ErrLoginRefused)
		require.NotContains(t, l.err.Error(), testKey)
		st := w.readState()
		require.Equal(t, StreamStopped, st.StreamStatus)
		require.NotEmpty(t, st.LastError)
	})
}

func TestServerThatIsDownIsWaitedFor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.server.refuse = func(*http.Request) int { return http.StatusServiceUnavailable }
		id := w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(10 * time.Minute)
		require.Less(t, len(w.server.requests()), 100)
		st, err := ReadStatus(w.dir)
		require.NoError(t, err)
		require.Equal(t, StreamWaiting, st.Stream.Status)
		w.server.mu.Lock()
		w.server.refuse = func(*http.Request) int { return 0 }
		w.server.mu.Unlock()
		settle(6 * time.Minute)
		require.Len(t, w.hook.calls(), 1)
		require.True(t, w.server.acked(id))
		l.end()
	})
}

// TestAProxysAnswerEndsNothing: while the server is away, a proxy answers in its place. No wake is lost by that, and the
// sidecar does not take it for a refused key.
func TestAProxysAnswerEndsNothing(t *testing.T) {
	for _, status := range []int{401, 403, 404, 410} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				l := w.start(nil)
				settle(time.Second)
				w.hook.set(func(context.Context, Job) int { return http.StatusServiceUnavailable })
				w.server.ready("room_1", 0)
				settle(time.Second)
				require.Len(t, w.hook.calls(), 1)
				away := func(only string) {
					w.server.mu.Lock()
					defer w.server.mu.Unlock()
					w.server.page = "<html>no such site</html>"
					w.server.refuse = func(r *http.Request) int {
						if strings.Contains(r.URL.Path, only) {
							return status
						}
						return 0
					}
				}
				away("")
				w.server.cut()
				settle(10 * time.Minute)
				// One of two servers is back: the stream works, minting does not.
				away("/access-token")
				second := w.server.ready("room_2", 0)
				settle(10 * time.Minute)
				require.True(t, w.server.acked(second))
				away("nowhere")
				w.hook.set(nil)
				settle(10 * time.Minute)
				woken := map[string]bool{}
				for _, job := range w.hook.calls() {
					woken[job.RoomID] = true
				}
				require.Equal(t, map[string]bool{"room_1": true, "room_2": true}, woken)
				require.Equal(t, StageAccepted, w.readWake("room_1").Stage)
				require.Equal(t, StageAccepted, w.readWake("room_2").Stage)
				l.end()
			})
		})
	}
}
