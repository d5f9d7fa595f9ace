package core

import (
	"slices"
	"sort"
	"time"
)

// inbox holds the deliveries that wait for one agent, oldest first. It is a projection of the rooms' events and the agent's
// acknowledgements, written by the tail alone.
type inbox struct {
	List []*Delivery `json:"list"`
	// ready is the one turn that waits in each room; dead counts the withdrawn ones in the list.
	ready map[string]*Delivery
	dead  int
}

// relink rebuilds the look-up.
func (b *inbox) relink() {
	b.ready = map[string]*Delivery{}
	for _, d := range b.List {
		if d.Kind == TurnReady {
			b.ready[d.Room] = d
		}
	}
}

func (b *inbox) add(d *Delivery) {
	if d.Kind == TurnReady {
		b.withdraw(d.Room)
		b.ready[d.Room] = d
	}
	b.List = append(b.List, d)
	b.prune(d.At)
}

// withdraw takes the turn back that waits in a room, if one does.
func (b *inbox) withdraw(room string) {
	if d := b.ready[room]; d != nil {
		delete(b.ready, room)
		b.kill(d)
	}
}

func (b *inbox) kill(d *Delivery) {
	d.withdrawn = true
	if b.dead++; b.dead > 16 && b.dead > len(b.List)/2 {
		b.List = slices.DeleteFunc(b.List, func(d *Delivery) bool { return d.withdrawn })
		b.dead = 0
	}
}

// prune forgets what nobody can receive any more. The time is that of an event, so that folding the log again does the same.
func (b *inbox) prune(now time.Time) {
	n := 0
	for n < len(b.List) && (b.List[n].withdrawn || !now.Before(b.List[n].Expires())) {
		if d := b.List[n]; d.withdrawn {
			b.dead--
		} else if b.ready[d.Room] == d {
			delete(b.ready, d.Room)
		}
		n++
	}
	b.List = slices.Delete(b.List, 0, n)
}

// find returns the delivery made at a position, nil when it waits no longer.
func (b *inbox) find(p Position) *Delivery {
	i := sort.Search(len(b.List), func(i int) bool { return b.List[i].Position >= p })
	if i < len(b.List) && b.List[i].Position == p && !b.List[i].withdrawn {
		return b.List[i]
	}
	return nil
}

// acked takes out what the agent said it has.
func (b *inbox) acked(p Position) {
	d := b.find(p)
	if d == nil {
		return
	}
	if b.ready[d.Room] == d {
		delete(b.ready, d.Room)
	}
	b.kill(d)
}

// after copies what waits after a position and has not expired, oldest first.
func (b *inbox) after(p Position, now time.Time) []Delivery {
	i := sort.Search(len(b.List), func(i int) bool { return b.List[i].Position > p })
	var out []Delivery
	for _, d := range b.List[i:] {
		if !d.withdrawn && now.Before(d.Expires()) {
			out = append(out, *d)
		}
	}
	return out
}

func (b *inbox) clone() *inbox {
	c := &inbox{}
	for _, d := range b.List {
		if !d.withdrawn {
			copied := *d
			c.List = append(c.List, &copied)
		}
	}
	return c
}

// inboxOf returns an agent's inbox, made on first use.
func (x *index) inboxOf(agent string) *inbox {
	b := x.s.Inboxes[agent]
	if b == nil {
		b = &inbox{ready: map[string]*Delivery{}}
		set(&x.s.Inboxes, agent, b)
	}
	return b
}

// deliver tells an agent something. The reader of its inbox is woken when the batch is applied. An agent that was deleted
// leaves its rooms after that, and is not told how they end.
func (x *index) deliver(agent string, d Delivery) {
	if entry := x.s.Agents[agent]; entry != nil && entry.State.Ended {
		return
	}
	d.Until = d.At.Add(x.deliveryLife)
	x.inboxOf(agent).add(&d)
	x.told[agent] = struct{}{}
}

// expiryOf is when the delivery made at a position expires; false when it does not wait for the agent.
func (x *index) expiryOf(agent string, p Position) (until time.Time, waits bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if b := x.s.Inboxes[agent]; b != nil {
		if d := b.find(p); d != nil {
			return d.Expires(), true
		}
	}
	return time.Time{}, false
}

// takeBack withdraws the turn that waits in a room, whoever it waits for.
func (x *index) takeBack(room string) {
	for _, agent := range x.inRoom[room] {
		if b := x.s.Inboxes[agent]; b != nil {
			b.withdraw(room)
		}
	}
}

// sweepInboxes forgets the deliveries that expired at agents to whom nothing new comes.
func (x *index) sweepInboxes(now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for agent, b := range x.s.Inboxes {
		if b.prune(now); len(b.List) == 0 {
			delete(x.s.Inboxes, agent)
		}
	}
}
