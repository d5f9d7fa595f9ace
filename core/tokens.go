package core

import "time"

// Lives of credentials. An API key has no end but replacement.
const (
	SessionLife   = 14 * 24 * time.Hour
	RoomTokenLife = 5 * time.Minute
	// RoomTokenSlide: used with at most this much left, a room token lives RoomTokenLife from then on.
	RoomTokenSlide = 60 * time.Second
)

// openSession adds a session token; earlier ones stay valid.
type openSession struct {
	hash       string
	generation int
}

func (c openSession) decide(a *AgentState, env Env) ([]Payload, time.Time, error) {
	if a.Ended {
		return nil, time.Time{}, ErrNoAgent
	}
	until := env.Now.Add(SessionLife)
	return []Payload{&SessionOpenedEvent{Hash: c.hash, Until: until, Generation: c.generation}}, until, nil
}

// mintRoomToken replaces the agent's token for a room.
type mintRoomToken struct {
	room, hash string
	generation int
}

func (c mintRoomToken) decide(a *AgentState, env Env) ([]Payload, time.Time, error) {
	if a.Ended {
		return nil, time.Time{}, ErrNoAgent
	}
	until := env.Now.Add(RoomTokenLife)
	return []Payload{&RoomTokenMintedEvent{Room: c.room, Hash: c.hash, Until: until, Generation: c.generation}}, until, nil
}

// extendRoomToken moves the end of a token that is about to end, if it is still the room's newest.
type extendRoomToken struct{ room, hash string }

func (c extendRoomToken) decide(a *AgentState, env Env) ([]Payload, time.Time, error) {
	t, ok := a.Tokens[c.room]
	if !ok || t.Hash != c.hash || !env.Now.Before(t.Until) || t.Until.Sub(env.Now) > RoomTokenSlide {
		return nil, t.Until, nil
	}
	until := env.Now.Add(RoomTokenLife)
	return []Payload{&RoomTokenExtendedEvent{Hash: c.hash, Until: until}}, until, nil
}
