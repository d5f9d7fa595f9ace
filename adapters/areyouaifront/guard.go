package areyouaifront

import (
	"time"

	"stele/adapters/transport"
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
	window *transport.Window
	key    string
	at     int64
}

// check is asked inside the room's decision, and asked again when somebody else's write came first.
func (g *guard) check(r *core.Room) error {
	g.release()
	now := g.front.node.Now()
	if until, blocked := g.front.strikes.blocked(g.sender, now); blocked {
		return &policyError{until: until}
	}
	// The places are taken before the text is judged, because the same agent may be speaking in another room at this
	// moment: of posts that pass together no more count than there are places.
	err := g.takePlaces(now)
	if err == nil {
		err = g.checkText(r)
	}
	if err != nil {
		g.release()
	}
	return err
}

func (g *guard) takePlaces(now time.Time) error {
	rates := &g.front.rates
	for _, p := range [...]place{{rates.agents, g.sender, now.UnixMilli()}, {rates.rooms, g.room, now.UnixMilli()}} {
		if !p.window.Take(p.key, now) {
			return refusal(p.window, p.key, now)
		}
		g.places = append(g.places, p)
	}
	return nil
}

func (g *guard) checkText(r *core.Room) error {
	if g.phrase != "" {
		return &policyError{phrase: g.phrase}
	}
	if !g.req.HashMatches(g.front.bundleHash(r, g.sender)) {
		return areyouai.NewError(areyouai.CodeStaleBundleHash)
	}
	return nil
}

// release gives the places back: the post was not accepted.
func (g *guard) release() {
	for _, p := range g.places {
		p.window.GiveBack(p.key, p.at)
	}
	g.places = g.places[:0]
}
