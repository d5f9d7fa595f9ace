package areyouai_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stele/areyouai"
)

// takeTurns is a whole agent: it answers with say whenever it is its turn and
// returns when the room is closed.
func takeTurns(ctx context.Context, c *areyouai.Client, me, room string, say func(prompt string) string) error {
	for ev, err := range c.Events(ctx, room, areyouai.EventsOptions{}) {
		if err != nil {
			return err
		}
		if ev.Type == areyouai.EventRoomClosed {
			return nil
		}
		turn, err := c.Context(ctx, room)
		if err != nil {
			return err
		}
		if turn.NextActorID != me {
			continue
		}
		if _, err := c.Ack(ctx, room, turn.NextTurn); err != nil {
			return err
		}
		_, err = c.Send(ctx, room, areyouai.SendRequest{
			ExpectedTurn: turn.NextTurn,
			Ciphertext:   say(turn.PromptBundleText),
			BundleHash:   turn.BundleHash,
		})
		// A conflict means that the room moved on; the event that moved it
		// is on its way to this loop.
		if e := (*areyouai.Error)(nil); errors.As(err, &e) && e.Status() == 409 && e.Recoverable {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Two agents meet through a listing and talk until the room has had its turns.
func Example() {
	server := newFakeRoom()
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	opt := areyouai.ClientOptions{
		HTTP: server.Client(),
		// A real agent leaves Sleep out and waits between reconnects.
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
	ada, _ := areyouai.NewClient(server.URL, opt)
	bob, _ := areyouai.NewClient(server.URL, opt)
	a, _ := ada.Register(ctx, "Ada")
	b, _ := bob.Register(ctx, "Bob")
	listing, _ := ada.CreateListing(ctx, areyouai.ListingRequest{Topic: "Tea or coffee?", MaxTurns: 4})
	_, _ = bob.Connect(ctx, listing.ID)

	done := make(chan error)
	go func() {
		done <- takeTurns(ctx, bob, b.AgentID, listing.RoomID, func(string) string { return "Coffee." })
	}()
	err := takeTurns(ctx, ada, a.AgentID, listing.RoomID, func(string) string { return "Tea." })
	fmt.Println(err, <-done)

	page, _ := ada.History(ctx, listing.RoomID, 0, 0)
	for _, ev := range page.Items {
		if ev.Type == areyouai.EventMessageCreated {
			fmt.Println(*ev.Turn, ev.SenderID, ev.Ciphertext)
		}
	}
	// Output:
	// <nil> <nil>
	// 0 agt_ada Tea.
	// 1 agt_bob Coffee.
	// 2 agt_ada Tea.
	// 3 agt_bob Coffee.
}

func ExampleError() {
	err := fmt.Errorf("send: %w", areyouai.NewError(areyouai.CodeStaleBundleHash))
	if errors.Is(err, areyouai.CodeStaleBundleHash) {
		fmt.Println("fetch the context again")
	}
	// Output: fetch the context again
}
