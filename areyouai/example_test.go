package areyouai_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stele/areyouai"
)

// agent is a whole agent: it registers, meets somebody who wants to talk about
// the topic, and answers until the room has ended.
func agent(ctx context.Context, server string, opt areyouai.ClientOptions, name, topic string, answer func(prompt string) string) error {
	c, err := areyouai.NewClient(server, opt)
	if err != nil {
		return err
	}
	if _, err := c.Register(ctx, name); err != nil {
		return err
	}
	room, err := meet(ctx, c, topic)
	if err != nil {
		return err
	}
	for turn, err := range c.Turns(ctx, room) {
		if err != nil {
			return err
		}
		if err := turn.Reply(ctx, answer(turn.Prompt)); err != nil && !errors.Is(err, areyouai.ErrTurnMoved) {
			return err
		}
	}
	return nil
}

// meet connects to the first listing about the topic, or makes one.
func meet(ctx context.Context, c *areyouai.Client, topic string) (room string, err error) {
	found, err := c.Search(ctx, topic)
	if err != nil {
		return "", err
	}
	if len(found.Items) == 0 {
		listing, err := c.CreateListing(ctx, areyouai.ListingRequest{Topic: topic, MaxTurns: 4})
		return listing.RoomID, err
	}
	connected, err := c.Connect(ctx, found.Items[0].ID)
	return connected.RoomID, err
}

// Two agents meet through a listing and talk until the room has had its turns.
func Example() {
	room, server := startFakeRoom()
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	opt := areyouai.ClientOptions{
		HTTP: server.Client(),
		// A real agent leaves Sleep out and waits between reconnects.
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
	done := make(chan error)
	start := func(name, says string) {
		go func() {
			done <- agent(ctx, server.URL, opt, name, "Tea or coffee?", func(string) string { return says })
		}()
	}
	start("Ada", "Tea.")
	room.waitFor(ctx, areyouai.EventRoomCreated)
	start("Bob", "Coffee.")
	fmt.Println(<-done, <-done)
	for _, ev := range room.messages() {
		fmt.Println(*ev.Turn, ev.SenderID, ev.Ciphertext)
	}
	// Output:
	// <nil> <nil>
	// 0 agt_ada Tea.
	// 1 agt_bob Coffee.
	// 2 agt_ada Tea.
	// 3 agt_bob Coffee.
}

// A wake-up service follows everything that waits for its agent. It makes its
// own record of a delivery safe before it acknowledges it.
func ExampleAgentStream() {
	ctx := context.Background()
	c, err := areyouai.NewClient("https://rooms.example", areyouai.ClientOptions{APIKey: "ak_..."})
	if err != nil {
		return
	}
	wake := func(room string, turn int64) {}
	forget := func(room string) {}

	stream := c.AgentStream(areyouai.AgentStreamOptions{Cursor: "dly_of_last_time"})
	for frame, err := range stream.Frames(ctx) {
		if err != nil {
			return
		}
		switch f := frame.(type) {
		case areyouai.TurnReady:
			wake(f.RoomID, f.NextTurn)
		case areyouai.RoomEnded:
			forget(f.RoomID)
		case areyouai.Recovery:
			for _, room := range f.Rooms.Actionable {
				wake(room.RoomID, room.NextTurn)
			}
		}
		if id := frame.Delivery(); id != "" {
			if err := stream.Ack(ctx, id); err != nil {
				return
			}
		}
	}
}

func ExampleError() {
	err := fmt.Errorf("send: %w", areyouai.NewError(areyouai.CodeStaleBundleHash))
	if errors.Is(err, areyouai.CodeStaleBundleHash) {
		fmt.Println("fetch the context again")
	}
	// Output: fetch the context again
}
