package wake

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClockThatIsSetBack: a pause that was reckoned by a clock far ahead does not hold a wake back when the clock is right
// again, neither in a process that goes on nor in the next one.
func TestClockThatIsSetBack(t *testing.T) {
	for name, restart := range map[string]bool{"in the same life": false, "in the next life": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var ahead atomic.Int64
				ahead.Store(int64(24 * time.Hour))
				clock := func(o *Options) {
					o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				}
				w.hook.set(func(context.Context, Job) int { return http.StatusServiceUnavailable })
				l := w.start(clock)
				settle(time.Second)
				w.server.ready("room_1", 0)
				settle(time.Minute)
				calls := len(w.hook.calls())
				require.NotZero(t, calls)
				if restart {
					l.end()
				}
				ahead.Store(0)
				w.hook.set(nil)
				if restart {
					l = w.start(clock)
				}
				settle(10 * time.Minute)
				require.Greater(t, len(w.hook.calls()), calls)
				require.Equal(t, StageAccepted, w.readWake("room_1").Stage)
				l.end()
			})
		})
	}
}

// TestClockThatIsSlow: a token that has ended by the server's clock is not handed out, though it has time left by ours.
func TestClockThatIsSlow(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(context.Context, Job) int { return http.StatusServiceUnavailable })
		l := w.start(func(o *Options) { o.Now = func() time.Time { return time.Now().Add(-time.Hour) } })
		settle(time.Second)
		w.server.ready("room_1", 0)
		settle(time.Minute)
		first := w.fileToken("room_1")
		settle(10 * time.Minute)
		require.NotEqual(t, first, w.fileToken("room_1"))
		require.Equal(t, w.server.token("room_1"), w.fileToken("room_1"))
		l.end()
	})
}
