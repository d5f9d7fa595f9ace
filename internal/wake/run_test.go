package wake

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

func TestOneTurnAsksInTheOrderOfTheContract(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		settle(time.Second)
		require.Equal(t, []string{
			"POST /agent/login", "GET /agent/actionable-rooms", "GET /agent/stream",
		}, w.server.requests(), "a first start asks what waits")

		id := w.server.ready("room_1", 4)
		settle(time.Second)
		require.Equal(t, []string{
			"POST /rooms/room_1/access-token", "POST /agent/stream/ack", "POST /rooms/room_1/typing start", "POST /rooms/room_1/typing stop",
		}, w.server.requests())
		jobs := w.hook.calls()
		require.Len(t, jobs, 1)
		job := jobs[0]
		require.Equal(t, Contract, job.Contract)
		require.Equal(t, "room_1", job.RoomID)
		require.EqualValues(t, 4, job.NextTurn)
		require.Equal(t, testAgent, job.NextActorID)
		require.Equal(t, testAgent, job.AgentID)
		require.Equal(t, "http://server.test", job.APIBaseURL)
		require.Equal(t, id, job.DeliveryID)
		require.Equal(t, w.server.token("room_1"), w.fileToken("room_1"))
		require.True(t, strings.HasSuffix(job.TokenPath, "/tokens/room_1.json"), job.TokenPath)
		require.Equal(t, "Bearer secret-hook-token", w.hook.auth[0])
		require.True(t, w.server.acked(id))
		require.Equal(t, id, w.readState().LastAcknowledgedDeliveryID)
		require.Equal(t, StageAccepted, w.readWake("room_1").Stage)
		l.end()
	})
}

func TestRepeatedDeliveriesWakeOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		w.server.ready("room_1", 2)
		settle(time.Second)
		w.server.requests()
		second := w.server.readyAs("dly_repeat", "room_1", 2)
		settle(3 * time.Second)
		require.True(t, w.server.acked(second))
		require.Len(t, w.hook.calls(), 1)
		require.NotContains(t, w.server.requests(), "POST /rooms/room_1/access-token", "a mint would revoke the token at work")
		// An older turn that a server offers late is nothing new either.
		old := w.server.readyAs("dly_old", "room_1", 0)
		w.server.mu.Lock()
		w.server.rooms["room_1"].turn = 2
		w.server.mu.Unlock()
		settle(3 * time.Second)
		require.True(t, w.server.acked(old))
		require.Len(t, w.hook.calls(), 1)
		l.end()
	})
}

func TestSlowHookBlocksNeitherTheStreamNorIsCalledTwice(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(ctx context.Context, job Job) int {
			if job.RoomID == "room_slow" {
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Second):
				}
			}
			return http.StatusOK
		})
		l := w.start(nil)
		slow := w.server.ready("room_slow", 0)
		settle(time.Second)
		quick := w.server.ready("room_quick", 0)
		settle(90 * time.Second)
		require.True(t, w.server.acked(slow))
		require.True(t, w.server.acked(quick))
		require.Len(t, w.hook.calls(), 2, "the slow call runs and is not made again")
		w.server.mu.Lock()
		require.EqualValues(t, 5, w.server.rooms["room_slow"].typing, "typing is shown all the while")
		w.server.mu.Unlock()

		// A later turn of the room waits for the call that runs.
		w.server.answer("room_slow")
		w.server.ready("room_slow", 2)
		settle(5 * time.Second)
		require.Len(t, w.hook.calls(), 2)
		settle(10 * time.Second)
		require.Len(t, w.hook.calls(), 3)
		require.EqualValues(t, 2, w.hook.calls()[2].NextTurn)
		l.end()
	})
}

func TestFailingHookIsCalledAgainWithGrowingPauses(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		begin := time.Now()
		var at []time.Duration
		w.hook.set(func(context.Context, Job) int {
			at = append(at, time.Since(begin).Round(time.Second))
			if len(at) < 5 {
				return http.StatusBadGateway
			}
			return http.StatusNoContent
		})
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(5 * time.Minute)
		require.Equal(t, []time.Duration{0, 5 * time.Second, 15 * time.Second, 35 * time.Second, 75 * time.Second}, at)
		jobs := w.hook.calls()
		for i, j := range jobs {
			require.Equal(t, jobs[0].WakeID, j.WakeID)
			require.Equal(t, i+1, j.Attempt)
		}
		rec := w.readWake("room_1")
		require.Equal(t, StageAccepted, rec.Stage)
		require.Empty(t, rec.LastError)
		l.end()
	})
}

func TestHangingHookEndsAtItsTimeout(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		calls := 0
		w.hook.set(func(ctx context.Context, _ Job) int {
			if calls++; calls == 1 {
				<-ctx.Done()
			}
			return http.StatusOK
		})
		w.server.ready("room_1", 0)
		l := w.start(func(o *Options) { o.HookTimeout = 30 * time.Second })
		settle(31 * time.Second)
		require.Contains(t, w.readWake("room_1").LastError, "hook timeout")
		settle(10 * time.Second)
		require.Len(t, w.hook.calls(), 2)
		require.Equal(t, 1, w.hook.widest, "the first call was over before the second began")
		l.end()
	})
}

func TestTurnAnsweredBetweenAttemptsIsNotWokenAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(_ context.Context, job Job) int {
			w.server.answer(job.RoomID)
			return http.StatusInternalServerError
		})
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(time.Minute)
		require.Len(t, w.hook.calls(), 1)
		require.Equal(t, StageDone, w.readWake("room_1").Stage)
		l.end()
	})
}

func TestAcceptedWakeWithoutAnswerIsWokenAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.server.ready("room_1", 0)
		w.server.ready("room_2", 0)
		w.hook.set(func(_ context.Context, job Job) int {
			if job.RoomID == "room_2" {
				w.server.answer(job.RoomID)
			}
			return http.StatusOK
		})
		l := w.start(nil)
		settle(9 * time.Minute)
		require.Len(t, w.hook.calls(), 2)
		settle(2 * time.Minute)
		jobs := w.hook.calls()
		require.Len(t, jobs, 3, "room_1 stood still, room_2 did not")
		again := jobs[2]
		require.Equal(t, "room_1", again.RoomID)
		require.Equal(t, 2, again.Round)
		require.Equal(t, 1, again.Attempt)
		require.NotEqual(t, jobs[0].WakeID, again.WakeID, "a hook that drops repeats must not drop this one")
		require.Equal(t, w.server.token("room_1"), w.fileToken("room_1"))

		// Its patience survives a restart.
		l.end()
		l = w.start(nil)
		settle(8 * time.Minute)
		require.Len(t, w.hook.calls(), 3)
		settle(2 * time.Minute)
		require.Len(t, w.hook.calls(), 4)
		l.end()
	})
}

func TestTokenWithAMinuteLeftIsRenewedBeforeTheHook(t *testing.T) {
	for name, c := range map[string]struct {
		failures int
		mints    int
	}{
		"first call":       {0, 1},
		"after 75 seconds": {4, 1},
		"after 5 minutes":  {6, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.hook.set(func(_ context.Context, job Job) int {
					if job.Attempt <= c.failures {
						return http.StatusInternalServerError
					}
					return http.StatusOK
				})
				l := w.start(nil)
				settle(time.Second)
				w.server.ready("room_1", 0)
				settle(9 * time.Minute)
				require.Len(t, w.hook.calls(), c.failures+1)
				require.Equal(t, c.mints, w.server.minted)
				require.Equal(t, w.server.token("room_1"), w.fileToken("room_1"))
				left := w.hook.calls()[c.failures].TokenExpiresAt
				require.False(t, left.IsZero())
				l.end()
			})
		})
	}
}

func TestEndedRoomIsForgotten(t *testing.T) {
	for _, how := range []areyouai.FrameType{areyouai.FrameRoomClosed, areyouai.FrameRoomPurged} {
		t.Run(string(how), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.hook.set(func(context.Context, Job) int { return http.StatusServiceUnavailable })
				w.server.ready("room_1", 0)
				l := w.start(nil)
				settle(time.Second)
				require.True(t, w.hasToken("room_1"))
				calls := len(w.hook.calls())
				id := w.server.end("room_1", how)
				settle(10 * time.Minute)
				require.True(t, w.server.acked(id))
				require.Len(t, w.hook.calls(), calls, "a dead room wakes nobody")
				require.False(t, w.hasToken("room_1"))
				require.NoFileExists(t, w.dir+"/"+fileOf(wakesDir, "room_1"))
				l.end()
			})
		})
	}
}

func TestRoomThatEndsDuringItsHookLeavesNothingBehind(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(context.Context, Job) int {
			time.Sleep(50 * time.Second)
			return http.StatusOK
		})
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(10 * time.Second)
		w.server.end("room_1", areyouai.FrameRoomClosed)
		settle(2 * time.Minute)
		require.False(t, w.hasToken("room_1"))
		require.NoFileExists(t, w.dir+"/"+fileOf(wakesDir, "room_1"))
		l.end()
	})
}

func TestTurnAnsweredWhileNoSidecarRanIsNotWoken(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(context.Context, Job) int { return http.StatusServiceUnavailable })
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(time.Second)
		l.end()
		require.Equal(t, StageQueued, w.readWake("room_1").Stage)
		w.server.answer("room_1")
		l = w.start(nil)
		settle(time.Minute)
		require.Len(t, w.hook.calls(), 1)
		require.Equal(t, StageDone, w.readWake("room_1").Stage)
		l.end()
	})
}

// TestTokenOfARoomThatEndedMeanwhileIsNotKept: a worker mints, the stream hears that the room is over, the worker writes.
func TestTokenOfARoomThatEndedMeanwhileIsNotKept(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.server.ready("room_1", 0)
		client, done := w.net.client()
		defer done()
		s, err := open(w.options(client), w.folder())
		require.NoError(t, err)
		require.NoError(t, s.attend(t.Context(), &Wake{RoomID: "room_1", ActorID: testAgent, Stage: StageQueued, Round: 1}))
		require.False(t, w.hasToken("room_1"))
		require.Empty(t, w.hook.calls())
		require.NoError(t, s.Close())
	})
}

func TestWakeIsHeldUntilItsDeliveryIsAcknowledged(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q, _, err := openQueue(w.folder(), time.Now)
		require.NoError(t, err)
		require.NoError(t, q.dir.make(wakesDir))
		require.NoError(t, q.add(&Wake{RoomID: "room_1"}))
		held, due := q.take()
		require.Nil(t, held)
		require.True(t, due.IsZero())
		q.release("room_1")
		held, _ = q.take()
		require.Equal(t, "room_1", held.RoomID)
		held, _ = q.take()
		require.Nil(t, held, "one worker per room")
	})
}

// TestTurnThatCountedAsOverIsWokenWhenTheServerSaysItWaits: the server knows best.
func TestTurnThatCountedAsOverIsWokenWhenTheServerSaysItWaits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(time.Second)
		l.end()
		rec := w.readWake("room_1")
		rec.Stage = StageDone
		require.NoError(t, w.folder().write(fileOf(wakesDir, "room_1"), rec))
		w.server.expire()
		l = w.start(nil)
		settle(time.Minute)
		jobs := w.hook.calls()
		require.Len(t, jobs, 2)
		require.Equal(t, 2, jobs[1].Round)
		l.end()
	})
}
