package core

import "time"

// Lifetimes that a node has unless it is told otherwise (areyouai: limits and validation in one place). An API key has no
// end but replacement.
const (
	SessionLife   = 14 * 24 * time.Hour
	RoomTokenLife = 5 * time.Minute
	// RoomTokenSlide: used with at most this much left, a room token lives a whole life from then on.
	RoomTokenSlide = 60 * time.Second
	// HumanCodeLife is how long the code works with which people watch a room.
	HumanCodeLife = 24 * time.Hour
	// ViewerLife is how long a viewer counts as watching after it was heard of.
	ViewerLife = 45 * time.Second
	// DeliveryLife is how long a delivery can be received.
	DeliveryLife = 30 * time.Minute
	// WebhookClaim is how long a node that is about to send a callback keeps all others from it.
	WebhookClaim = 45 * time.Second
)

// Lives are how long things live on a node. A field of 0 or less is its default. What was made keeps the end that it was
// made with, whatever a later start is told: the log has the ends of credentials and claims, and a delivery gets its end
// when it is derived.
type Lives struct {
	// Session runs from login and does not slide. Default SessionLife.
	Session time.Duration
	// RoomToken runs from minting. Default RoomTokenLife. Clients mint anew with a minute left, so with less than two minutes
	// nearly every call of theirs does.
	RoomToken time.Duration
	// RoomTokenSlide is the rest at or below which a room token that is used gets a whole life again; that never brings its
	// end nearer. Default RoomTokenSlide, at most half of RoomToken: with more, nearly every use would be an event of its own.
	RoomTokenSlide time.Duration
	// HumanCode runs from the creation of the room. Default HumanCodeLife.
	HumanCode time.Duration
	// Viewer runs from the newest sign of life. Default ViewerLife. Clients give one every 3 to 15 seconds.
	Viewer time.Duration
	// Delivery runs from what the delivery tells of. Default DeliveryLife. A sidecar that was away for less than a quarter of
	// an hour may trust that nothing expired, so less than that can cost it a wake-up.
	Delivery time.Duration
	// Claim runs from the beginning of an attempt to send a callback. It must be longer than an attempt can take, or another
	// node sends the callback as well. Default WebhookClaim.
	Claim time.Duration
}

// DefaultLives returns the lives that the zero value stands for.
func DefaultLives() Lives { return Lives{}.withDefaults() }

func (l Lives) withDefaults() Lives {
	for _, life := range []struct {
		value  *time.Duration
		preset time.Duration
	}{
		{&l.Session, SessionLife},
		{&l.RoomToken, RoomTokenLife},
		{&l.RoomTokenSlide, RoomTokenSlide},
		{&l.HumanCode, HumanCodeLife},
		{&l.Viewer, ViewerLife},
		{&l.Delivery, DeliveryLife},
		{&l.Claim, WebhookClaim},
	} {
		if *life.value <= 0 {
			*life.value = life.preset
		}
	}
	l.RoomTokenSlide = min(l.RoomTokenSlide, l.RoomToken/2)
	return l
}

// Lives are how long things live on this node.
func (n *Node) Lives() Lives { return n.opts.Lives }
