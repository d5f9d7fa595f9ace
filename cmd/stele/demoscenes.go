package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/areyouai"
	"stele/core/operations"
	agentswitch "stele/switch"
)

// harbourScene: all three in a room where anybody may speak, and then one of them changes the protocol.
func harbourScene(ctx context.Context, c *cast) error {
	var made agentswitch.CreateRoomAnswer
	if err := c.ada.Call(ctx, agentswitch.OpCreateRoom, map[string]any{
		"name": "harbour", "description": "three protocols in one room", "agent_names": []string{"ada", c.bertHandle, "cleo"},
	}, &made); err != nil {
		return fmt.Errorf("create room: %w", err)
	}
	room := made.ID
	c.show(step{kind: stepHeading, text: "An open room with Ada (Switch), Bert (areyouai) and Cleo (edge): " + room})
	if err := c.adaListens(ctx, room); err != nil {
		return err
	}
	stop, err := c.listens(ctx, bert, c.bert, room, 0)
	defer stop()
	if err != nil {
		return err
	}
	if err := c.cleoAttaches(ctx, "ada", room, c.cleoKey); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	for _, say := range []func() error{
		func() error { return c.adaSays(ctx, "@"+c.bertHandle+" @cleo is the crane free?") },
		func() error { return c.bertSays(ctx, room, "It is, until two o'clock.") },
		func() error { return c.cleoSays(ctx, "Crew there by 11:45 – ça va? 🚢") },
		func() error { return c.adaSays(ctx, "@cleo perfect. Booked.") },
	} {
		if err := say(); err != nil {
			return err
		}
	}
	if err := c.showDirections(); err != nil {
		return err
	}
	return c.cleoMoves(ctx, room)
}

// showDirections says how much went from each script into each other one so far, and fails if nothing did.
func (c *cast) showDirections() error {
	deliveries := c.book.directions()
	s := step{kind: stepNote, text: "Deliveries so far, in each of the six directions:"}
	for _, from := range demoScripts {
		var words []string
		for _, to := range demoScripts {
			if from == to {
				continue
			}
			n := deliveries[direction{from, to}]
			if n == 0 {
				return fmt.Errorf("nothing went from %s to %s", from, to)
			}
			words = append(words, fmt.Sprintf("%s %d", to, n))
		}
		s.rows = append(s.rows, row{label: from, way: wayOut, wire: strings.Join(words, ", ")})
	}
	c.show(s)
	return nil
}

// turnsScene: Bert offers a conversation in turns through his door, Ada finds it and takes the other side through hers, and
// they speak in turn. Cleo watches.
func turnsScene(ctx context.Context, c *cast) error {
	listing, err := c.bert.CreateListing(ctx, areyouai.ListingRequest{Topic: "which berth for the Aurora?", MaxTurns: 4})
	if err != nil {
		return fmt.Errorf("create listing: %w", err)
	}
	room := listing.RoomID
	c.show(step{
		kind: stepHeading, text: "A room of turns: Bert (areyouai) offers it, Ada (Switch) joins, Cleo (edge) watches: " + room,
		rows: []row{{label: onAreyouai, way: wayOut, wire: c.bertTap.call("listings").request}},
	})
	// Cleo is no member: she watches with the code that the listing's owner was given for people.
	if err := c.cleoAttaches(ctx, c.bertHandle, room, listing.HumanCode); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	c.away = nil
	if err := c.adaConnects(ctx, listing.ID); err != nil {
		return err
	}
	if err := c.adaListens(ctx, room); err != nil {
		return err
	}
	stop, err := c.listens(ctx, bert, c.bert, room, 0)
	defer stop()
	if err != nil {
		return err
	}
	if err := c.showTurn(ctx, room); err != nil {
		return err
	}
	if err := c.adaIsRefused(ctx); err != nil {
		return err
	}
	for _, say := range []func() error{
		func() error { return c.bertSays(ctx, room, "Berth 4 is deeper, berth 6 closer.") },
		func() error { return c.adaSays(ctx, "Closer wins. Does the tide hold?") },
		func() error { return c.bertSays(ctx, room, "High water at 13:10.") },
		func() error { return c.adaSays(ctx, "Then berth 6.") },
	} {
		if err := say(); err != nil {
			return err
		}
	}
	state, err := c.bert.State(ctx, room)
	if err != nil {
		return err
	}
	c.show(step{kind: stepNote, text: fmt.Sprintf("All %d turns are used; the room is %s.", state.MaxTurns, state.State)})
	return nil
}

// adaConnects finds a listing and takes its other side, both with operations of the Switch door.
func (c *cast) adaConnects(ctx context.Context, listing string) error {
	var found operations.ListingsFound
	if err := c.ada.Call(ctx, "search_listings", map[string]any{"q": "berth"}, &found); err != nil {
		return fmt.Errorf("search listings: %w", err)
	}
	if !slices.ContainsFunc(found.Items, func(l operations.ListingFound) bool { return l.ID == listing }) {
		return fmt.Errorf("the Switch door does not find the listing %s", listing)
	}
	var connected operations.ListingConnected
	if err := c.ada.Call(ctx, "connect_to_listing", map[string]any{"listing_id": listing}, &connected); err != nil {
		return fmt.Errorf("connect to listing: %w", err)
	}
	made := c.adaTap.call("connect_to_listing")
	c.show(step{kind: stepNote, text: "Ada finds the listing with search_listings and takes the other side.", rows: []row{
		{label: onSwitch, way: wayOut, wire: made.request},
		{label: onSwitch, way: wayIn, wire: made.answer},
	}})
	return nil
}

// showTurn shows how each of the three is told whose turn it is.
func (c *cast) showTurn(ctx context.Context, room string) error {
	var turn operations.Turn
	if err := c.ada.Call(ctx, "get_turn", map[string]any{"room_id": room}, &turn); err != nil {
		return fmt.Errorf("get turn: %w", err)
	}
	var raw, ready string
	stream := c.bert.AgentStream(areyouai.AgentStreamOptions{OnRaw: func(frame []byte) { raw = string(frame) }})
	for frame, err := range stream.Frames(ctx) {
		if err != nil {
			return fmt.Errorf("bert's agent stream: %w", err)
		}
		if t, ok := frame.(areyouai.TurnReady); ok && t.RoomID == room {
			ready = raw
			break
		}
	}
	state, err := c.cleo.state(ctx, `"ACTIVE"`)
	if err != nil {
		return err
	}
	c.show(step{kind: stepNote, text: "Bert begins, and each is told so in its own terms.", rows: []row{
		{label: onSwitch, way: wayIn, wire: c.adaTap.call("get_turn").answer, keep: turn.WhatNext},
		{label: onAreyouai, way: wayIn, wire: ready},
		{label: onEdge, way: wayIn, wire: state},
	}})
	return nil
}

// adaIsRefused shows what happens to somebody who speaks out of turn.
func (c *cast) adaIsRefused(ctx context.Context) error {
	_, err := c.ada.PostMessage(ctx, "Let me begin.", "")
	var refusal agentswitch.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("a message out of turn was not refused: %w", err)
	}
	c.show(step{kind: stepNote, text: "Ada tries to begin and is refused: " + err.Error()})
	return nil
}
