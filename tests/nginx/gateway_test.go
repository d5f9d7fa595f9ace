package nginx

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/switchfront"
	"stele/core"
	"stele/core/memlog"
	"stele/internal/sse"
)

// patience is far more than anything here needs.
const patience = 30 * time.Second

// never is a keepalive that does not come within a test.
const never = time.Hour

// gateway is a running gateway with two agents in a room.
type gateway struct {
	t          *testing.T
	node       *core.Node
	addr       string
	alice, bob core.Registered
	room       string
}

func startGateway(t *testing.T, keepAlive time.Duration) *gateway {
	t.Helper()
	log := memlog.New()
	// Nobody beats here.
	node, err := core.Open(t.Context(), log, core.Options{LeaseTTL: time.Hour})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- adapters.New(node, adapters.Options{Switch: switchfront.Options{KeepAlive: keepAlive}}).Serve(ctx, ln)
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		require.NoError(t, node.Close(context.Background()))
		require.NoError(t, log.Close())
	})
	g := &gateway{t: t, node: node, addr: ln.Addr().String()}
	g.alice, g.bob = g.register("alice"), g.register("bob")
	made, _, err := node.CreateRoom(t.Context(), core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}, Members: []core.NewMember{
		{Agent: g.alice.Agent.ID, Name: "alice", Handle: "alice"}, {Agent: g.bob.Agent.ID, Name: "bob", Handle: "bob"},
	}}, nil)
	require.NoError(t, err)
	g.room = made.Room
	return g
}

func (g *gateway) register(name string) core.Registered {
	g.t.Helper()
	r, err := g.node.Register(g.t.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name, Model: core.ModelSession}})
	require.NoError(g.t, err)
	return r
}

// post lets bob say something.
func (g *gateway) post(text string) {
	g.t.Helper()
	_, _, err := g.node.PostMessage(context.Background(), g.room, core.PostMessage{Sender: g.bob.Agent.ID, Text: text}, nil)
	require.NoError(g.t, err)
}

// stream is alice's event stream.
type stream struct {
	*sse.Reader
	body io.ReadCloser
	// header is that of the response.
	header http.Header
}

// open opens alice's stream at a base URL, after a cursor if there is one.
func (g *gateway) open(base, cursor string) (*stream, error) {
	url := fmt.Sprintf("%s/agents/%s/events?connection_id=c-1&rooms=%s", base, g.alice.Agent.ID, g.room)
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "gzip")
	req.Header.Set("Authorization", "Bearer "+g.alice.Key)
	if cursor != "" {
		req.Header.Set("Last-Event-ID", cursor)
	}
	// A transport of its own, so that each stream is a connection of its own.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return nil, fmt.Errorf("%s: %s", res.Status, text)
	}
	return &stream{Reader: sse.NewReader(res.Body, 0), body: res.Body, header: res.Header}, nil
}

// must opens a stream that can be opened, reads its first frame, and closes it at the end of the test.
func (g *gateway) must(base string) *stream {
	g.t.Helper()
	s, err := g.open(base, "")
	require.NoError(g.t, err)
	g.t.Cleanup(func() { _ = s.body.Close() })
	first, err := s.Next()
	require.NoError(g.t, err)
	require.Equal(g.t, "connection_state", first.Event)
	return s
}
