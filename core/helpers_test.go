package core_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

// patience is far more than anything here needs.
const patience = 90 * time.Second

func openNode(t testing.TB, log core.Log, o core.Options) *core.Node {
	t.Helper()
	n, err := core.Open(context.Background(), log, o)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, n.Close(ctx))
	})
	return n
}

func newNode(t testing.TB) *core.Node {
	t.Helper()
	return openNode(t, memlog.New(), core.Options{})
}

func register(t testing.TB, n *core.Node, handle string) core.Agent {
	t.Helper()
	r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle}})
	require.NoError(t, err)
	return r.Agent
}

func member(a core.Agent) core.NewMember {
	return core.NewMember{Agent: a.ID, Name: a.Name, Handle: a.Handle}
}

func openRoom(t testing.TB, n *core.Node, members ...core.Agent) string {
	t.Helper()
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}}
	for _, m := range members {
		cmd.Members = append(cmd.Members, member(m))
	}
	made, _, err := n.CreateRoom(t.Context(), cmd, nil)
	require.NoError(t, err)
	return made.Room
}

// turnsRoom makes a turns room in which a offered a listing and b connected to it.
func turnsRoom(t testing.TB, n *core.Node, a, b core.Agent, maxTurns int) string {
	t.Helper()
	listing := n.IDs().New(core.ListingPrefix, n.Now())
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "duel", Floor: core.FloorTurns, MaxTurns: maxTurns,
			Listing: &core.Listing{ID: listing, Agent: a.ID, Topic: "duel", MaxTurns: maxTurns},
		},
		Members: []core.NewMember{member(a)},
	}, nil)
	require.NoError(t, err)
	require.Equal(t, core.StateOpen, made.State)
	got, err := n.ConnectListing(t.Context(), listing, core.ConnectListing{Member: member(b)}, nil)
	require.NoError(t, err)
	require.Equal(t, core.StateActive, got.State)
	return made.Room
}

func post(t testing.TB, n *core.Node, room string, from core.Agent, text string) core.Posted {
	t.Helper()
	p, _, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: from.ID, Text: text}, nil)
	require.NoError(t, err)
	return p
}

// take reads until it has count entries.
func take(t testing.TB, r *core.Reader, count int) []*core.Entry {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var got []*core.Entry
	for len(got) < count {
		before := len(got)
		var err error
		got, err = r.Read(ctx, 100, got)
		require.NoError(t, err)
		if len(got) > before {
			continue
		}
		select {
		case <-r.Wake():
		case <-ctx.Done():
			t.Fatalf("%d of %d entries came", len(got), count)
		}
	}
	return got
}

// nothingLeft asserts that a reader at its head gets nothing more.
func nothingLeft(t testing.TB, r *core.Reader) {
	t.Helper()
	got, err := r.Read(context.Background(), 100, nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func texts(entries []*core.Entry) []string {
	var out []string
	for _, e := range entries {
		if p, ok := e.Payload.(*core.MessagePostedEvent); ok {
			out = append(out, p.Text)
		}
	}
	return out
}

func numbered(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("m%d", i))
	}
	return out
}

func newClock() *testclock.Clock { return testclock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) }
