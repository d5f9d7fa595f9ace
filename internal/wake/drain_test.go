package wake

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEndWaitsForARunningHook(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(context.Context, Job) int {
			time.Sleep(15 * time.Second)
			return http.StatusOK
		})
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(time.Second)
		begin := time.Now()
		w.server.ready("room_2", 0)
		l.end()
		require.Equal(t, 14*time.Second, time.Since(begin))
		require.Equal(t, StageAccepted, w.readWake("room_1").Stage)
		require.Contains(t, w.server.requests(), "POST /rooms/room_1/typing stop")
		require.Equal(t, StreamStopped, w.readState().StreamStatus)
	})
}

func TestEndCutsAHookThatTakesTooLongAndCallsItAtTheNextStart(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(ctx context.Context, job Job) int {
			if job.Attempt == 1 {
				<-ctx.Done()
			}
			return http.StatusOK
		})
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(time.Second)
		begin := time.Now()
		l.end()
		require.Equal(t, DefaultDrain, time.Since(begin))
		require.Contains(t, w.server.requests(), "POST /rooms/room_1/typing stop")
		require.Equal(t, StageQueued, w.readWake("room_1").Stage)

		l = w.start(nil)
		settle(10 * time.Second)
		jobs := w.hook.calls()
		require.Len(t, jobs, 2)
		require.Equal(t, jobs[0].WakeID, jobs[1].WakeID)
		l.end()
	})
}

func TestParallelBoundsHooksOverAllRooms(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(context.Context, Job) int {
			time.Sleep(10 * time.Second)
			return http.StatusOK
		})
		l := w.start(func(o *Options) { o.Parallel = 2 })
		for _, room := range []string{"room_1", "room_2", "room_3", "room_4", "room_5"} {
			w.server.ready(room, 0)
		}
		settle(5 * time.Second)
		require.Len(t, w.hook.calls(), 2)
		settle(30 * time.Second)
		require.Len(t, w.hook.calls(), 5)
		require.Equal(t, 2, w.hook.widest)
		l.end()
	})
}

func TestOneSidecarPerFolder(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		l := w.start(nil)
		client, done := w.net.client()
		defer done()
		_, err := Open(w.options(client))
		require.ErrorIs(t, err, ErrInUse)
		require.ErrorIs(t, Login(t.Context(), w.options(client)), ErrInUse)
		st, err := ReadStatus(w.dir)
		require.NoError(t, err)
		require.True(t, st.Running)
		l.end()
		st, err = ReadStatus(w.dir)
		require.NoError(t, err)
		require.False(t, st.Running)
	})
}
