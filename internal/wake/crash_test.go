package wake

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

var errCrashed = errors.New("crashed")

// crash is the death of a process at a chosen step. A step is the beginning or the end of a write, a removal or a
// request: what had been done by then is done, and nothing is done after it.
type crash struct {
	mu   sync.Mutex
	left int
	dead bool
	at   string
	kill context.CancelFunc
}

func (c *crash) step(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return &diskError{errCrashed}
	}
	if c.left == 0 {
		c.dead, c.at = true, name
		c.kill()
		return &diskError{errCrashed}
	}
	c.left--
	return nil
}

func (c *crash) where() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at, c.dead
}

// crashTransport lets a request die before it is sent, or its answer before it is read.
type crashTransport struct {
	crash *crash
	next  http.RoundTripper
}

func (t *crashTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	name := r.Method + " " + r.URL.Host + r.URL.Path
	if err := t.crash.step("before " + name); err != nil {
		return nil, err
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := t.crash.step("after " + name); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// startAndCrash runs a sidecar that dies at the given step, and waits for its end. It is false when the sidecar lived on.
func (w *world) startAndCrash(step int) (at string, crashed bool) {
	w.t.Helper()
	client, closeIdle := w.net.client()
	defer closeIdle()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c := &crash{left: step, kill: stop}
	client.Transport = &crashTransport{crash: c, next: client.Transport}
	o := w.options(client)
	o.Drain = time.Nanosecond
	dir := newFolder(w.dir)
	dir.step = c.step
	// The page cache outlives a killed process; without the disk the many lives here take a tenth of the time.
	dir.sync = func(*os.File) error { return nil }
	s, err := open(o, dir)
	require.NoError(w.t, err)
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		stop()
		<-done
	}
	require.NoError(w.t, s.Close())
	return c.where()
}

// eachStep plays a scenario once for every step at which the sidecar can die, until it lives through.
func eachStep(t *testing.T, prepare func(w *world), check func(t *testing.T, w *world, at string)) {
	t.Helper()
	for step := 0; ; step++ {
		crashed := true
		t.Run(strconv.Itoa(step), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				prepare(w)
				var at string
				if at, crashed = w.startAndCrash(step); !crashed {
					return
				}
				l := w.start(nil)
				settle(3 * time.Minute)
				check(t, w, at)
				l.end()
			})
		})
		if !crashed || t.Failed() {
			require.Greater(t, step, 15, "so few steps would test nothing")
			return
		}
	}
}

// connectOnce leaves a folder whose sidecar has nothing to recover, so that the next one hears of turns by the stream.
func (w *world) connectOnce() {
	l := w.start(nil)
	settle(time.Second)
	l.end()
}

// answering is a hook whose agent answers at once.
func answering(w *world) func(context.Context, Job) int {
	return func(_ context.Context, job Job) int {
		w.server.answer(job.RoomID)
		return http.StatusOK
	}
}

func TestCrashAtAnyStepLosesNoWakeAndDoublesNone(t *testing.T) {
	eachStep(t, func(w *world) {
		w.connectOnce()
		w.hook.set(answering(w))
		w.server.ready("room_1", 0)
	}, func(t *testing.T, w *world, at string) {
		require.Len(t, w.hook.calls(), 1, "died at %s", at)
		require.True(t, w.server.acked("dly_room_1_0"), "died at %s", at)
	})
}

// TestCrashDuringAnUnansweredHookRepeatsItUnderItsName: nobody can know whether a hook acts on a call that was cut off, so
// that the turn is woken again as long as the room waits, and the hook can tell by the id.
func TestCrashDuringAnUnansweredHookRepeatsItUnderItsName(t *testing.T) {
	eachStep(t, func(w *world) {
		w.connectOnce()
		w.server.ready("room_1", 0)
	}, func(t *testing.T, w *world, at string) {
		jobs := w.hook.calls()
		require.NotEmpty(t, jobs, "died at %s", at)
		for _, j := range jobs {
			require.Equal(t, jobs[0].WakeID, j.WakeID, "died at %s", at)
		}
		inside := strings.Contains(at, "hook.test") || strings.Contains(at, "typing") || strings.HasPrefix(at, wakesDir)
		if !inside {
			require.Len(t, jobs, 1, "died at %s", at)
		}
		require.LessOrEqual(t, len(jobs), 2)
		require.True(t, w.server.acked("dly_room_1_0"))
		require.Equal(t, w.server.token("room_1"), w.fileToken("room_1"), "died at %s", at)
	})
}

func TestCrashAtAnyStepOfARecovery(t *testing.T) {
	eachStep(t, func(w *world) {
		w.hook.set(answering(w))
		w.server.ready("room_1", 0)
		w.server.ready("room_2", 0)
		w.server.ready("room_3", 0)
		l := w.start(nil)
		settle(time.Second)
		l.end()
		w.server.ready("room_1", 2)
		w.server.ready("room_2", 2)
		w.server.end("room_3", areyouai.FrameRoomClosed)
		w.server.expire()
	}, func(t *testing.T, w *world, at string) {
		woken := map[string]int{}
		for _, j := range w.hook.calls() {
			woken[fmt.Sprint(j.RoomID, " ", j.NextTurn)]++
		}
		require.Equal(t, map[string]int{"room_1 0": 1, "room_2 0": 1, "room_3 0": 1, "room_1 2": 1, "room_2 2": 1}, woken, "died at %s", at)
		require.False(t, w.hasToken("room_3"), "died at %s", at)
		require.Empty(t, w.readState().LastAcknowledgedDeliveryID)
	})
}

func TestCrashAtAnyStepOfARoomsEnd(t *testing.T) {
	eachStep(t, func(w *world) {
		w.hook.set(func(context.Context, Job) int { return http.StatusServiceUnavailable })
		w.server.ready("room_1", 0)
		l := w.start(nil)
		settle(time.Second)
		l.end()
		w.server.end("room_1", areyouai.FrameRoomClosed)
		w.hook.mu.Lock()
		w.hook.jobs = nil
		w.hook.mu.Unlock()
	}, func(t *testing.T, w *world, at string) {
		require.Empty(t, w.hook.calls(), "died at %s", at)
		require.True(t, w.server.acked("dly_room_1_room.closed"), "died at %s", at)
		require.False(t, w.hasToken("room_1"), "died at %s", at)
		require.NoFileExists(t, w.dir+"/"+fileOf(wakesDir, "room_1"), "died at %s", at)
	})
}
