package edgefront_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func (g *gateway) client(path string, o edgeframes.ClientOptions) *edgeframes.Client {
	g.t.Helper()
	c, err := edgeframes.NewClient(g.url(path), o)
	require.NoError(g.t, err)
	g.t.Cleanup(c.Close)
	return c
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// The package's own client in attach mode: a call from before hello, claims, a typed result, and what the call brought
// about, which the mirror has before the call returns.
func TestTheClientInAttachMode(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	g.room("chat", nil, alice, bob)
	ctx := deadline(t)
	c := g.client("/agents/alice/chat", edgeframes.ClientOptions{Token: bob.key, Subscribe: edgeframes.Streams(), Resume: true})
	require.Empty(t, c.Claims())
	events := c.Events(ctx, 0)
	type sent struct {
		EventID string `json:"event_id"`
	}
	early := make(chan error, 1)
	go func() {
		got, err := edgeframes.CallAs[sent](ctx, c, "postMessage", "hi")
		if err == nil && got.EventID == "" {
			err = context.Canceled
		}
		early <- err
	}()
	c.Start(ctx)
	require.NoError(t, <-early)
	require.Equal(t, []string{edgeframes.ClaimRead, edgeframes.ClaimRPC}, c.Claims())
	require.Equal(t, edgeframes.Streams(), c.Accepted())
	for state := range c.State(ctx) {
		turn, _ := state.Get("turn")
		require.Equal(t, superjson.Int(1), turn, "frames that a call causes come before its result")
		break
	}
	for update, err := range c.Messages(ctx) {
		require.NoError(t, err)
		require.Equal(t, "hi", update.Messages[0].Content)
		require.Equal(t, edgeframes.RoleUser, update.Messages[0].Role)
		require.WithinDuration(t, time.Now(), update.Messages[0].At, time.Hour)
		break
	}
	seq := uint64(0)
	for e, err := range events {
		require.NoError(t, err)
		require.Equal(t, seq+1, e.Seq)
		if seq = e.Seq; seq == c.Cursor(edgeframes.StreamEvents) {
			break
		}
	}
	_, err := c.Call(ctx, "no_such_method")
	require.ErrorIs(t, err, edgeframes.Error{Code: edgeframes.CodeMethodNotFound})
	_, err = c.Call(ctx, "_private")
	require.ErrorIs(t, err, edgeframes.Error{Code: edgeframes.CodeMethodPrivate})
}

// In plain mode a client sees a public room and may not call; its connection survives the refusal.
func TestTheClientInPlainMode(t *testing.T) {
	g := newGateway(t, quick())
	alice := g.register("alice")
	room := g.room("chat", func(cmd *core.CreateRoom) { cmd.Facts.ReadVisibility = "public" }, alice)
	g.post(room, alice, "hello")
	ctx := deadline(t)
	down := make(chan error, 1)
	c := g.client("/agents/alice/chat", edgeframes.ClientOptions{OnDisconnect: func(err error) {
		select {
		case down <- err:
		default:
		}
	}})
	c.Start(ctx)
	_, err := c.Call(ctx, "post_message", "hi")
	require.ErrorIs(t, err, edgeframes.Error{Code: edgeframes.CodeUnauthorized})
	require.Empty(t, c.Claims(), "a plain client is told of none")
	for update, err := range c.Messages(ctx) {
		require.NoError(t, err)
		require.True(t, update.Snapshot)
		require.Equal(t, edgeframes.RoleAssistant, update.Messages[0].Role)
		break
	}
	require.Empty(t, down)
}

// Each refusal rejects what waits and is followed by another attempt, until the client is closed.
func TestTheClientComesBackAfterEachRefusal(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", private, alice)
	ctx := deadline(t)
	down := make(chan error)
	c := g.client("/agents/alice/chat", edgeframes.ClientOptions{
		Token: "nonsense", BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
		OnDisconnect: func(err error) {
			select {
			case down <- err:
			case <-ctx.Done():
			}
		},
	})
	rejected := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "post_message", "hi")
		rejected <- err
	}()
	c.Start(ctx)
	for range 3 {
		require.ErrorIs(t, <-down, edgeframes.Error{Code: edgeframes.CodeUnauthorized})
	}
	require.ErrorIs(t, <-rejected, edgeframes.ErrLinkDown)
	go func() {
		for range down {
			continue
		}
	}()
	c.Close()
	close(down)
	require.ErrorIs(t, c.Ready(ctx), edgeframes.ErrClosed)
}

// A gateway that shuts down sends its clients away with 1001, which ends their waiting calls.
func TestTheClientIsToldOfADrain(t *testing.T) {
	g := newGateway(t, edgefront.Options{AttachGrace: patience})
	alice := g.register("alice")
	g.room("chat", nil, alice)
	ctx := deadline(t)
	down := make(chan error, 10)
	c := g.client("/agents/alice/chat", edgeframes.ClientOptions{Token: alice.key, OnDisconnect: func(err error) { down <- err }})
	c.Start(ctx)
	require.NoError(t, c.Ready(ctx))
	g.front.Drain()
	require.ErrorContains(t, <-down, edgeframes.CloseGoingAway.Text())
}
