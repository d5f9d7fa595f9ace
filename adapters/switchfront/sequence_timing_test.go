package switchfront_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

const keepalive = ": keepalive\n\n"

// TestKeepaliveIsOnTime, to a tenth of a second: after fifteen seconds in which nothing was written, and not before.
func TestKeepaliveIsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, worldOptions{sweeps: true, keepsAlive: true})
		l, status, _ := w.listen("bob", "b1", "&rooms="+w.ids["attic"])
		w.law(status == 200, "the stream opens", "%d", status)
		// until lets time pass in which bob beats.
		opened := w.now()
		until := func(seconds float64) []string {
			for end := opened.Add(time.Duration(seconds * float64(time.Second))); w.now().Before(end); {
				w.as("bob", "POST", "/connection/beat", `{"connection_id":"b1","cursor":0}`)
				w.sleep(min(2*time.Second, end.Sub(w.now())))
			}
			frames, _, _ := l.take()
			return frames
		}
		frames := until(14.9)
		w.law(len(frames) == 1, "connection_state comes at once and nothing else", "%q", frames)
		for _, second := range []float64{15, 30} {
			early, onTime := until(second-0.1), until(second+0.1)
			w.law(len(early) == 0 && slices.Equal(onTime, []string{keepalive}), "a keepalive after fifteen silent seconds",
				"at %v s: %q, %q", second, early, onTime)
		}
		until(35)
		w.as("alice", "POST", "/message", fmt.Sprintf(`{"room_id":%q,"content":"hello"}`, w.ids["attic"]))
		frames = until(49.9)
		w.law(len(frames) == 1 && frames[0] != keepalive, "an event puts the keepalive off", "%q", frames)
		frames = until(50.1)
		w.law(slices.Equal(frames, []string{keepalive}), "a keepalive after fifteen silent seconds", "%q", frames)
		l.cancel()
	})
}

// TestGuardLetsAClientThrough: a client that reopens its id again and again, faster than the guard against storms has it,
// waits for about a second each time and is never refused. Between its opens its connection does not die.
func TestGuardLetsAClientThrough(t *testing.T) {
	for name, hangsUp := range map[string]bool{"after it hung up": true, "while its stream is open": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, worldOptions{sweeps: true, guard: true})
				var old *listener
				for range 20 {
					if old != nil && hangsUp {
						old.cancel()
					}
					asked := w.now()
					l, status, refused := w.listen("bob", "b1", "&rooms="+w.ids["attic"]+"&start_from=0")
					w.law(status == 200, "an open is not refused", "%d %s", status, refused)
					waited := w.now().Sub(asked)
					w.law(waited <= 1100*time.Millisecond, "an open waits for a second at most", "%v", waited)
					w.rest()
					if old != nil && !hangsUp {
						_, ended, broken := old.take()
						w.law(ended && broken == nil, "the older stream has ended", "%v %v", ended, broken)
					}
					old = l
				}
				r := w.as("bob", "POST", "/connection/beat", `{"connection_id":"b1","cursor":0}`)
				w.law(r.status == 200, "the connection lives", "%d %s", r.status, r.body)
				old.cancel()
			})
		})
	}
}
