package switchfront_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestPurgedRoom: a stream that is there is told of the end in words, and one that was away gets that, and no word that was
// said. Nothing is said there any more.
func TestPurgedRoom(t *testing.T) {
	c, log := newClock(), memlog.New()
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	g := newGateway(t, setup{log: log, node: core.Options{
		Now: c.Now, SweepEvery: time.Hour, LeaseTTL: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute},
	}})
	a, b := g.register("alice"), g.register("bob")
	made, _, err := g.node.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "duel", Floor: core.FloorTurns, Listing: &core.Listing{ID: "lst_1", Agent: a.id}},
		Members: []core.NewMember{{Agent: a.id, Name: "alice"}},
	}, nil)
	require.NoError(t, err)
	_, err = g.node.ConnectListing(t.Context(), "lst_1", core.ConnectListing{Member: core.NewMember{Agent: b.id, Name: "bob"}}, nil)
	require.NoError(t, err)
	room, start := made.Room, g.node.Applied()
	_, _, err = g.node.PostMessage(t.Context(), room, core.PostMessage{Sender: a.id, Text: "secret word"}, nil)
	require.NoError(t, err)
	_, _, err = g.node.CloseRoom(t.Context(), room, core.CloseRoom{Actor: a.id}, nil)
	require.NoError(t, err)
	live := b.open("c-live", "&rooms="+room).hello()
	c.Advance(time.Minute)
	ended, err := g.node.Purge(t.Context(), room)
	require.NoError(t, err)
	require.Equal(t, core.StatePurged, ended.State)
	const words = "What was said in the room is deleted (it has been closed for long enough)."
	told := func(data map[string]any) {
		t.Helper()
		payload := data["payload"].(map[string]any)
		require.Equal(t, "system", payload["sender"])
		require.Equal(t, words, payload["body"])
		require.Equal(t, false, payload["addressed"])
	}
	_, data := event(t, live.next())
	told(data)
	require.Eventually(t, func() bool {
		for rec, err := range log.Read(context.Background(), core.RoomStream(room), 0) {
			require.NoError(t, err)
			if len(rec.Content) > 0 {
				return false
			}
		}
		return true
	}, patience, time.Millisecond)
	away := a.open("c-away", "&rooms="+room, fmt.Sprintf("Last-Event-ID: %d", start)).hello()
	_, data = event(t, away.next())
	require.Contains(t, data["payload"].(map[string]any)["body"], "The room is closed")
	_, data = event(t, away.next())
	told(data)
	got := a.history(room, "")
	require.Equal(t, 200, got.status)
	require.Contains(t, got.body, words)
	require.NotContains(t, got.body, "secret word")
	require.NotEqual(t, 200, a.say(room, "anybody?").status)
}
