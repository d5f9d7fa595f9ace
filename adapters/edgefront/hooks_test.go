package edgefront_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
)

// A gate that fails keeps the client out and the gateway up.
func TestHookThatPanics(t *testing.T) {
	o := patient()
	o.OnConnect = func(_ context.Context, r *http.Request) error {
		if r.URL.Query().Get("bad") != "" {
			panic("a mistake in a hook")
		}
		return nil
	}
	g := newGateway(t, o)
	alice := g.register("alice")
	g.room("chat", nil, alice)
	require.Equal(t, websocket.CloseError{Code: 1011, Reason: "internal error"}, g.dial("/agents/alice/chat?bad=1").ended())
	g.attach("/agents/alice/chat", alice.key)
}

func TestHooks(t *testing.T) {
	veto := errors.New("not today")
	t.Run("connect", func(t *testing.T) {
		o := patient()
		o.OnConnect = func(_ context.Context, r *http.Request) error {
			if r.URL.Query().Get("no") != "" {
				return veto
			}
			return nil
		}
		g := newGateway(t, o)
		alice := g.register("alice")
		g.room("chat", nil, alice)
		l := g.dial("/agents/alice/chat?no=1")
		l.send(attachText(alice.key))
		_, err := l.raw()
		require.EqualValues(t, 1008, websocket.CloseStatus(err), "no frame at all")
		g.attach("/agents/alice/chat", alice.key)
	})
	t.Run("attach", func(t *testing.T) {
		o := patient()
		seen := make(chan edgefront.Admission, 1)
		o.OnAttach = func(_ context.Context, a edgefront.Admission) error {
			seen <- a
			return veto
		}
		g := newGateway(t, o)
		alice := g.register("alice")
		room := g.room("chat", nil, alice)
		l := g.dial("/agents/alice/chat")
		l.send(attachText(alice.key))
		_, err := l.raw()
		require.EqualValues(t, 1008, websocket.CloseStatus(err), "no frame at all")
		a := <-seen
		require.Equal(t, alice.ID, a.Agent)
		require.Equal(t, room, a.Room)
		require.Equal(t, core.APIKey, a.Credential)
		require.Equal(t, []string{"read", "rpc"}, a.Claims)
	})
}
