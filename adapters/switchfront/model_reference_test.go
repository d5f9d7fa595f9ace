package switchfront_test

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// The reference says who must receive what. It is written from the protocol's description, knows nothing of how the
// product does it, and keeps everything in plain lists. It talks of agents and rooms by their names, which sort as their
// ids do.

const (
	// refTTL is the life of a connection after its last beat.
	refTTL = 6 * time.Second
	// refKept and refAge are the retention: so many events, so long. No step comes exactly at the end of it.
	refKept = 12
	refAge  = 40*time.Second + beatTime/2
	// refInFlight is how fresh a write must be to count as possibly unread when its client reopens without a cursor;
	// refRead is how old one must be to count as read.
	refInFlight = time.Second
	refRead     = 15 * time.Second
)

var (
	refAgents = []string{"alice", "bob", "carol"}
	refRooms  = []string{"attic", "barn", "cellar"}
	// refOwners are the connections and who uses them.
	refOwners = map[string]string{"a1": "alice", "a2": "alice", "a3": "alice", "b1": "bob", "c1": "carol"}
	refConns  = slices.Sorted(maps.Keys(refOwners))
	// refMembers are the first members of each room, refListeners those who want to hear of arrivals.
	refMembers   = map[string][]string{"attic": {"alice", "bob", "carol"}, "barn": {"alice", "bob"}, "cellar": {"alice"}}
	refListeners = map[string][]string{"attic": {"alice"}, "barn": {"alice", "bob"}, "cellar": {}}
)

// refEvent is something that happened in a room: a message, a room_join, or what no client is shown.
type refEvent struct {
	at              uint64
	when            time.Time
	room, kind, who string
	text            string
}

// want is a frame as a client must get it. Two numbers may lie between bounds where the protocol fixes no more.
type want struct {
	kind, text string
	number     bounds
	resumed    bounds
	// perhaps: it may also stay away.
	perhaps bool
}

// bounds are a number that is known to lie between two others.
type bounds struct{ low, high uint64 }

func exactly(n uint64) bounds { return bounds{n, n} }

func (b bounds) has(n uint64) bool { return b.low <= n && n <= b.high }

// refStream is one stream of a connection: what its client must still see, and whether the stream is over after that.
type refStream struct {
	wants  []want
	ended  bool
	told   []string
	parked bool
	// rushed: its claims changed several times at once, of which the client may be told more or less.
	rushed bool
}

// refConn is a connection while it lives.
type refConn struct {
	id, agent, scope, filter string
	spawn                    bool
	// rooms are its claims in the order of claiming.
	rooms []string
	beat  time.Time
	// opened is where its stream began, cursor how far that has got, reported the most that its client said it has read.
	opened, cursor bounds
	reported       uint64
	// trail is how far the stream had got at which time.
	trail []refStep
	// stream is nil while none is attached; detached is since when.
	stream   *refStream
	detached time.Time
}

type refStep struct {
	when time.Time
	at   uint64
}

type reference struct {
	now    time.Time
	events []refEvent
	conns  map[string]*refConn
	// heads is how far the whole log had got at which time.
	heads []refStep
}

func newReference() *reference { return &reference{conns: map[string]*refConn{}} }

// learn takes over what happened up to now.
func (r *reference) learn(events []refEvent, now time.Time, head uint64) {
	r.events = append(r.events, events...)
	r.heads = append(r.heads, refStep{now, head})
}

func (r *reference) head() uint64 { return r.heads[len(r.heads)-1].at }

// headBy is how far the log had got at most at a time.
func (r *reference) headBy(t time.Time) uint64 {
	for i, h := range r.heads {
		if h.when.Before(t) {
			continue
		}
		for i+1 < len(r.heads) && r.heads[i+1].when.Equal(h.when) {
			i++
		}
		return r.heads[i].at
	}
	return r.head()
}

// member tells whether an agent is in a room, as of a position.
func (r *reference) member(agent, room string, at uint64) (in bool) {
	for _, e := range r.events {
		if e.at < at && e.room == room && e.who == agent {
			switch e.kind {
			case "room_join":
				in = true
			case "left":
				in = false
			}
		}
	}
	return in
}

func (r *reference) isMember(agent, room string) bool { return r.member(agent, room, r.head()+1) }

// everMember tells whether the agent ever joined the room.
func (r *reference) everMember(agent, room string) bool {
	return slices.ContainsFunc(r.events, func(e refEvent) bool {
		return e.kind == "room_join" && e.room == room && e.who == agent
	})
}

// addresses tells whether an event is one of those that a filter for the addressed lets through.
func (r *reference) addresses(e refEvent, agent string) bool {
	if e.kind == "room_join" {
		return slices.Contains(refListeners[e.room], agent)
	}
	return strings.Contains(e.text, "@"+agent) && e.who != agent
}

// shows tells whether an agent may get an event at all.
func (r *reference) shows(e refEvent, agent string) bool {
	return (e.kind == "message" || e.kind == "room_join") && e.who != agent && r.member(agent, e.room, e.at)
}

// frame is an event as an agent gets it.
func (r *reference) frame(e refEvent, agent string) want {
	text := e.room + " " + e.who
	if e.kind == "message" {
		text += ": " + e.text
	}
	if r.addresses(e, agent) {
		text += " (addressed)"
	}
	return want{kind: e.kind, text: text, number: exactly(e.at)}
}

// dropped is the newest position from which an agent's rooms are not kept any more, 0 when everything is.
func (r *reference) dropped(agent string) (dropped uint64) {
	var mine []refEvent
	for _, e := range r.events {
		if r.everMember(agent, e.room) {
			mine = append(mine, e)
		}
	}
	for i, e := range mine {
		if len(mine)-i > refKept || e.when.Before(r.now.Add(-refAge)) {
			dropped = e.at
		}
	}
	return dropped
}

// newest is the newest position of the rooms that an agent ever joined.
func (r *reference) newest(agent string) (at uint64) {
	for _, e := range r.events {
		if r.everMember(agent, e.room) {
			at = e.at
		}
	}
	return at
}
