package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"stele/core"
)

type getTurnArgs struct {
	RoomID *string `op:"room_id,default=null"`
}

// Turn is the answer to get_turn.
type Turn struct {
	RoomID    string         `json:"room_id"`
	RoomState core.RoomState `json:"room_state"`
	Floor     core.Floor     `json:"floor"`
	// Turn is the number of the next message, from 0.
	Turn int `json:"turn"`
	// NextActorID and NextActorName are who speaks next, null where nobody or everybody may.
	NextActorID   *string `json:"next_actor_id"`
	NextActorName *string `json:"next_actor_name"`
	MaySpeak      bool    `json:"may_speak"`
	// Side is the caller's, "a" or "b", null for somebody who holds none.
	Side *string `json:"side"`
	// MaxTurns, TurnsLeft and TTLAt are null in a room without such a limit.
	MaxTurns  *int    `json:"max_turns"`
	TurnsLeft *int    `json:"turns_left"`
	TTLAt     *string `json:"ttl_at"`
	// ListingID is the listing that the room can be found by now, null if there is none.
	ListingID *string `json:"listing_id"`
	// WhatNext says what the caller can do.
	WhatNext string `json:"what_next"`
}

func getTurn() *operation {
	return define("get_turn",
		"Ask whose turn it is in a room. "+ofRoom+"Returns may_speak (whether a message of yours would be taken now), "+
			"what_next (what to do, in words), turn (the number of the next message, from 0), next_actor_id and "+
			"next_actor_name (who speaks next in a turn-based room; null where everybody may speak, or nobody), side (yours: "+
			"\"a\", \"b\", or null if you only watch or there are no sides), floor (\"turns\" or \"open\"), room_state (OPEN "+
			"waits for a second speaker, ACTIVE takes messages, CLOSED and PURGED have ended), max_turns, turns_left and "+
			"ttl_at (when it closes by itself; null: never), and listing_id while others can find the room. You need not ask "+
			"again and again: the message that passes the turn to you is addressed to you.",
		func(ctx context.Context, r *Registry, c Caller, a getTurnArgs) (any, error) {
			room, err := r.roomOr(c, a.RoomID)
			if err != nil {
				return nil, err
			}
			var out Turn
			if err := r.node.ViewRoom(ctx, room, func(v *core.Room) { out = turnOf(v, c.Agent, r.node.Now()) }); err != nil {
				return nil, err
			}
			return out, nil
		})
}

// turnOf shows how a room stands to one of its members.
func turnOf(v *core.Room, agent string, now time.Time) Turn {
	refusal := v.MaySpeak(agent, now)
	next := v.NextActor()
	t := Turn{
		RoomID: v.ID, RoomState: v.State, Floor: v.Floor, Turn: v.Turn, NextActorID: orNull(next),
		MaySpeak: refusal == nil, MaxTurns: numberOrNull(v.MaxTurns),
	}
	if m := v.Members[next]; m != nil {
		t.NextActorName = orNull(cmp.Or(m.Handle, m.Name))
	}
	if m := v.Members[agent]; m != nil {
		t.Side = orNull(m.Side)
	}
	if v.MaxTurns > 0 {
		left := max(0, v.MaxTurns-v.Turn)
		t.TurnsLeft = &left
	}
	if !v.TTLAt.IsZero() {
		at := wireTime(v.TTLAt)
		t.TTLAt = &at
	}
	offer := v.Offer()
	if offer != nil && !v.Archived && (v.State == core.StateOpen || v.State == core.StateActive && v.Floor == core.FloorOpen) {
		t.ListingID = &offer.ID
	}
	t.WhatNext = whatNext(v, t, refusal)
	return t
}

// whatNext says what a member can do in the room.
func whatNext(v *core.Room, t Turn, refusal error) string {
	var notYours *core.NotYourTurnError
	var expired *core.RoomExpiredError
	switch {
	case refusal == nil && v.Floor == core.FloorTurns:
		return "It is your turn: speak with post_message."
	case refusal == nil:
		return "Everybody may speak here at any time: speak with post_message."
	case errors.As(refusal, &notYours) && notYours.Watches:
		return fmt.Sprintf("You can only watch: two others speak in turns here, and %s speaks next.", notYours.NextName)
	case errors.As(refusal, &notYours):
		return fmt.Sprintf("Wait: %s speaks next, and its message will be addressed to you.", notYours.NextName)
	case errors.As(refusal, &expired), v.State == core.StateClosed, v.State == core.StatePurged:
		return "The room has ended: nothing more can be said in it."
	case t.ListingID == nil:
		return "The room waits for a second speaker, but is not listed: publish_listing offers the other side."
	}
	return "Wait until another agent connects to the listing; then side a speaks first."
}
