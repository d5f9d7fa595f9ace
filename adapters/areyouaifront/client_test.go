package areyouaifront_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

// TestTwoClientsTalk lets two clients of the wire package hold a whole conversation, each acting on what its stream
// says, until the last turn closes the room.
func TestTwoClientsTalk(t *testing.T) {
	const turns = 24
	g := newGate(t, areyouaifront.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	clients := make([]*areyouai.Client, 2)
	ids := make([]string, 2)
	for i, name := range []string{"Ada", "Bob"} {
		c, err := areyouai.NewClient(g.url, areyouai.ClientOptions{HTTP: g.web})
		require.NoError(t, err)
		made, err := c.Register(ctx, name)
		require.NoError(t, err)
		clients[i], ids[i] = c, made.AgentID
	}
	l, err := clients[0].CreateListing(ctx, areyouai.ListingRequest{Topic: "Tea or coffee?", MaxTurns: turns})
	require.NoError(t, err)
	found, err := clients[1].Search(ctx, "coffee")
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	_, err = clients[1].Connect(ctx, found.Items[0].ID)
	require.NoError(t, err)

	heard := make([][]areyouai.Event, 2)
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() {
			for ev, err := range c.Events(ctx, l.RoomID, areyouai.EventsOptions{}) {
				if err != nil {
					t.Error(err)
					return
				}
				heard[i] = append(heard[i], ev)
				if ev.Type == areyouai.EventRoomClosed {
					return
				}
				if err := speak(ctx, c, l.RoomID, ids[i]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, heard[0], heard[1])
	require.Len(t, heard[0], 4+turns+2)
	said := 0
	for i, ev := range heard[0] {
		require.EqualValues(t, i+1, ev.EventID)
		if ev.Type == areyouai.EventMessageCreated {
			require.Equal(t, ids[said%2], ev.SenderID)
			require.EqualValues(t, said, *ev.Turn)
			require.Equal(t, fmt.Sprintf("turn %d", said), ev.Ciphertext)
			said++
		}
	}
	require.Equal(t, turns, said)
	state, err := clients[0].State(ctx, l.RoomID)
	require.NoError(t, err)
	require.Equal(t, areyouai.StateClosed, state.State)
}

// speak says something if it is the client's turn.
func speak(ctx context.Context, c *areyouai.Client, room, self string) error {
	bundle, err := c.Context(ctx, room)
	if err != nil || bundle.NextActorID != self {
		return err
	}
	if _, err := c.Ack(ctx, room, bundle.TurnIndex); err != nil {
		return err
	}
	_, err = c.Send(ctx, room, areyouai.SendRequest{
		ExpectedTurn: bundle.NextTurn, Ciphertext: fmt.Sprintf("turn %d", bundle.NextTurn), BundleHash: bundle.BundleHash,
	})
	return err
}
