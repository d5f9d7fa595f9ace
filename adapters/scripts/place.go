package scripts

import (
	"time"

	"stele/core"
	"stele/internal/typedjson"
)

// place is where a reading is in a conversation: what it knows from the events so far, to say what the next frames leave out.
// It is bounded, whatever the conversation holds.
type place struct {
	opts Options
	// room, position and at are those of the newest event.
	room     string
	position core.Position
	at       time.Time
	rooms    map[string]*roomPlace
}

// roomPlace is what is known of one room.
type roomPlace struct {
	// version is that of its newest event; turn is the number of its next message.
	version  uint64
	turn     int
	maxTurns int
	state    core.RoomState
	purged   bool
	// names are how people are shown, by agent, and agents the other way round.
	names, agents map[string]string
	// shared is what the members keep together, as far as it was told.
	shared typedjson.Value
}

// Bounds of what a place remembers. A room or name beyond them makes it forget all others, and those are met anew. A longer name
// is not remembered.
const (
	maxRooms     = 4096
	maxNames     = 4096
	maxNameBytes = 4096
)

func newPlace(o Options) *place {
	return &place{opts: o, room: o.Room, rooms: map[string]*roomPlace{}}
}

// in returns what is known of a room, which is nothing at first.
func (p *place) in(room string) *roomPlace {
	if r := p.rooms[room]; r != nil {
		return r
	}
	if len(p.rooms) >= maxRooms {
		clear(p.rooms)
	}
	r := &roomPlace{names: map[string]string{}, agents: map[string]string{}, shared: typedjson.Value{Kind: typedjson.Object}}
	p.rooms[room] = r
	return r
}

// next is the event that comes next in a room, without its payload: one position and one version behind the newest, and at the
// same time unless the frames say when.
func (p *place) next(room string, payload core.Payload, at time.Time) *core.Entry {
	if at.IsZero() {
		at = p.at
	}
	return &core.Entry{Recorded: core.Recorded{
		Event:    core.Event{Kind: payload.Kind(), Version: p.known(room).version + 1, At: at, Payload: payload},
		Position: p.position + 1, Stream: core.RoomStream(room),
	}}
}

// known is in for those who must change nothing.
func (p *place) known(room string) *roomPlace {
	if r := p.rooms[room]; r != nil {
		return r
	}
	return &roomPlace{shared: typedjson.Value{Kind: typedjson.Object}}
}

// note takes in what an event really was. It is the note of every reading.
func (p *place) note(e *core.Entry) {
	room, _ := e.Stream.RoomID()
	p.room, p.position, p.at = room, e.Position, e.At
	r := p.in(room)
	r.version = e.Version
	switch ev := e.Payload.(type) {
	case *core.RoomCreatedEvent:
		r.state, r.maxTurns = ev.State, ev.MaxTurns
	case *core.MemberJoinedEvent:
		r.call(ev.Agent, ev.DisplayName())
	case *core.MessagePostedEvent:
		r.turn = ev.Turn + 1
		if !e.Erased {
			r.call(ev.Sender, ev.SenderName)
		}
	case *core.RoomStateChangedEvent:
		r.state = ev.To
	case *core.RoomPurgedEvent:
		r.purged = true
		r.shared = typedjson.Value{Kind: typedjson.Object}
	case *core.StatePatchedEvent:
		r.share(typedjson.Merge(r.shared, ev.Patch))
	case *core.StateReplacedEvent:
		r.share(ev.State)
	}
}

// call notes how somebody is shown.
func (r *roomPlace) call(agent, name string) {
	if agent == "" || name == "" || r.names[agent] == name || max(len(agent), len(name)) > maxNameBytes {
		return
	}
	if len(r.names) >= maxNames || len(r.agents) >= maxNames {
		clear(r.names)
		clear(r.agents)
	}
	r.names[agent], r.agents[name] = name, agent
}

// share notes what the members keep, unless it is more than a room can hold.
func (r *roomPlace) share(state typedjson.Value) {
	lim := typedjson.Limits{Bytes: core.MaxSharedBytes}
	if state.Kind != typedjson.Object || state.Check(lim) != nil {
		state = typedjson.Value{Kind: typedjson.Object}
	}
	r.shared = state
}

// nameOf is how somebody is shown: by the id where no name was told.
func (r *roomPlace) nameOf(agent string) string {
	if name := r.names[agent]; name != "" {
		return name
	}
	return agent
}

// agentOf finds who is shown by a name: the name itself where nobody was told to have it.
func (r *roomPlace) agentOf(name string) string {
	if agent := r.agents[name]; agent != "" {
		return agent
	}
	return name
}
