package edgefront

import (
	"context"
	"maps"
	"sync"
	"time"

	"stele/core"
)

// lookTime is how long a look may wait for other nodes: the session that looks does nothing else meanwhile.
const lookTime = 500 * time.Millisecond

// lookAgain is how old a scene gets at least before who came and went makes another one due: when many come at a time, not
// each of them is worth a look by all.
const lookAgain = 100 * time.Millisecond

// crowd remembers how the members of rooms are there, for all sessions that show it: looking costs as much as a room has
// members, and a room may have as many sessions.
type crowd struct {
	node  *core.Node
	mu    sync.Mutex
	rooms map[string]*seats
	// looks counts the scenes that showed something new.
	looks uint64
}

// seats counts the sessions of a room and holds its newest scene.
type seats struct {
	sessions int
	newest   *scene
}

// scene is how the members of a room are there at one time. It is never changed.
type scene struct {
	at time.Time
	// head is a position whose events show in it.
	head core.Position
	// attended is the room's number of attendance from before it was looked at, made the time at which it was.
	attended uint64
	made     time.Time
	people   map[string]manner
	// look is the same in scenes that show the same, and 0 in none.
	look uint64
}

func newCrowd(node *core.Node) *crowd { return &crowd{node: node, rooms: map[string]*seats{}} }

func (c *crowd) enter(room string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rooms[room] == nil {
		c.rooms[room] = &seats{}
	}
	c.rooms[room].sessions++
}

func (c *crowd) leave(room string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.rooms[room]; s != nil {
		if s.sessions--; s.sessions == 0 {
			delete(c.rooms, room)
		}
	}
}

// in returns a scene of a room that is about as new as presenceEvery asks for, and has the events up to a position. It knows
// of all who came and went as well, or, unless it must be fresh, is so young that there is to be another look in a while.
func (c *crowd) in(ctx context.Context, room string, since core.Position, fresh bool) (s *scene, again time.Duration, err error) {
	now := c.node.Now()
	c.mu.Lock()
	known := c.rooms[room]
	s, again = c.remembered(known, room, now, since, fresh)
	c.mu.Unlock()
	if s != nil {
		return s, again, nil
	}
	// Two that look at the same time see the same; no lock is held meanwhile, as a look may ask other nodes.
	if s, err = c.look(ctx, room, now); err != nil {
		return nil, 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known != nil && known.newest != nil && maps.Equal(known.newest.people, s.people) {
		s.people, s.look = known.newest.people, known.newest.look
	} else {
		c.looks++
		s.look = c.looks
	}
	if known != nil {
		known.newest = s
	}
	return s, presenceEvery, nil
}

// remembered returns the newest scene if it will do; c.mu is held.
func (c *crowd) remembered(known *seats, room string, now time.Time, since core.Position, fresh bool) (s *scene, again time.Duration) {
	if known == nil || known.newest == nil || now.Sub(known.newest.at) >= presenceEvery/2 || known.newest.head < since {
		return nil, 0
	}
	age := time.Since(known.newest.made)
	switch {
	case known.newest.attended == c.node.AttendanceIn(room):
		return known.newest, presenceEvery
	case !fresh && age < lookAgain:
		return known.newest, lookAgain - age
	}
	return nil, 0
}

func (c *crowd) look(ctx context.Context, room string, now time.Time) (*scene, error) {
	s := &scene{
		at: now, head: c.node.Applied(), attended: c.node.AttendanceIn(room), made: time.Now(), people: map[string]manner{},
	}
	var members []string
	if err := c.node.ViewRoom(ctx, room, func(r *core.Room) {
		for agent := range r.Members {
			members = append(members, agent)
		}
	}); err != nil {
		return nil, err
	}
	for _, agent := range members {
		s.people[agent] = manner{presence: string(c.node.Presence(agent, room))}
	}
	// A node that does not answer in time leaves its holders as they are.
	asking, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	for _, lease := range c.node.LeasesIn(asking, room) {
		if m, ok := s.people[lease.Agent]; ok {
			m.role = lease.Role
			s.people[lease.Agent] = m
		}
	}
	return s, nil
}
