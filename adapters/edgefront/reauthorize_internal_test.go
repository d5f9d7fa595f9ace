package edgefront

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
)

// Membership is asked for by itself: the event that ends it may not have reached the session yet.
func TestCheckAsksForMembership(t *testing.T) {
	log := memlog.New()
	node, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, node.Close(context.Background())) }()
	f := New(node, operations.New(node), Options{})
	bob, err := node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "bob", Handle: "bob"}})
	require.NoError(t, err)
	made, _, err := node.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "chat"}, Members: []core.NewMember{{Agent: bob.Agent.ID, Name: "bob"}},
	}, nil)
	require.NoError(t, err)
	g, err := f.authorize(t.Context(), bob.Key, address{agent: "bob", conversation: "chat"}, "")
	require.NoError(t, err)
	require.NoError(t, f.check(t.Context(), g))
	stream := core.RoomStream(made.Room)
	last, err := log.Last(t.Context(), stream)
	require.NoError(t, err)
	_, err = log.Append(t.Context(), stream, last, []core.Event{{
		Kind: core.MemberLeft, Version: 3, At: node.Now(), Body: []byte(`{"agent":"` + bob.Agent.ID + `"}`),
	}})
	require.NoError(t, err)
	require.NoError(t, node.CatchUp(t.Context()))
	require.ErrorIs(t, f.check(t.Context(), g), errEnded)
	require.ErrorIs(t, f.check(t.Context(), grant{room: "room_none"}), errEnded)
}
