package core

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// How long a sighting counts (Switch protocol: legacy presence).
const (
	SightingInRoom   = 6 * time.Second
	SightingAnywhere = 90 * time.Second
)

// sightings is when agents without a connection were heard of last, in a room or in none. It is not logged: whoever
// renews a sighting does so every few seconds. It belongs to the node that was told, so a log with several nodes sees
// such an agent only where its requests arrive.
type sightings struct {
	now func() time.Time

	mu sync.Mutex
	// until is when a sighting ends, by agent and room; "" for no room.
	until map[string]map[string]time.Time
}

func newSightings(now func() time.Time) *sightings {
	return &sightings{now: now, until: map[string]map[string]time.Time{}}
}

func (s *sightings) note(agent, room string, life time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rooms := s.until[agent]
	set(&rooms, room, s.now().Add(life))
	s.until[agent] = rooms
}

// of tells whether the agent was heard of lately, and whether in the room.
func (s *sightings) of(agent, room string) (anywhere, here bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for in, until := range s.until[agent] {
		if now.Before(until) {
			anywhere = true
			here = here || in == room
		}
	}
	return anywhere, here
}

// Sighting is when an agent without a connection was heard of last: in a room or, if that is empty, in none.
type Sighting struct {
	Room string
	At   time.Time
}

// SightingsOf lists the sightings of an agent that count, by room.
func (n *Node) SightingsOf(agent string) (out []Sighting) {
	s := n.sightings
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for room, until := range s.until[agent] {
		life := SightingInRoom
		if room == "" {
			life = SightingAnywhere
		}
		if now.Before(until) {
			out = append(out, Sighting{Room: room, At: until.Add(-life)})
		}
	}
	slices.SortFunc(out, func(a, b Sighting) int { return strings.Compare(a.Room, b.Room) })
	return out
}

// sweep forgets what is over.
func (s *sightings) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for agent, rooms := range s.until {
		for room, until := range rooms {
			if !now.Before(until) {
				delete(rooms, room)
			}
		}
		if len(rooms) == 0 {
			delete(s.until, agent)
		}
	}
}

// NoteInRoom notes that an agent without a connection is at work in a room, for [SightingInRoom]. It counts as a claim.
// Errors: [ErrNoRoom], [ErrNotMember].
func (n *Node) NoteInRoom(agent, room string) error {
	if err := n.checkMember(agent, room); err != nil {
		return err
	}
	n.sightings.note(agent, room, SightingInRoom)
	return nil
}

// NoteAnywhere notes that an agent without a connection is there, for [SightingAnywhere]. It counts as a connection that
// has claimed nothing.
func (n *Node) NoteAnywhere(agent string) { n.sightings.note(agent, "", SightingAnywhere) }
