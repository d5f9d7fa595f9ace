package areyouaifront

import (
	"stele/areyouai"
	"stele/core"
)

// guard holds the checks of a post that belong to this door, in the order in which they are answered. It is used by one
// goroutine at a time: the room's queue while it decides, the caller after that.
type guard struct {
	front        *Front
	room, sender string
	req          areyouai.SendRequest
	// phrase is what the content policy found in the text, "" when nothing.
	phrase string
	// places are what the post holds in the windows of accepted messages.
	places []place
}

// place is one event counted in a window.
type place struct {
	window *window
	key    string
	at     int64
}

// check is asked inside the room's decision, and asked again when somebody else's write came first.
func (g *guard) check(r *core.Room) error {
	g.release()
	f, now := g.front, g.front.node.Now()
	if until, blocked := f.strikes.blocked(g.sender, now); blocked {
		return &policyError{until: until}
	}
	if !f.rates.agents.allows(g.sender, now) || !f.rates.rooms.allows(g.room, now) {
		return areyouai.NewError(areyouai.CodeRateLimited)
	}
	if g.phrase != "" {
		return &policyError{phrase: g.phrase}
	}
	if !g.req.HashMatches(f.bundleHash(r, g.sender)) {
		return areyouai.NewError(areyouai.CodeStaleBundleHash)
	}
	// The same agent may be about to speak in another room at this moment: what counts is the place that was taken.
	for _, p := range []place{{f.rates.agents, g.sender, now.UnixMilli()}, {f.rates.rooms, g.room, now.UnixMilli()}} {
		if !p.window.take(p.key, now) {
			g.release()
			return areyouai.NewError(areyouai.CodeRateLimited)
		}
		g.places = append(g.places, p)
	}
	return nil
}

// release gives the places back: the post was not accepted.
func (g *guard) release() {
	for _, p := range g.places {
		p.window.giveBack(p.key, p.at)
	}
	g.places = g.places[:0]
}
