package conformance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAlive: streams on which nothing happens say so, and live on for longer than the 30 s after which the reference cuts
// them.
func TestAlive(t *testing.T) {
	t.Parallel()
	shows(t, "8.1-keepalive", "8.1-open", "14-2", "16-10", "10-timeouts")
	s := shared(t)
	r := s.room(t)
	began := time.Now()
	events, viewer := r.opens(t, r.a, "?since=4"), s.opens(t, r.path("/viewer-events"), r.watches(t))
	agent, _ := r.b.stream(t, "")
	for beat := 1; beat <= 2; beat++ {
		for _, st := range []*stream{events, viewer, agent} {
			require.Equal(t, ": keepalive\n\n", st.raw(t, 3*patience).raw)
		}
		due := time.Duration(beat) * 20 * time.Second
		require.GreaterOrEqual(t, time.Since(began), due-time.Second)
		require.LessOrEqual(t, time.Since(began), due+10*time.Second)
	}
	r.types(t, r.a, object{"state": "start"}).is(200)
	viewer.typing(t, r.a, "start")
	r.say(t, "still there")
	events.hears(t, "message.created")
	agent.hears(t, "room.turn_ready")
}

// TestKilledCallback: the program is killed while it waits for a receiver's answer. It takes the attempt for lost after 45 s.
func TestKilledCallback(t *testing.T) {
	t.Parallel()
	shows(t, "9-stuck", "9-fresh")
	own := own(t, "--webhook-keys", "k1=0123456789abcdef", "--webhook-loopback", "all")
	b := receives(t, never)
	r := own.room(t)
	r.b.hook(t, b.url, hookSecret, nil)
	r.say(t, "the program is killed while it waits for the answer")
	first := b.next(t)
	own.restart(t, true)
	require.Equal(t, first.body, b.next(t).body)
	b.silent(t)
}
