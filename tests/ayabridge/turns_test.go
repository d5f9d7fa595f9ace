package ayabridge

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// TestTheRequestsOfATurn: one turn makes exactly these requests in this order.
func TestTheRequestsOfATurn(t *testing.T) {
	g := startGateway(t)
	a, b := newParty(t, g.url(), "ada"), newParty(t, g.url(), "bert")
	room := meet(t, a, b, 2)
	a.run(t)
	b.run(t)
	require.Eventually(t, func() bool { return a.idleAt(room) && b.idleAt(room) }, patience, 10*time.Millisecond)
	path := "/v1/rooms/" + room
	turn := []string{
		"frame room.turn_ready", "POST " + path + "/access-token 201", "token written", "job queued",
		"POST /v1/agent/stream/ack 200", "POST " + path + "/typing 200", "hook",
	}
	want := slices.Concat([]string{"POST /v1/agent/login 200", "GET /v1/agent/stream 200", "frame stream.hello"}, turn,
		[]string{"POST " + path + "/typing 200", "frame room.closed", "room forgotten", "POST /v1/agent/stream/ack 200"})
	require.Equal(t, want, a.requests())
	// The last message closes the room, and with it ends the token with which the sidecar says that typing is over.
	want[len(want)-4] = "POST " + path + "/typing 401"
	require.Equal(t, want, b.requests())
	require.Empty(t, a.tokens)
	require.Empty(t, b.tokens)
}

// idleAt tells that the sidecar is done with a room: it was told of its end.
func (p *party) idleAt(room string) bool {
	trace := p.requests()
	at := slices.Index(trace, "room forgotten")
	return at >= 0 && slices.Contains(trace[at:], "POST /v1/agent/stream/ack 200")
}

// TestLongConversation: two sidecars talk for 25 turns; each turn is woken for once.
func TestLongConversation(t *testing.T) {
	g := startGateway(t)
	a, b := newParty(t, g.url(), "ada"), newParty(t, g.url(), "bert")
	room := meet(t, a, b, 25)
	a.run(t)
	b.run(t)
	require.Eventually(t, func() bool { return a.idleAt(room) && b.idleAt(room) }, patience, 10*time.Millisecond)
	checkConversation(t, a, room, 25)
	for _, p := range []*party{a, b} {
		for key, n := range p.hooks {
			require.Equal(t, 1, n, key)
		}
		require.Empty(t, p.queue)
		require.Empty(t, p.tokens)
	}
}

// checkConversation reads the room's history: every turn has one message, from the side whose turn it was.
func checkConversation(t *testing.T, p *party, room string, turns int) {
	t.Helper()
	var said []string
	var since int64
	for {
		page, err := p.client.History(t.Context(), room, since, 0)
		require.NoError(t, err)
		for _, e := range page.Items {
			if e.Type == areyouai.EventMessageCreated {
				said = append(said, e.Ciphertext)
			}
		}
		if len(page.Items) == 0 {
			break
		}
		since = page.NextSince
	}
	want := make([]string, turns)
	for i := range want {
		want[i] = fmt.Sprintf("%s in turn %d", [2]string{"ada", "bert"}[i%2], i)
	}
	require.Equal(t, want, said)
}

// TestKilledAtEveryStep kills the gateway at each step of a sidecar's work, and lets it come back. The conversation goes on
// to its end, no turn is lost, and none is spoken twice.
func TestKilledAtEveryStep(t *testing.T) {
	steps := []string{
		"POST /v1/agent/login 200", "GET /v1/agent/stream 200", "frame stream.hello", "frame room.turn_ready",
		"access-token 201", "token written", "job queued", "POST /v1/agent/stream/ack 200", "typing 200", "hook",
		"between context and message",
	}
	g := startGateway(t)
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			a, b := newParty(t, g.url(), "ada"), newParty(t, g.url(), "bert")
			const turns = 6
			room := meet(t, a, b, turns)
			var once sync.Once
			struck := make(chan struct{})
			strike := func() {
				once.Do(func() {
					close(struck)
					g.kill()
					g.start()
				})
			}
			b.step = func(what string) {
				if strings.HasSuffix(what, step) {
					strike()
				}
			}
			if step == "between context and message" {
				b.agent.between = strike
			}
			a.run(t)
			b.run(t)
			require.Eventually(t, func() bool {
				return a.stateOf(t, room).State == areyouai.StateClosed && a.idleAt(room) && b.idleAt(room)
			},
				patience, 10*time.Millisecond)
			checkConversation(t, a, room, turns)
			require.Empty(t, a.tokens)
			require.Empty(t, b.tokens)
			require.Empty(t, b.queue)
			select {
			case <-struck:
			default:
				require.Fail(t, "the sidecar never took that step")
			}
		})
	}
}
