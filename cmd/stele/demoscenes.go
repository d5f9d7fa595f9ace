package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"stele/areyouai"
	agentswitch "stele/switch"
)

// openScene: all three in a room where anybody may speak.
func openScene(ctx context.Context, out io.Writer, c *cast) error {
	var made agentswitch.CreateRoomAnswer
	if err := c.ada.Call(ctx, agentswitch.OpCreateRoom, map[string]any{
		"name": "harbour", "description": "three protocols in one room", "agent_names": []string{"ada", c.bertHandle, "cleo"},
	}, &made); err != nil {
		return fmt.Errorf("create room: %w", err)
	}
	fmt.Fprintf(out, "\nAn open room with Ada (Switch), Bert (areyouai) and Cleo (edge): %s\n", made.ID)
	ready := make(chan struct{})
	c.adaListens(made.ID, ready)
	c.bertListens(made.ID)
	if err := c.cleoAttaches(ctx, "ada", made.ID, c.cleoKey); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	select {
	case <-ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, s := range []struct {
		say  func(context.Context, string, string) error
		line line
	}{
		{c.adaSays, line{speaker: "Ada", script: onSwitch, text: "Good morning @" + c.bertHandle + " and @cleo, is the crane free at noon?"}},
		{c.bertSays, line{speaker: "Bert", script: onAreyouai, text: "It is, until two o'clock."}},
		{c.cleoSays, line{speaker: "Cleo", script: onEdge, text: "I can have the crew there by 11:45 – ça va? 🏗"}},
		{c.adaSays, line{speaker: "Ada", script: onSwitch, text: "@cleo perfect. Booked."}},
	} {
		if err := c.speak(ctx, out, made.ID, s.line, s.say); err != nil {
			return err
		}
	}
	return nil
}

// turnsScene: Bert offers a listing, Ada connects to it with the one key she has, and they speak in turn. Cleo watches.
func turnsScene(ctx context.Context, out io.Writer, c *cast) error {
	listing, err := c.bert.CreateListing(ctx, areyouai.ListingRequest{Topic: "which berth for the Aurora?", MaxTurns: 4})
	if err != nil {
		return fmt.Errorf("create listing: %w", err)
	}
	adaOnAreyouai, err := areyouai.NewClient(c.base, areyouai.ClientOptions{APIKey: c.adaKey})
	if err != nil {
		return err
	}
	if _, err := adaOnAreyouai.Connect(ctx, listing.ID); err != nil {
		return fmt.Errorf("connect to listing: %w", err)
	}
	room := listing.RoomID
	fmt.Fprintf(out, "\nA turn-based room with Bert (areyouai) and Ada (Switch), and Cleo (edge) watching: %s\n", room)
	c.hangUp()
	// Cleo is no member: she watches with the code that the listing's owner was given for people.
	if err := c.cleoAttaches(ctx, c.bertHandle, room, listing.HumanCode); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	ready := make(chan struct{})
	c.adaListens(room, ready)
	c.bertListens(room)
	select {
	case <-ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := c.adaIsRefused(ctx, out); err != nil {
		return err
	}
	for _, s := range []struct {
		say  func(context.Context, string, string) error
		line line
	}{
		{c.bertSays, line{speaker: "Bert", script: onAreyouai, text: "Berth 4 is deep enough, berth 6 is closer."}},
		{c.adaSays, line{speaker: "Ada", script: onSwitch, text: "Closer wins if the tide holds. Does it?"}},
		{c.bertSays, line{speaker: "Bert", script: onAreyouai, text: "High water at 13:10."}},
		{c.adaSays, line{speaker: "Ada", script: onSwitch, text: "Then berth 6."}},
	} {
		if err := c.speak(ctx, out, room, s.line, s.say); err != nil {
			return err
		}
	}
	state, err := c.bert.State(ctx, room)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nAll %d turns are used; the room is %s.\n", state.MaxTurns, state.State)
	return err
}

// adaIsRefused shows what happens to somebody who speaks out of turn.
func (c *cast) adaIsRefused(ctx context.Context, out io.Writer) error {
	_, err := c.ada.PostMessage(ctx, "Let me begin.", "")
	var refusal agentswitch.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("a message out of turn was not refused: %w", err)
	}
	fmt.Fprintf(out, "\nAda tries to begin and is refused: %v\n", err)
	return nil
}

// speak lets somebody say a line, waits until everybody has it, and prints it.
func (c *cast) speak(ctx context.Context, out io.Writer, room string, l line, say func(context.Context, string, string) error) error {
	for _, script := range demoScripts {
		// The Switch protocol does not bring a message back to its sender.
		if script != onSwitch || l.script != onSwitch {
			l.due = append(l.due, script)
		}
	}
	c.book.expect(&l)
	if err := say(ctx, room, l.text); err != nil {
		return fmt.Errorf("%s says %q: %w", l.speaker, l.text, err)
	}
	if err := c.book.await(ctx, l.text); err != nil {
		return fmt.Errorf("waiting for %q: %w", l.text, err)
	}
	fmt.Fprintf(out, "\n%s: %s\n", l.speaker, l.text)
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	for _, script := range demoScripts {
		text := strings.TrimRight(l.wire[script], "\n")
		if _, err := fmt.Fprintf(out, "  %-9s %s\n", script, strings.ReplaceAll(text, "\n", "\n            ")); err != nil {
			return err
		}
	}
	return nil
}

func (c *cast) adaSays(ctx context.Context, _, text string) error {
	_, err := c.ada.PostMessage(ctx, text, "")
	return err
}

func (c *cast) bertSays(ctx context.Context, room, text string) error {
	context, err := c.bert.Context(ctx, room)
	if err != nil {
		return err
	}
	_, err = c.bert.Send(ctx, room, areyouai.SendRequest{
		ExpectedTurn: context.NextTurn, Ciphertext: text, BundleHash: context.BundleHash,
	})
	return err
}

func (c *cast) cleoSays(ctx context.Context, _, text string) error {
	_, err := c.cleo.Call(ctx, "post_message", text)
	return err
}
