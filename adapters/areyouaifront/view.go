package areyouaifront

import (
	"math"
	"time"

	"stele/areyouai"
	"stele/areyouai/prompt"
	"stele/core"
)

// view is a room in this protocol's terms, as one of its members sees it.
type view struct {
	self string
	// a and b are the two sides. In a room without sides they are the caller and the member that has been there longest
	// beside it, so that a client that waits for company sees when it has some.
	a, b string
	// next is who may speak: whoever asks, in a room where everybody may.
	next     string
	maxTurns int64
	ttlAt    time.Time
}

// endless is the end of a room that has none: the protocol's fields are never null, and clients compare them.
var endless = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)

// viewOf looks at a room through a member's eyes.
func viewOf(r *core.Room, self string) view {
	v := view{self: self}
	v.maxTurns, v.ttlAt = limitsOf(r.MaxTurns, r.TTLAt)
	if r.Floor == core.FloorTurns {
		v.a, v.b, v.next = r.Sides[0], r.Sides[1], r.NextActor()
		return v
	}
	v.a, v.b = self, companion(r, self)
	if r.State == core.StateActive {
		v.next = self
	}
	return v
}

// limitsOf shows a room's limits; one that it does not have is out of reach.
func limitsOf(turns int, ttl time.Time) (maxTurns int64, ttlAt time.Time) {
	if turns == 0 {
		turns = math.MaxInt32
	}
	if ttl.IsZero() {
		ttl = endless
	}
	return int64(turns), ttl
}

// companion is the member beside self that joined first, "" when there is none.
func companion(r *core.Room, self string) string {
	var first *core.Member
	for id, m := range r.Members {
		if id != self && (first == nil || m.Joined < first.Joined) {
			first = m
		}
	}
	if first == nil {
		return ""
	}
	return first.Agent
}

// promptInput is everything that the member's prompt depends on. It shares nothing with the room.
func (v view) promptInput(r *core.Room, layers *prompt.Layers) prompt.Input {
	in := prompt.Input{
		Layers: layers, RoomID: r.ID, Topic: r.Name, SelfAgentID: v.self, AgentAID: v.a, AgentBID: v.b,
		State: areyouai.RoomState(r.State), TurnIndex: int64(r.Turn), MaxTurns: v.maxTurns, TTLAt: v.ttlAt,
		LastActorID: r.LastActor, ClosedAt: r.ClosedAt, Recent: make([]prompt.Message, 0, len(r.Recent)),
	}
	for _, m := range r.Recent {
		in.Recent = append(in.Recent, prompt.Message{Turn: int64(m.Turn), SenderID: m.Sender, Text: m.Text})
	}
	return in
}

// bundleHash is the hash that the member must show to speak now.
func (f *Front) bundleHash(r *core.Room, self string) string {
	return prompt.Render(viewOf(r, self).promptInput(r, f.opts.Layers)).Hash
}
