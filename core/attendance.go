package core

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// attendance counts the sockets and streams through which agents are there without a connection of the Switch protocol.
// Like a sighting it is not logged and belongs to the node that serves the socket: it is true for as long as the socket is
// open and not a moment longer, and after a restart nobody attends who has not come back.
type attendance struct {
	mu sync.Mutex
	// open counts them by agent and room, "" for no room; agents counts them by agent; doors by agent, room and door.
	open   map[seat]int
	agents map[string]int
	doors  map[seat]map[string]int

	seed maphash.Seed
	// changes counts what changed, by a hash of the room: rooms that share a counter only make a reader look once too often.
	changes [256]atomic.Uint64
}

// seat is an agent in a room.
type seat struct{ agent, room string }

func newAttendance() *attendance {
	return &attendance{open: map[seat]int{}, agents: map[string]int{}, doors: map[seat]map[string]int{}, seed: maphash.MakeSeed()}
}

// add counts a socket in or out. It tells whether that changed how the agent is in the room, and whether it changed that it
// is there at all.
func (a *attendance) add(s seat, door string, by int) (here, anywhere bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.doors[s] == nil {
		a.doors[s] = map[string]int{}
	}
	if count(a.doors[s], door, by); len(a.doors[s]) == 0 {
		delete(a.doors, s)
	}
	return count(a.open, s, by), count(a.agents, s.agent, by)
}

// count adds to a counter and tells whether it began or ended.
func count[K comparable](counters map[K]int, key K, by int) bool {
	was := counters[key]
	if was+by == 0 {
		delete(counters, key)
		return true
	}
	counters[key] = was + by
	return was == 0
}

// attending is how an agent attends: in the room, by a stream that belongs to no room, or in any way.
type attending struct{ here, roaming, anywhere bool }

func (a *attendance) of(agent, room string) attending {
	a.mu.Lock()
	defer a.mu.Unlock()
	return attending{
		here: a.open[seat{agent, room}] > 0, roaming: a.open[seat{agent, ""}] > 0, anywhere: a.agents[agent] > 0,
	}
}

func (a *attendance) counter(room string) *atomic.Uint64 {
	return &a.changes[maphash.String(a.seed, room)%uint64(len(a.changes))]
}

// Attend notes that a socket or stream of an agent is open in a room, or with "" in none in particular, until leave is
// called; door is what people call the way in which it is there, see [Node.Doors]. In a room it counts as a claim of it, elsewhere as a connection that has claimed nothing. An agent may have any
// number of them at a time. Whoever follows the room's typing is woken, see [Node.NewTypingReader]. leave may be called
// more than once; the first call counts.
func (n *Node) Attend(agent, room, door string) (leave func()) {
	s := seat{agent, room}
	n.attend(s, door, 1)
	var left atomic.Bool
	return func() {
		if !left.Swap(true) {
			n.attend(s, door, -1)
		}
	}
}

func (n *Node) attend(s seat, door string, by int) {
	here, anywhere := n.attendance.add(s, door, by)
	switch {
	case anywhere || here && s.room == "":
		// It shows in every room in which the agent is a member.
		for _, room := range n.index.roomIDsOf(s.agent) {
			n.attendanceChanged(room)
		}
	case here:
		n.attendanceChanged(s.room)
	}
}

func (n *Node) attendanceChanged(room string) {
	n.attendance.counter(room).Add(1)
	n.typists.notify(room)
}

// AttendanceIn is a number that changes when somebody begins or ends to attend a room, see [Node.Attend]. What was looked
// at before it changed may be old.
func (n *Node) AttendanceIn(room string) uint64 { return n.attendance.counter(room).Load() }

// roomIDsOf names the rooms that an agent is a member of, in no order.
func (x *index) roomIDsOf(agent string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	for id, spans := range x.s.Members[agent] {
		if len(spans) > 0 && spans[len(spans)-1].To == 0 {
			out = append(out, id)
		}
	}
	return out
}

// Doors are the ways in which an agent is there for a room at the moment, as far as this node knows: those of its sockets and
// streams in the room or in none in particular, sorted, and whether a live connection of it covers the room.
func (n *Node) Doors(agent, room string) (doors []string, connected bool) {
	seen := map[string]bool{}
	a := n.attendance
	a.mu.Lock()
	for _, s := range []seat{{agent, room}, {agent, ""}} {
		for door := range a.doors[s] {
			seen[door] = true
		}
	}
	a.mu.Unlock()
	for id, c := range n.index.connections(agent) {
		alive := c.Node != n.opts.NodeID || n.beats.alive(beatKey{agent, id})
		connected = connected || alive && (c.Holds(room) || c.Scope == ScopeAll)
	}
	return sortedKeys(seen), connected
}

// Attending counts the sockets and streams that are open at the moment, by door.
func (n *Node) Attending() map[string]int {
	a := n.attendance
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[string]int{}
	for _, doors := range a.doors {
		for door, count := range doors {
			out[door] += count
		}
	}
	return out
}
