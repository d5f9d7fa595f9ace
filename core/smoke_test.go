package core_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	log := memlog.New()
	n, err := core.Open(ctx, log, core.Options{})
	require.NoError(t, err)
	a, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: "alice", Handle: "alice"}})
	require.NoError(t, err)
	b, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: "Bob The"}, DeriveHandle: true})
	require.NoError(t, err)
	require.Equal(t, "bob-the", b.Agent.Handle)
	made, _, err := n.CreateRoom(ctx, core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}, Members: []core.NewMember{
		{Agent: a.Agent.ID, Name: "alice", Handle: "alice"}, {Agent: b.Agent.ID, Name: "Bob", Handle: "bob-the"},
	}}, nil)
	require.NoError(t, err)
	r := n.NewAgentReader(b.Agent.ID, 0)
	defer r.Close()
	for i := range 300 {
		p, placed, err := n.PostMessage(ctx, made.Room, core.PostMessage{Sender: a.Agent.ID, Text: fmt.Sprintf("hi @bob-the %d", i)}, nil)
		require.NoError(t, err)
		require.Equal(t, i, p.Turn)
		require.EqualValues(t, i+4, placed.Version)
	}
	var got []*core.Entry
	for len(got) < 300 {
		out, err := r.Read(ctx, 100, nil)
		require.NoError(t, err)
		if len(out) == 0 {
			select {
			case <-r.Wake():
			case <-time.After(5 * time.Second):
				t.Fatal("no wake")
			}
		}
		got = append(got, out...)
	}
	require.Len(t, got, 300)
	m := got[7].Payload.(*core.MessagePostedEvent)
	require.True(t, m.Addresses(b.Agent.ID))
	root, err := n.ThreadRoot(ctx, made.Room, got[222].Payload.(*core.MessagePostedEvent).ID)
	require.NoError(t, err)
	require.Equal(t, got[222].Payload.(*core.MessagePostedEvent).ID, root)
	require.NoError(t, n.Close(ctx))
	require.NoError(t, log.Close())
}
