package core

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"time"
)

// Callback is what one webhook is to be told of one event of a room. It holds no message text.
type Callback struct {
	// Position and Version are those of the event, Event its kind: MemberJoined, MessagePosted, RoomClosed or RoomPurged.
	Position Position  `json:"position"`
	Version  uint64    `json:"version"`
	Event    Kind      `json:"event"`
	At       time.Time `json:"at"`
	Room     string    `json:"room"`
	// State, Turn, Next and Other are the room as the event left it: Next is who may speak, empty when nobody may, Other the
	// speaker opposite the agent, empty if there is none.
	State RoomState `json:"state"`
	Turn  int       `json:"turn"`
	Next  string    `json:"next,omitempty"`
	Other string    `json:"other,omitempty"`
	// Attempt counts the attempts so far; the next may begin at Due.
	Attempt int       `json:"attempt,omitempty"`
	Due     time.Time `json:"due"`
}

// ID is the callback's name towards the receiver of a webhook, the same at every attempt.
func (o Callback) ID(webhook string) string {
	var p [8]byte
	binary.BigEndian.PutUint64(p[:], uint64(o.Position))
	return DerivedID(CallbackPrefix, webhook, string(p[:]))
}

// MaxCallbacks is how many callbacks wait for one agent at most. Its webhooks have equal shares of them: beyond its share
// the oldest of a webhook is given up.
const MaxCallbacks = 10_000

// outbox holds the callbacks that wait for one webhook, oldest first.
type outbox struct {
	Agent string      `json:"agent"`
	List  []*Callback `json:"list"`
	// heads are the oldest of each room: what waits behind one must wait until it is settled.
	heads map[string]*Callback
}

// relink rebuilds the look-up.
func (o *outbox) relink() {
	o.heads = map[string]*Callback{}
	for _, callback := range o.List {
		o.head(callback)
	}
}

// head makes a callback its room's head if there is none.
func (o *outbox) head(callback *Callback) {
	if o.heads[callback.Room] == nil {
		set(&o.heads, callback.Room, callback)
	}
}

func (o *outbox) add(callback *Callback) {
	o.List = append(o.List, callback)
	o.head(callback)
}

func (o *outbox) remove(i int) {
	gone := o.List[i]
	o.List = slices.Delete(o.List, i, i+1)
	if o.heads[gone.Room] != gone {
		return
	}
	delete(o.heads, gone.Room)
	for _, callback := range o.List[i:] {
		if callback.Room == gone.Room {
			o.head(callback)
			return
		}
	}
}

func (o *outbox) find(p Position) (int, bool) {
	i := sort.Search(len(o.List), func(i int) bool { return o.List[i].Position >= p })
	return i, i < len(o.List) && o.List[i].Position == p
}

func (o *outbox) clone() *outbox {
	c := &outbox{Agent: o.Agent, List: make([]*Callback, 0, len(o.List))}
	for _, callback := range o.List {
		copied := *callback
		c.List = append(c.List, &copied)
	}
	return c
}

// due returns the oldest callback of each room whose time has come, oldest first, and the earliest time at which the time of
// another one will have, zero if there is none.
func (o *outbox) due(now time.Time) (out []*Callback, next time.Time) {
	for _, callback := range o.heads {
		switch {
		case !now.Before(callback.Due):
			out = append(out, callback)
		case next.IsZero() || callback.Due.Before(next):
			next = callback.Due
		}
	}
	slices.SortFunc(out, func(a, b *Callback) int { return cmp.Compare(a.Position, b.Position) })
	return out, next
}

// notify derives the callbacks of a room's event, for everybody in it but whoever caused it.
func (x *index) notify(sum *Summary, rec *Recorded, speaker string) {
	actor, state := speaker, sum.State
	switch e := rec.Payload.(type) {
	case *MemberJoinedEvent:
		actor = e.Agent
		if e.Side == "b" {
			// The event that follows in the same unit makes it so.
			state = StateActive
		}
	case *RoomClosedEvent:
		actor = e.Actor
	case *RoomPurgedEvent:
	default:
		if rec.Kind != MessagePosted {
			return
		}
		if sum.lastSpoken() {
			state = StateClosed
		}
	}
	for _, agent := range x.inRoom[sum.ID] {
		if agent == actor {
			continue
		}
		entry := x.s.Agents[agent]
		if entry == nil {
			continue
		}
		for id, hook := range entry.State.Webhooks {
			if hook.Enabled {
				x.enqueue(id, agent, sum, rec, state)
			}
		}
	}
}

func (x *index) enqueue(webhook, agent string, sum *Summary, rec *Recorded, state RoomState) {
	o := x.s.Outboxes[webhook]
	if o == nil {
		o = &outbox{Agent: agent}
		set(&x.s.Outboxes, webhook, o)
	}
	at := *sum
	at.State = state
	callback := &Callback{
		Position: rec.Position, Version: rec.Version, Event: rec.Kind, At: rec.At, Room: sum.ID, State: state,
		Turn: sum.Turn, Next: at.NextActor(), Other: x.opposite(sum, agent), Due: rec.At,
	}
	for share := MaxCallbacks / len(x.s.Agents[agent].State.Webhooks); len(o.List) >= max(share, 1); {
		o.remove(0)
	}
	o.add(callback)
	x.outboxChanged = true
}

// opposite is the other speaker of a turns room, or who has been longest beside the agent on an open floor.
func (x *index) opposite(sum *Summary, agent string) string {
	if sum.Floor == FloorTurns {
		switch agent {
		case sum.Sides[0]:
			return sum.Sides[1]
		case sum.Sides[1]:
			return sum.Sides[0]
		}
	}
	for _, other := range x.inRoom[sum.ID] {
		if other != agent {
			return other
		}
	}
	return ""
}

// applyWebhook folds what became of callbacks into the outboxes.
func (x *index) applyWebhook(rec *Recorded) {
	switch e := rec.Payload.(type) {
	case *WebhookRemovedEvent:
		delete(x.s.Outboxes, e.ID)
	case *WebhookTriedEvent:
		x.eachCallback(e.Webhook, e.Position, func(o *outbox, i int) {
			o.List[i].Attempt, o.List[i].Due = e.Attempt, e.Until
		})
	case *WebhookSettledEvent:
		x.eachCallback(e.Webhook, e.Position, func(o *outbox, i int) {
			if e.Outcome == WebhookDeferred {
				o.List[i].Due = e.Again
				if e.Uncounted {
					o.List[i].Attempt--
				}
				return
			}
			o.remove(i)
			if len(o.List) == 0 {
				delete(x.s.Outboxes, e.Webhook)
			}
		})
		x.outboxChanged = true
	}
}

func (x *index) eachCallback(webhook string, p Position, fn func(o *outbox, i int)) {
	if o := x.s.Outboxes[webhook]; o != nil {
		if i, ok := o.find(p); ok {
			fn(o, i)
		}
	}
}
