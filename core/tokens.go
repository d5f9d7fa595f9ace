package core

import "time"

// openSession adds a session token; earlier ones stay valid.
type openSession struct {
	hash       string
	generation int
}

func (c openSession) decide(a *AgentState, env Env) ([]Payload, time.Time, error) {
	if a.Ended {
		return nil, time.Time{}, ErrNoAgent
	}
	until := env.Now.Add(env.Lives.Session)
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
	until := env.Now.Add(env.Lives.RoomToken)
	return []Payload{&RoomTokenMintedEvent{Room: c.room, Hash: c.hash, Until: until, Generation: c.generation}}, until, nil
}

// extendRoomToken moves the end of a token that is about to end, if it is still the room's newest.
type extendRoomToken struct{ room, hash string }

func (c extendRoomToken) decide(a *AgentState, env Env) ([]Payload, time.Time, error) {
	t, ok := a.Tokens[c.room]
	if !ok || t.Hash != c.hash || !env.Now.Before(t.Until) || t.Until.Sub(env.Now) > env.Lives.RoomTokenSlide {
		return nil, t.Until, nil
	}
	until := env.Now.Add(env.Lives.RoomToken)
	if !until.After(t.Until) {
		// It was minted when tokens lived longer.
		return nil, t.Until, nil
	}
	return []Payload{&RoomTokenExtendedEvent{Hash: c.hash, Until: until}}, until, nil
}
