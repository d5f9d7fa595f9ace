package core

import (
	"slices"
	"time"
)

// Floor is the rule of who may speak.
type Floor string

// The floors. On an open floor any member may speak; with turns only the next actor may, and the turn goes to the other
// side with every message.
const (
	FloorOpen  Floor = "open"
	FloorTurns Floor = "turns"
)

// MaxTurnsMessage is the longest message in a turns room, in Unicode characters (areyouai demands it of its posts, so it
// holds for every post that an areyouai agent must be able to answer). A door that was told another limit has that one
// instead, see [PostMessage]; at all others this one stays, so that both sides of a room may differ in what they may say.
const MaxTurnsMessage = 8192

// NextActor is who may speak next in a turns room, "" when nobody may. The first turn, 0, belongs to side a, also while
// the other side is still missing.
func (r *Room) NextActor() string {
	if r.Floor != FloorTurns || (r.State != StateOpen && r.State != StateActive) {
		return ""
	}
	return r.Sides[r.Turn%2]
}

// mayPost checks whether the agent may post at this moment, in the order in which refusals are answered: membership,
// end of the room, its being active, its time to live, the expected turn, the floor.
func (r *Room) mayPost(agent string, expected *int, now time.Time) error {
	if !r.Exists() {
		return ErrNoRoom
	}
	if r.Members[agent] == nil {
		return ErrNotMember
	}
	if r.State != StateActive {
		return &RoomNotActiveError{Room: r.ID, State: r.State}
	}
	if r.Expired(now) {
		return &RoomExpiredError{Room: r.ID, At: r.TTLAt}
	}
	next := r.NextActor()
	if expected != nil && *expected != r.Turn {
		return &TurnMismatchError{Expected: *expected, Turn: r.Turn, Next: next, NextName: r.nameOf(next)}
	}
	if r.Floor == FloorTurns && agent != next {
		return &NotYourTurnError{Next: next, NextName: r.nameOf(next), Turn: r.Turn, Watches: !slices.Contains(r.Sides[:], agent)}
	}
	return nil
}

// MaySpeak returns the refusal that a message of the agent would meet now, nil if it may speak.
func (r *Room) MaySpeak(agent string, now time.Time) error { return r.mayPost(agent, nil, now) }

func (r *Room) nameOf(agent string) string {
	if m := r.Members[agent]; m != nil {
		return m.displayName()
	}
	return agent
}
