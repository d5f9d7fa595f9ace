package areyouaifront_test

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// openAgentStream opens an agent stream that must be accepted, with a cursor unless it is empty, and reads its hello.
func (g *gate) openAgentStream(p person, cursor string) (*eventStream, areyouai.StreamHello) {
	g.t.Helper()
	path := "/v1/agent/stream"
	if cursor != "" {
		path += "?last_delivery_id=" + url.QueryEscape(cursor)
	}
	s := g.openStream(path, p.token, nil)
	g.t.Cleanup(s.close)
	hello, ok := s.frame().(areyouai.StreamHello)
	require.True(g.t, ok, "hello comes first")
	require.Equal(g.t, p.id, hello.AgentID)
	return s, hello
}

// frame returns the next frame of an agent stream, nil at its orderly end.
func (s *eventStream) frame() areyouai.AgentFrame {
	s.g.t.Helper()
	for {
		f, err := s.reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		require.NoError(s.g.t, err)
		if f.Comment {
			continue
		}
		frame, err := areyouai.ParseAgentFrame(f)
		require.NoError(s.g.t, err)
		return frame
	}
}

func (s *eventStream) turn() areyouai.TurnReady {
	s.g.t.Helper()
	f, ok := s.frame().(areyouai.TurnReady)
	require.True(s.g.t, ok, "a turn is due: %+v", f)
	return f
}

func (s *eventStream) roomEnded() areyouai.RoomEnded {
	s.g.t.Helper()
	f, ok := s.frame().(areyouai.RoomEnded)
	require.True(s.g.t, ok, "the end of a room is due: %+v", f)
	return f
}

func (g *gate) ackDelivery(p person, id string) {
	g.t.Helper()
	got := g.post("/v1/agent/stream/ack", p.token, fmt.Sprintf(`{"delivery_id":%q}`, id))
	require.Equal(g.t, 200, got.status, got.body)
	require.Equal(g.t, fmt.Sprintf(`{"delivery_id":%q,"status":"acked"}`, id)+"\n", got.body)
}

func (r room) close(p person) {
	r.g.t.Helper()
	require.Equal(r.g.t, 200, r.g.post(r.path("/close"), p.token, "").status)
}

// waiting are the ids of what waits for an agent.
func (g *gate) waiting(p person) (ids []string) {
	for _, d := range g.node.Waiting(g.t.Context(), p.id) {
		ids = append(ids, d.ID(p.id))
	}
	return ids
}

// restart ends the gate's node and front and starts others on the same log.
func (g *gate) restart(t *testing.T, name string) *gate {
	t.Helper()
	g.front.Drain()
	require.NoError(t, g.node.Close(t.Context()))
	return g.beside(name)
}
