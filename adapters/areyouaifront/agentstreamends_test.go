package areyouaifront_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

// relogin reads the farewell of a stream whose session ended.
func (s *eventStream) relogin(p person) {
	s.g.t.Helper()
	f, ok := s.frame().(areyouai.ReloginRequired)
	require.True(s.g.t, ok)
	require.Equal(s.g.t, p.id, f.AgentID)
	require.Nil(s.g.t, s.frame(), "the gateway closes")
}

func TestAgentStreamEndsWithItsSession(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Reauth: 20 * time.Millisecond, KeepAlive: time.Hour})
	a := g.person("Ada")
	s, _ := g.openAgentStream(a, "")
	g.clock.Advance(areyouai.SessionTTL + time.Second)
	s.relogin(a)
}

// TestAgentStreamEndsWithItsKey at once, and not at the next look: nothing more goes to whoever holds a dead key.
func TestAgentStreamEndsWithItsKey(t *testing.T) {
	for name, end := range map[string]func(*gate, person) error{
		"replaced": func(g *gate, p person) error {
			_, err := g.node.RotateKey(g.t.Context(), p.id)
			return err
		},
		"deleted": func(g *gate, p person) error { return g.node.DeleteAgent(g.t.Context(), p.id) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, areyouaifront.Options{Reauth: time.Hour})
			r := g.room()
			s, _ := g.openAgentStream(r.b, "")
			require.NoError(t, end(g, r.b))
			s.relogin(r.b)
		})
	}
}

func TestAgentStreamKeepsAlive(t *testing.T) {
	g := newGate(t, areyouaifront.Options{KeepAlive: 20 * time.Millisecond})
	s, _ := g.openAgentStream(g.person("Ada"), "")
	for range 3 {
		f, err := s.reader.Next()
		require.NoError(t, err)
		require.True(t, f.Comment)
	}
	require.Equal(t, 3, strings.Count(s.raw.String(), ": keepalive\n\n"))
}

func TestAgentStreamDrains(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	a := g.person("Ada")
	s, _ := g.openAgentStream(a, "")
	g.front.Drain()
	require.Nil(t, s.frame())
	require.Equal(t, 503, g.get("/v1/agent/stream", a.token).status)
}

func TestAgentStreamEndsWithItsNode(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	s, _ := g.openAgentStream(g.person("Ada"), "")
	require.NoError(t, g.node.Close(t.Context()))
	require.Nil(t, s.frame())
}

func TestAgentStreamCap(t *testing.T) {
	limits := areyouaifront.DefaultLimits()
	limits.OpenAgentStreams = 2
	g := newGate(t, areyouaifront.Options{Limits: &limits})
	a, b := g.person("Ada"), g.person("Bob")
	first, _ := g.openAgentStream(a, "")
	g.openAgentStream(a, "")
	require.Equal(t, "rate_limited", g.get("/v1/agent/stream", a.token).code())
	g.openAgentStream(b, "")
	first.close()
	require.Eventually(t, func() bool {
		resp, cancel := g.startStream("/v1/agent/stream", a.token, nil)
		defer cancel()
		defer resp.Body.Close()
		return resp.StatusCode == 200
	}, patience, 5*time.Millisecond, "a stream that ended gives its place back")
	// One that is told to start anew holds none.
	for range 5 {
		s := g.openStream("/v1/agent/stream?last_delivery_id=dly_x", b.token, nil)
		for s.frame() != nil {
		}
		s.close()
	}
}

// TestDeliveriesSurviveRestarts: what waited before waits after, under the same id, and what was acknowledged does not.
func TestDeliveriesSurviveRestarts(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	s, _ := g.openAgentStream(r.a, "")
	first := s.turn()
	for _, name := range []string{"second", "third"} {
		g = g.restart(t, name)
		s, _ = g.openAgentStream(r.a, "")
		require.Equal(t, first, s.turn())
		s.close()
	}
	g.ackDelivery(r.a, first.DeliveryID)
	g = g.restart(t, "fourth")
	s, hello := g.openAgentStream(r.a, first.DeliveryID)
	require.Equal(t, areyouai.ResumeOK, hello.ResumeStatus)
	require.Empty(t, g.waiting(r.a))
	r.g = g
	r.close(r.b)
	s.roomEnded()
}

// TestDeliveriesOnAnotherNode: an agent's stream lives on one node, its peer speaks at another, and the ack comes in at
// either.
func TestDeliveriesOnAnotherNode(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	other := g.beside("two")
	r := g.room()
	s, _ := other.openAgentStream(r.b, "")
	r.talk(1)
	ready := s.turn()
	g.ackDelivery(r.b, ready.DeliveryID)
	require.Eventually(t, func() bool { return len(other.waiting(r.b)) == 0 }, patience, time.Millisecond)
	_, hello := other.openAgentStream(r.b, ready.DeliveryID)
	require.Equal(t, areyouai.ResumeOK, hello.ResumeStatus)
}

// TestAgentStreamIsAudited from its beginning to its end.
func TestAgentStreamIsAudited(t *testing.T) {
	g := newGate(t, areyouaifront.Options{AdminToken: "operator"})
	s, _ := g.openAgentStream(g.person("Ada"), "")
	events := func() (opened, closed int) {
		body := g.get("/v1/admin/audit", "operator").body
		return strings.Count(body, "stream_opened"), strings.Count(body, "stream_closed")
	}
	opened, closed := events()
	require.Equal(t, []int{1, 0}, []int{opened, closed})
	s.close()
	require.Eventually(t, func() bool { _, closed := events(); return closed == 1 }, patience, 5*time.Millisecond)
}
