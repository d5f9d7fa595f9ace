package areyouai

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	wire "stele/areyouai"
	"stele/core"
	"stele/core/sqlitelog"
)

// gateway is a gateway under load, with a client's way to it.
type gateway struct {
	node *core.Node
	url  string
	web  *http.Client
}

// connections is how many the client keeps: two streams and a request for each of the most rooms at once.
const connections = 4096

func newGateway(b *testing.B) *gateway {
	log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	node, err := core.Open(b.Context(), log, core.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, node.Close(context.Background())) })

	// What is measured is the gateway, and not how it holds single clients back.
	limits := areyouaifront.Options{Limits: &areyouaifront.Limits{}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- adapters.New(node, adapters.Options{Areyouai: limits}).Serve(ctx, ln) }()
	pool := &http.Transport{MaxIdleConnsPerHost: connections}
	b.Cleanup(func() {
		pool.CloseIdleConnections()
		stop()
		require.NoError(b, <-done)
	})
	return &gateway{node: node, url: "http://" + ln.Addr().String(), web: &http.Client{Transport: pool}}
}

// speaker is one side of a room.
type speaker struct {
	id, token string
	*wire.Client
}

func (g *gateway) speaker(b *testing.B, name string) *speaker {
	b.Helper()
	made, err := g.node.Register(b.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name}})
	require.NoError(b, err)
	token, _, err := g.node.OpenSession(b.Context(), core.Credential{Agent: made.Agent.ID})
	require.NoError(b, err)
	c, err := wire.NewClient(g.url, wire.ClientOptions{HTTP: g.web, SessionToken: token})
	require.NoError(b, err)
	return &speaker{id: made.Agent.ID, token: token, Client: c}
}

// talk is a room of two that can go on for as long as it is measured.
type talk struct {
	room  string
	sides [2]*speaker
}

func (g *gateway) talk(b *testing.B, n int) *talk {
	b.Helper()
	t := &talk{}
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "bench", Floor: core.FloorTurns}}
	for i := range t.sides {
		name := fmt.Sprintf("agent-%d-%d", n, i)
		t.sides[i] = g.speaker(b, name)
		cmd.Members = append(cmd.Members, core.NewMember{Agent: t.sides[i].id, Name: name, Handle: name})
	}
	made, _, err := g.node.CreateRoom(b.Context(), cmd, nil)
	require.NoError(b, err)
	t.room = made.Room
	return t
}
