package ayabridge

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// count is how often a step stands in the trace.
func (p *party) count(suffix string) (n int) {
	for _, what := range p.requests() {
		if strings.HasSuffix(what, suffix) {
			n++
		}
	}
	return n
}

// TestSessionEnds: when the session is over, the open stream says so, and the sidecar logs in and goes on.
func TestSessionEnds(t *testing.T) {
	url, clock := inProcess(t)
	a, b := newParty(t, url, "ada"), newParty(t, url, "bert")
	for _, p := range []*party{a, b} {
		p.now = clock.Now
	}
	a.run(t)
	require.Eventually(t, func() bool { return a.count("frame stream.hello") == 1 }, patience, 5*time.Millisecond)
	clock.Advance(areyouai.SessionTTL + time.Second)
	require.Eventually(t, func() bool { return a.count("frame stream.hello") == 2 }, patience, 5*time.Millisecond)
	require.Equal(t, 1, a.count("frame auth.relogin_required"))
	require.Equal(t, 2, a.count("login 200"))
	room := meet(t, a, b, 2)
	b.run(t)
	require.Eventually(t, func() bool { return a.idleAt(room) && b.idleAt(room) }, patience, 5*time.Millisecond)
}

// TestRoomTokenEnds: a wake-up that waited for longer than its token lives gets a new one before the hook.
func TestRoomTokenEnds(t *testing.T) {
	url, clock := inProcess(t)
	a, b := newParty(t, url, "ada"), newParty(t, url, "bert")
	a.now, b.now = clock.Now, clock.Now
	// What was refused waits until the test has it tried again.
	a.retry = 0
	room := meet(t, a, b, 2)
	refused := 0
	a.hook = func(j job, tok tokenFile) error {
		if refused++; refused == 1 {
			return errors.New("the agent is not up")
		}
		return a.agent.wake(j, tok)
	}
	stop := a.run(t)
	require.Eventually(t, func() bool { return a.count("hook") == 1 }, patience, 5*time.Millisecond)
	stop()
	require.Len(t, a.queue, 1)
	clock.Advance(areyouai.RoomTokenTTL + time.Second)
	a.drain(t.Context())
	require.Empty(t, a.queue)
	require.Equal(t, 2, a.count("access-token 201"))
	require.Equal(t, int64(1), a.stateOf(t, room).TurnIndex)
}

// TestClosedDuringAWake: the room closes while the sidecar is about to wake the agent. It ends with nothing pending, without
// the token's file, and without going round in a circle.
func TestClosedDuringAWake(t *testing.T) {
	for _, step := range []string{"frame room.turn_ready", "token written", "job queued", "POST /v1/agent/stream/ack 200", "hook"} {
		t.Run(step, func(t *testing.T) {
			url, _ := inProcess(t)
			a, b := newParty(t, url, "ada"), newParty(t, url, "bert")
			room := meet(t, a, b, 10)
			closed := false
			a.step = func(what string) {
				if what == step && !closed {
					closed = true
					_, err := b.client.Close(t.Context(), room)
					require.NoError(t, err)
				}
			}
			a.hook = func(j job, tok tokenFile) error {
				_ = a.agent.wake(j, tok)
				return nil
			}
			stop := a.run(t)
			require.Eventually(t, func() bool { return a.idleAt(room) }, patience, 5*time.Millisecond)
			// A circle would show within a few of the sidecar's pauses.
			time.Sleep(10 * a.pause)
			stop()
			require.Empty(t, a.tokens)
			require.Empty(t, a.queue)
			require.LessOrEqual(t, a.count("GET /v1/agent/stream 200"), 2)
			require.LessOrEqual(t, a.count("frame room.turn_ready"), 1)
			require.Equal(t, 1, a.count("room forgotten"))
		})
	}
}

// TestHalfAnHourOffline: the cursor is too old, so the sidecar recovers: each room that waits is woken for once, and those
// that ended meanwhile are forgotten.
func TestHalfAnHourOffline(t *testing.T) {
	url, clock := inProcess(t)
	a, b := newParty(t, url, "ada"), newParty(t, url, "bert")
	a.now, b.now = clock.Now, clock.Now
	first := meet(t, a, b, 9)
	stop := a.run(t)
	require.Eventually(t, func() bool { return a.stateOf(t, first).TurnIndex == 1 && a.count("hook") == 1 }, patience, 5*time.Millisecond)
	stop()
	require.NotEmpty(t, a.lastAcked)
	ended := meet(t, a, b, 9)
	_, err := b.client.Close(t.Context(), ended)
	require.NoError(t, err)
	clock.Advance(20 * time.Minute)
	second, third := meet(t, a, b, 9), meet(t, a, b, 9)
	clock.Advance(11 * time.Minute)
	a.run(t)
	require.Eventually(t, func() bool { return a.count("hook") == 3 && a.count("frame stream.hello") == 3 }, patience, 5*time.Millisecond)
	require.Equal(t, 1, a.count("frame stream.replay_required")+a.replayedHellos())
	for _, room := range []string{second, third} {
		require.Equal(t, int64(1), a.stateOf(t, room).TurnIndex)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, n := range a.hooks {
		require.Equal(t, 1, n, key)
	}
	require.NotContains(t, a.tokens, ended)
}

// replayedHellos counts recoveries that began with the hello itself: the sidecar does not wait for the frame after it.
func (p *party) replayedHellos() (n int) {
	trace := p.requests()
	for i, what := range trace[:len(trace)-1] {
		if what == "frame stream.hello" && strings.HasPrefix(trace[i+1], "GET /v1/agent/actionable-rooms") {
			n++
		}
	}
	return n
}

// TestDuplicateWakes: a second mint, a second acknowledgement and a second typing are cheap and legal.
func TestDuplicateWakes(t *testing.T) {
	url, _ := inProcess(t)
	a, b := newParty(t, url, "ada"), newParty(t, url, "bert")
	room := meet(t, a, b, 2)
	a.run(t)
	require.Eventually(t, func() bool { return a.count("hook") == 1 }, patience, 5*time.Millisecond)
	for range 3 {
		require.NoError(t, a.ack(t.Context(), a.lastAcked))
		tok, err := a.client.AccessToken(t.Context(), room)
		require.NoError(t, err)
		status, err := a.call(t.Context(), "POST", "/v1/rooms/"+room+"/typing", tok.Token, map[string]any{"state": "stop"}, nil)
		require.NoError(t, err)
		require.Equal(t, 200, status)
	}
	require.False(t, slices.ContainsFunc(a.requests(), func(s string) bool { return strings.HasSuffix(s, " 500") }))
}
