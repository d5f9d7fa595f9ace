package scripts

import (
	"cmp"
	"slices"

	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/typedjson"
)

// takeWhole reads a whole state. It tells which room it is and who is in it. On a socket that is told no events the first one
// stands for those that made the room as it is: that it was made, who came, and what the members share.
func (d *edgeDecoder) takeWhole(f edgeframes.State, first bool) error {
	if !d.bootstrap && first {
		d.follow = false
	}
	if !d.bootstrap && len(d.held) > 0 {
		if err := d.unfollowed(); err != nil {
			return err
		}
	}
	d.group = edgeGroup{}
	if id := text(f.Snapshot, "id"); id != "" {
		if id != d.place.room && d.place.room != "" {
			if err := d.release(); err != nil {
				return err
			}
		}
		d.place.room = id
	}
	known := d.place.in(d.place.room)
	fresh := known.version == 0 && !d.whole
	d.whole = true
	if d.follow || !fresh {
		d.learn(f.Snapshot)
		return d.purged(f.Snapshot)
	}
	return d.made(f.Snapshot)
}

// learn takes from a state who is called what.
func (d *edgeDecoder) learn(state *superjson.Object) {
	r := d.place.in(d.place.room)
	for agent, v := range object(state, "participants").All() {
		if member, ok := objectIn(v); ok {
			r.call(agent, joinedFrom(agent, member).DisplayName())
		}
	}
	if s := text(state, "state"); s != "" {
		r.state = core.RoomState(s)
	}
	if shared, err := sharedIn(state); err == nil {
		r.share(shared)
	}
}

// purged tells of a purge, which a socket without events sees as a whole state.
func (d *edgeDecoder) purged(state *superjson.Object) error {
	at := date(state, "purged_at")
	r := d.place.in(d.place.room)
	if d.follow || at.IsZero() || r.version == 0 || r.purged {
		return nil
	}
	return d.say(d.read.next(d.place.room, &core.RoomPurgedEvent{Reason: core.PurgedByGrace}, at))
}

// made tells of the events that a state stands for.
func (d *edgeDecoder) made(state *superjson.Object) error {
	if id := text(state, "id"); id != "" {
		p := &core.RoomCreatedEvent{}
		d.read.roomFrom(p, state)
		if err := d.say(d.read.next(id, p, date(state, "created_at"))); err != nil {
			return err
		}
	}
	if d.place.room == "" {
		// Whose state it is will show, or it never will.
		d.learn(state)
		return nil
	}
	type arrival struct {
		agent  string
		member *superjson.Object
	}
	var arrivals []arrival
	for agent, v := range object(state, "participants").All() {
		if member, ok := objectIn(v); ok {
			arrivals = append(arrivals, arrival{agent, member})
		}
	}
	slices.SortStableFunc(arrivals, func(a, b arrival) int {
		return cmp.Or(date(a.member, "joined_at").Compare(date(b.member, "joined_at")), cmp.Compare(a.agent, b.agent))
	})
	for _, a := range arrivals {
		if err := d.say(d.read.next(d.place.room, joinedFrom(a.agent, a.member), date(a.member, "joined_at"))); err != nil {
			return err
		}
	}
	shared, err := sharedIn(state)
	if err != nil || len(shared.Members) == 0 {
		return err
	}
	return d.say(d.read.next(d.place.room, &core.StateReplacedEvent{
		StateReplaceTexts: core.StateReplaceTexts{State: typedjson.Merge(typedjson.Value{}, shared), Patch: shared},
	}, d.place.at))
}

func (d *edgeDecoder) say(e *core.Entry) error {
	e, err := d.settle(e, func(*core.Entry) bool { return false })
	if e != nil {
		d.queue = append(d.queue, e)
	}
	return err
}

func objectIn(v superjson.Value) (*superjson.Object, bool) {
	o, ok := v.(*superjson.Object)
	return o, ok && o != nil
}
